//! Pressure and failing watchdogs, in simulation: that findings name what was done, and that pressure which could not be applied proves nothing.

use fencepost::plan;
use fencepost::run::{Audience, Ran, Site, run};
use fencepost::scenario;
use fencepost::world::WorldKind;
use std::future::pending;

fn simulated(text: &str) -> Ran {
    let plan = plan::read("a test", text).unwrap_or_else(|bad| panic!("{bad}"));
    let site = Site { world: WorldKind::Sim, folder: None, client_program: None };
    let audience = Audience { history: None, progress: &mut |_| {} };
    run(site, &plan, "a test", audience, pending()).expect("a simulation starts")
}

fn text(name: &str) -> &'static str {
    scenario::find(name).expect("a scenario").text
}

#[test]
fn each_finding_names_the_step_that_caused_it() {
    for (name, step) in [
        ("eviction", "memory"),
        ("blocked-event-loop", "busy"),
        ("script-flush-evalsha-only", "flush"),
        ("watchdog-pause", "gc"),
        ("watchdog-partition", "cut"),
        ("watchdog-one-error", "lost"),
        ("watchdog-outlives-unlock", "lost"),
        ("extend-after-expiry", "gc"),
    ] {
        let findings = simulated(text(name)).judgement.findings;
        assert!(!findings.is_empty(), "{name}");
        for finding in findings {
            let cause = finding.cause.as_ref().and_then(|cause| cause.step.as_deref());
            assert_eq!(cause, Some(step), "{name}: {}", finding.sentence);
        }
    }
}

#[test]
fn pressure_that_presses_nothing_breaks_the_assumptions() {
    let early = text("eviction").replace("completed = { client = \"c1\", op = \"acquire\" } }\nfault", "at_ms = 0 }\nfault");
    assert_ne!(early, text("eviction"));
    // Nobody has had the lock yet, so there is no key that could be evicted, and c2 waits in vain for the step.
    let ran = simulated(&early);
    let broken: Vec<&str> = ran.judgement.broken.iter().map(|broken| broken.name.as_str()).collect();
    assert!(broken.contains(&"fault-not-injected"), "{broken:?}");
}

#[test]
fn a_node_that_is_blocked_twice_is_blocked_once() {
    let again = format!(
        "{}\n[[step]]\nname = \"again\"\nwhen = {{ step = {{ name = \"busy\", moment = \"begin\", after_ms = 100 }} }}\nfault = {{ block = {{ node = \"n3\", for_ms = 500 }} }}\n",
        text("blocked-event-loop")
    );
    let ran = simulated(&again);
    let broken = ran.judgement.broken.iter().find(|broken| broken.name == "fault-not-injected").expect("the second is not");
    assert!(broken.sentence.contains("n3 is blocked already"), "{}", broken.sentence);
}
