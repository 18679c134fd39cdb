//! Clocks that are wrong and power that is lost, in simulation: what they do to nodes and clients, and that findings name them.

use checker::finding::{Finding, Kind};
use fencepost::plan::{self, Plan};
use fencepost::run::{Audience, Ran, Site, run};
use fencepost::scenario;
use fencepost::world::WorldKind;
use std::future::pending;

fn simulated(plan: &Plan) -> Ran {
    let site = Site { world: WorldKind::Sim, folder: None, client_program: None };
    let audience = Audience { history: None, progress: &mut |_| {} };
    run(site, plan, "a test", audience, pending()).expect("a simulation starts")
}

fn only(ran: Ran) -> Finding {
    match <[Finding; 1]>::try_from(ran.judgement.findings) {
        Ok([finding]) => finding,
        Err(findings) => panic!("{findings:#?}"),
    }
}

#[test]
fn two_holders_are_traced_to_the_clock_the_drift_and_the_power() {
    for (name, step) in [("clock-jump", "ntp"), ("clock-drift", "drift"), ("power-loss-everysec", "power")] {
        for name in [name.to_string(), format!("redlock-{name}")] {
            let finding = only(simulated(&scenario::find(&name).expect("a scenario").plan()));
            assert_eq!(finding.kind, Kind::TwoHolders);
            assert_eq!(finding.cause.and_then(|cause| cause.step).as_deref(), Some(step), "{name}");
        }
    }
}

/// The protection is the sync before the reply: with the same loss of power and the other policy the violation is there.
#[test]
fn it_is_the_sync_that_protects() {
    let scenario = scenario::find("power-loss-always").expect("a scenario");
    let text = scenario.text.replace("aof-always", "aof-everysec");
    let text = text.replace(
        r#"{ completed = { client = "c2", op = "acquire", outcome = "fail" } }"#,
        r#"{ completed = { client = "c2", op = "acquire" } }"#,
    );
    let unprotected = text.replace("[[client]]\nname = \"c1\"\n", "[[client]]\nname = \"c1\"\nstarts = { synced = \"n1\" }\n");
    assert_eq!(only(simulated(&plan::read("unprotected", &unprotected).expect("sound"))).kind, Kind::TwoHolders);
    // And it is the sync, not the policy: a key that is older than the last sync is kept.
    let synced = text.replace("when = { completed = { client = \"c1\", op = \"acquire\" } }", "when = { synced = \"n1\" }");
    let synced = synced.replace(
        "op = \"acquire\" } }\n\n[[client]]\nname = \"c2\"",
        "op = \"acquire\", outcome = \"fail\" } }\n\n[[client]]\nname = \"c2\"",
    );
    assert_eq!(simulated(&plan::read("synced", &synced).expect("sound")).judgement.findings, []);
}

#[test]
fn the_clock_of_a_client_drifts_too() {
    let text = scenario::find("getset-clock-skew").expect("a scenario").text;
    let drift = text.replace("{ clock = { of = \"c2\", jump_ms = 10000 } }", "{ drift = { of = \"c2\", rate = 500.0 } }");
    assert_ne!(drift, text);
    let ran = simulated(&plan::read("drift", &drift).expect("sound"));
    let finding = ran.judgement.findings.iter().find(|finding| finding.kind == Kind::TwoHolders).expect("a stolen lock");
    let cause = finding.cause.as_ref().expect("a cause");
    assert!(cause.text.starts_with("the clock of c2 went 500 times as fast as true time"), "{}", cause.text);
}

#[test]
fn a_second_drift_of_one_clock_is_not_injected() {
    let text = format!(
        "{}\n[[step]]\nname = \"again\"\nwhen = {{ step = {{ name = \"drift\", moment = \"begin\" }} }}\nfault = {{ drift = {{ of = \"n1\", rate = 2.0 }} }}\n",
        scenario::find("clock-drift").expect("a scenario").text
    );
    let ran = simulated(&plan::read("twice", &text).expect("sound"));
    let broken = &ran.judgement.broken[0];
    assert_eq!(
        (broken.name.as_str(), broken.sentence.contains("already goes 100 times")),
        ("fault-not-injected", true),
        "{broken:?}"
    );
}
