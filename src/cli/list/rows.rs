//! What is listed.

use super::table::Table;
use crate::lock::facts;
use crate::scenario;

pub(super) fn scenarios() -> Table {
    let rows = scenario::all().iter().map(|scenario| {
        let plan = scenario.plan();
        let mut expected: Vec<String> = plan.expect.find.iter().map(|kind| kind.name().into()).collect();
        if plan.expect.rejected_stale_writes > 0 {
            expected.push("a stale write refused".into());
        }
        let expected = if expected.is_empty() { "safe".into() } else { expected.join(", ") };
        vec![scenario.name.into(), expected, plan.about, plan.source.unwrap_or_default()]
    });
    Table {
        title: "Scenarios: fencepost reproduce NAME",
        columns: &["name", "expected", "about", "source"],
        rows: rows.collect(),
    }
}

pub(super) fn locks() -> Table {
    let rows = facts::ALL.iter().map(|lock| {
        let words = [&lock.expiry as &dyn ToString, &lock.owner, &lock.fence, &lock.extension].map(|fact| fact.to_string());
        let mut row = vec![lock.name.into(), lock.row.into()];
        row.extend(words);
        row.push(lock.sentence.into());
        row
    });
    Table {
        title: "Locks: [lock] kind = \"NAME\"",
        columns: &["name", "row", "expiry", "owner_check", "fence", "extension", "about"],
        rows: rows.collect(),
    }
}

pub(super) fn faults() -> Table {
    let rows = nemesis::catalogue::ALL.iter().map(|fault| vec![fault.kind.into(), fault.plan.into(), fault.about.into()]);
    Table { title: "Faults: [[step]] fault = PLAN", columns: &["name", "plan", "about"], rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use crate::plan;

    #[test]
    fn every_fault_that_is_listed_can_be_planned() {
        for fault in nemesis::catalogue::ALL {
            let text = format!(
                "about = \"x\"\n[lock]\nkind = \"fenced\"\n[topology]\nkind = \"replicas\"\npersistence = \"aof-always\"\n\
                 [[step]]\nname = \"s\"\nwhen = {{ at_ms = 1 }}\nfault = {}\n",
                fault.plan
            );
            let plan = plan::read("x", text).unwrap_or_else(|bad| panic!("{bad}"));
            assert_eq!(plan.steps[0].fault.kind(), fault.kind);
        }
    }

    #[test]
    fn every_fault_is_listed() {
        let text =
            "about = \"x\"\n[lock]\nkind = \"fenced\"\n[[step]]\nname = \"s\"\nwhen = { at_ms = 1 }\nfault = { nothing = 1 }\n";
        let bad = plan::read("x", text).expect_err("no such fault");
        let help = bad.problems[0].help.clone().unwrap_or_default();
        let known: Vec<&str> = help.split('`').skip(1).step_by(2).collect();
        assert_eq!(known, nemesis::catalogue::ALL.map(|fault| fault.kind));
    }
}
