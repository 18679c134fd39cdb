//! Every lock that can be extended, held for three times its TTL: it is the extension that keeps it.

use checker::finding::Kind;
use fencepost::lock::facts::{self, Extension, Facts};
use fencepost::plan::{self, LockKind};
use fencepost::run::{Audience, Ran, Site, run};
use fencepost::world::WorldKind;
use std::future::pending;

fn held(lock: &Facts, more: &str) -> Ran {
    let topology = if lock.kind == LockKind::Redlock { "[topology]\nkind = \"independent\"\nnodes = 3\n" } else { "" };
    let watchdog = if lock.kind == LockKind::ReentrantWatchdog { "watchdog = \"none\"\n" } else { "" };
    let text = format!(
        "about = \"x\"\n[lock]\nkind = \"{}\"\nttl_ms = 300\n{watchdog}{topology}[resource]\nkind = \"redis\"\ncounter = true\n\
         [workload]\nhold_ms = [900, 900]\n{more}\n",
        lock.name
    );
    let plan = plan::read("a test", &text).unwrap_or_else(|bad| panic!("{bad}"));
    let site = Site { world: WorldKind::Sim, folder: None, client_program: None };
    let audience = Audience { history: None, progress: &mut |_| {} };
    run(site, &plan, "a test", audience, pending()).expect("a simulation starts")
}

#[test]
fn a_lease_that_is_extended_outlives_its_ttl_and_one_that_is_not_does_not() {
    for lock in facts::ALL.iter().filter(|lock| lock.extension != Extension::None) {
        let extended = held(lock, "extend_every_ms = 50").judgement;
        assert_eq!((&extended.findings, &extended.broken), (&vec![], &vec![]), "{}", lock.name);
        assert_eq!(extended.counts.contended, 1, "{}: the other waited", lock.name);
        let bare = held(lock, "").judgement;
        let found = bare.findings.iter().any(|finding| finding.kind == Kind::LostUpdate);
        assert!(found, "{}: {bare:#?}", lock.name);
    }
}
