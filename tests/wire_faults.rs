//! A fault of the wire does the same in both worlds, and counts only if it hit.

mod ran;

use checker::history::{Completion, Event, Op, Outcome, What};
use fencepost::plan::{self, Plan};
use fencepost::world::WorldKind;
use nemesis::{Moment, WireVerdict};
use ran::ran;

/// A lone client and one node, asked for no longer than 300 ms.
const LONE: &str = r#"
about = "A message of a lone client meets a fault of the wire."

[lock]
kind = "redlock"
ttl_ms = 3000
node_timeout_ms = 300

[workload]
clients = 1
contention = false

[[step]]
name = "wire"
when = { invoked = { client = "c1", op = "acquire" } }
fault = { wire = { from = "c1", to = "n1", command = "SET", moment = "reply", occurrence = 1, verdict = "drop" } }
"#;

fn lone(moment: Moment, verdict: WireVerdict) -> Plan {
    let mut plan = plan::read("lone.toml", LONE).unwrap_or_else(|bad| panic!("{bad}"));
    let nemesis::Fault::Wire(fault) = &mut plan.steps[0].fault else { panic!("a fault of the wire") };
    (fault.moment, fault.verdict) = (moment, verdict);
    fault.delay_ms = (verdict == WireVerdict::Delay).then_some(900);
    plan
}

/// How the tries of a client ended, until the first that was granted.
fn tries(events: &[Event], client: &str) -> Vec<Outcome> {
    let mut acquires = Vec::new();
    let mut outcomes = Vec::new();
    for event in events {
        match &event.what {
            What::Invoke { client: who, id, op: Op::Acquire { .. } } if who == client => acquires.push(*id),
            What::Done(Completion { id, outcome, .. }) if acquires.contains(id) => outcomes.push(*outcome),
            _ => {}
        }
    }
    let granted = outcomes.iter().position(|outcome| *outcome == Outcome::Ok).expect("it is granted in the end");
    outcomes.truncate(granted + 1);
    outcomes
}

/// Whether the first look found a key.
fn first_seen(events: &[Event]) -> bool {
    let seen = events.iter().find_map(|event| match &event.what {
        What::Observe(seen) => Some(!seen.keys.is_empty()),
        _ => None,
    });
    seen.expect("somebody looked")
}

#[test]
fn each_verdict_does_the_same_in_both_worlds() {
    for world in [WorldKind::Sim, WorldKind::Process] {
        for verdict in [WireVerdict::Drop, WireVerdict::Delay, WireVerdict::Reset, WireVerdict::Hold] {
            for moment in [Moment::Request, Moment::Reply] {
                let plan = lone(moment, verdict);
                let Some((ran, events)) = ran(world, &plan) else { return };
                let case = format!("{verdict:?} of the {moment:?} in {world:?}");
                assert_eq!((ran.judgement.findings.as_slice(), ran.judgement.broken.as_slice()), (&[][..], &[][..]), "{case}");
                // A request that did not arrive may yet, for all that its client knows. Whoever was granted unheard deletes what was set.
                let first = if moment == Moment::Request { Outcome::Info } else { Outcome::Fail };
                assert_eq!(tries(&events, "c1"), [first, Outcome::Ok], "{case}");
                assert!(!first_seen(&events), "{case}: the first try left a key");
            }
        }
    }
}

#[test]
fn a_fault_that_hits_no_message_was_not_injected() {
    let mut plan = lone(Moment::Reply, WireVerdict::Drop);
    let nemesis::Fault::Wire(fault) = &mut plan.steps[0].fault else { panic!("a fault of the wire") };
    fault.command = Some("GETSET".into());
    for world in [WorldKind::Sim, WorldKind::Process] {
        let Some((ran, _)) = ran(world, &plan) else { return };
        let [broken] = ran.judgement.broken.as_slice() else { panic!("{:?}", ran.judgement) };
        assert_eq!(broken.name, "fault-not-injected");
        assert!(broken.sentence.contains("not every message that was meant came by (it hit messages by node: n1: 0)"));
    }
}

/// A lock without a timeout of its own waits as long as its client's connection does.
#[test]
fn a_reply_that_never_comes_is_waited_for_as_long_in_simulation_as_in_a_real_client() {
    let mut plan = lone(Moment::Reply, WireVerdict::Drop);
    plan.lock = fencepost::plan::LockSpec::bare(fencepost::plan::LockKind::SetNxPx, 3000);
    let (ran, events) = ran(WorldKind::Sim, &plan).expect("a simulation starts");
    assert_eq!(ran.judgement.broken, []);
    assert_eq!(tries(&events, "c1"), [Outcome::Info, Outcome::Ok]);
    assert!((5_000_000_000..6_000_000_000).contains(&ran.took), "{}", ran.took);
}

#[test]
fn votes_are_split_and_nobody_has_the_lock_and_then_somebody_has() {
    let plan = fencepost::scenario::find("redlock-split-votes").expect("it is there").plan();
    for seed in 0..20 {
        let (_, events) = ran(WorldKind::Sim, &Plan { seed, ..plan.clone() }).expect("a simulation starts");
        for client in ["c1", "c2", "c3"] {
            assert_ne!(tries(&events, client)[0], Outcome::Ok, "seed {seed}: {client} had the lock at once");
        }
    }
}

#[test]
fn a_minority_that_is_down_costs_each_try_no_more_than_two_timeouts() {
    let plan = fencepost::scenario::find("redlock-minority-down").expect("it is there").plan();
    let (_, events) = ran(WorldKind::Sim, &plan).expect("a simulation starts");
    let mut asked = std::collections::BTreeMap::new();
    let mut longest = 0;
    for event in &events {
        match &event.what {
            What::Invoke { id, op: Op::Acquire { .. }, .. } => drop(asked.insert(*id, event.at)),
            What::Done(Completion { id, .. }) if let Some(at) = asked.get(id) => longest = longest.max(event.at - at),
            _ => {}
        }
    }
    assert!((200_000_000..=401_000_000).contains(&longest), "{longest} ns, of a node timeout of 200 ms");
}
