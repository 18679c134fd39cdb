//! What must come out.

use super::Invalid;
use crate::plan::Plan;
use checker::finding::Kind;

pub(super) fn check(plan: &Plan) -> Vec<Invalid> {
    let mut found = Vec::new();
    let expect = &plan.expect;
    for (list, kinds) in [("find", &expect.find), ("allow", &expect.allow)] {
        for (i, kind) in kinds.iter().enumerate() {
            if kinds[..i].contains(kind) {
                found.push(Invalid::value(format!("expect.{list}[{i}]"), format!("`{kind}` is named twice")));
            }
            if needs_resource(*kind) && plan.resource.is_none() {
                found.push(
                    Invalid::value(format!("expect.{list}[{i}]"), format!("`{kind}` needs something that the lock protects"))
                        .help("add a `[resource]`"),
                );
            }
        }
    }
    for (i, kind) in expect.find.iter().enumerate() {
        if let Some((sentence, help)) = impossible(*kind, plan) {
            found.push(Invalid::value(format!("expect.find[{i}]"), format!("`{kind}` cannot be found: {sentence}")).help(help));
        }
    }
    for (i, kind) in expect.allow.iter().enumerate() {
        if expect.find.contains(kind) {
            found.push(
                Invalid::value(format!("expect.allow[{i}]"), format!("`{kind}` cannot be both required and merely allowed"))
                    .help("name it in `find` or in `allow`"),
            );
        }
    }
    if expect.rejected_stale_writes > 0 && !plan.resource.as_ref().is_some_and(|resource| resource.fenced) {
        found.push(
            Invalid::key("expect.rejected_stale_writes", "nothing can refuse a stale write here")
                .help("the resource needs `fenced = true`"),
        );
    }
    found
}

/// Why nothing that this plan does could be of the kind.
fn impossible(kind: Kind, plan: &Plan) -> Option<(&'static str, &'static str)> {
    match kind {
        Kind::OverLimit => Some(("a lock is held by one at a time", "say `two-holders`")),
        Kind::Oversold | Kind::NotConserved => {
            Some(("no resource is a stock or one of a group", "say `lost-update` or `stale-write`"))
        }
        Kind::NotLinearizable => Some(("the resource is one store, which no fault hits", "say `lost-update` or `stale-write`")),
        Kind::TokenOrder if !plan.lock.fences() => {
            Some(("this lock gives no fencing token", "use `kind = \"fenced\"` or `fence = \"storage\"` under `[lock]`"))
        }
        _ => None,
    }
}

fn needs_resource(kind: Kind) -> bool {
    matches!(kind, Kind::StaleWrite | Kind::LostUpdate | Kind::Oversold | Kind::NotConserved | Kind::NotLinearizable)
}
