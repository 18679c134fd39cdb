//! A master with replicas, and links that carry nothing, the same in both worlds.

mod ran;

use checker::finding::Kind;
use checker::history::{Completion, Event, Op, Outcome, What};
use fencepost::plan::{self, Plan};
use fencepost::scenario;
use fencepost::world::WorldKind;
use ran::ran;

const BOTH: [WorldKind; 2] = [WorldKind::Sim, WorldKind::Process];

fn plan(text: &str) -> Plan {
    plan::read("plan.toml", text).unwrap_or_else(|bad| panic!("{bad}"))
}

/// How the tries of a client ended.
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
    outcomes
}

/// What was said of the faults.
fn told(events: &[Event], step: &str) -> Vec<String> {
    let texts = events.iter().filter_map(|event| match &event.what {
        What::Fault(fault) if fault.step == step => Some(fault.text.clone()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn a_client_that_is_cut_off_does_not_know_and_its_command_arrives_only_where_that_way_is_open() {
    for world in BOTH {
        for (way, arrives) in [("both", false), ("there", false), ("back", true)] {
            let plan = plan(&format!(
                "about = \"a test\"\nlock = {{ kind = \"set-nx-px\", ttl_ms = 600 }}\nworkload = {{ clients = 1, contention = false }}\n\
                 [[step]]\nname = \"cut\"\nwhen = {{ invoked = {{ client = \"c1\", op = \"acquire\" }} }}\n\
                 fault = {{ partition = {{ from = \"c1\", to = \"n1\", way = \"{way}\" }} }}\n\
                 until = {{ step = {{ name = \"cut\", moment = \"begin\", after_ms = 100 }} }}\n"
            ));
            let Some((ran, events)) = ran(world, &plan) else { return };
            let case = format!("{way}, {world:?}");
            assert_eq!((&ran.judgement.findings[..], &ran.judgement.broken[..]), (&[][..], &[][..]), "{case}");
            let tries = tries(&events, "c1");
            // It is told when the link is mended and its connection reset, long before it would give up by itself.
            assert_eq!((tries.first(), tries.last()), (Some(&Outcome::Info), Some(&Outcome::Ok)), "{case}");
            assert!(ran.took < 3_000_000_000, "{case}: {} ns", ran.took);
            let blocked = tries[1..].contains(&Outcome::Fail);
            assert_eq!(blocked, arrives, "{case}: its own key blocks only where it arrived: {tries:?}");
        }
    }
}

#[test]
fn a_partition_between_two_that_send_each_other_nothing_was_not_injected() {
    for world in BOTH {
        let plan = plan(
            "about = \"a test\"\nlock = { kind = \"set-nx-px\", ttl_ms = 5000 }\nworkload = { clients = 1, contention = false }\n\
             topology = { kind = \"replicas\", replicas = 2 }\n\
             [[step]]\nname = \"cut\"\nwhen = { invoked = { client = \"c1\", op = \"acquire\" } }\n\
             fault = { partition = { from = [\"n1\", \"n2\"], to = \"n3\" } }\n\
             until = { completed = { client = \"c1\", op = \"release\" } }\n",
        );
        let Some((ran, events)) = ran(world, &plan) else { return };
        let broken = ran.judgement.broken.iter().find(|broken| broken.name == "fault-not-injected").expect("nothing was hit");
        let said = &broken.sentence;
        assert!(said.contains("0 bytes between n2 and n3"), "{said}: {:?}", told(&events, "cut"));
        assert!(!said.contains("; 0 bytes between n1 and n3") && !said.contains(": 0 bytes between n1 and n3"), "{said}");
    }
}

#[test]
fn a_promotion_is_told_with_what_came_before_it_and_with_offsets() {
    for world in BOTH {
        let plan = scenario::find("failover-before-replication").expect("a scenario").plan();
        let Some((ran, events)) = ran(world, &plan) else { return };
        let [finding] = &ran.judgement.findings[..] else { panic!("{:#?}", ran.judgement) };
        let cause = finding.cause.as_ref().expect("a cause");
        assert_eq!(cause.step.as_deref(), Some("promotion"));
        for words in ["n1 was cut off from n2, n3", ", then n1 was killed", ", then n2 was promoted"] {
            assert!(cause.text.contains(words), "{}", cause.text);
        }
        let verified = &told(&events, "promotion")[1];
        for words in ["master, at offset ", "n1, whom it followed, cannot be asked", "n3 ", "told: everybody"] {
            assert!(verified.contains(words), "{verified}");
        }
    }
}

/// Redis documentation, Replication: the safety of replication when the master has persistence turned off.
#[test]
fn a_master_that_comes_back_empty_empties_its_replicas() {
    for world in BOTH {
        let plan = plan(
            "about = \"a test\"\nlock = { kind = \"set-nx-px\", ttl_ms = 5000 }\nworkload = { contention = false }\n\
             topology = { kind = \"replicas\", replicas = 1 }\n\
             [[client]]\nname = \"c1\"\nreleases = { completed = { client = \"c2\", op = \"acquire\" } }\n\
             [[client]]\nname = \"c2\"\nstarts = { step = { name = \"promotion\", moment = \"begin\" } }\n\
             [[step]]\nname = \"restart\"\nwhen = { completed = { client = \"c1\", op = \"acquire\" } }\n\
             fault = { restart = { node = \"n1\", data = \"lost\" } }\n\
             [[step]]\nname = \"promotion\"\nwhen = { step = { name = \"restart\", moment = \"begin\", after_ms = 2500 } }\n\
             fault = { promote = { node = \"n2\" } }\n",
        );
        let Some((ran, _)) = ran(world, &plan) else { return };
        assert_eq!(ran.judgement.broken, []);
        let kinds: Vec<Kind> = ran.judgement.findings.iter().map(|finding| finding.kind).collect();
        assert_eq!(kinds, [Kind::TwoHolders], "{world:?}");
    }
}

/// Whoever was the master is a replica when it is started again, takes what the new one has, and can be promoted in its turn.
#[test]
fn a_former_master_follows_its_successor_and_takes_over_again() {
    for world in BOTH {
        let text = scenario::find("graceful-failover").expect("a scenario").text;
        let there_and_back = text.replace(
            "[[step]]",
            "[[step]]\nname = \"back\"\nwhen = { step = { name = \"handover\", moment = \"begin\" } }\nfault = { failover = { to = \"n1\" } }\n\n[[step]]",
        );
        let there_and_back =
            there_and_back.replace("starts = { step = { name = \"handover\"", "starts = { step = { name = \"back\"");
        let Some((ran, events)) = ran(world, &plan(&there_and_back)) else { return };
        assert_eq!((&ran.judgement.findings[..], &ran.judgement.broken[..]), (&[][..], &[][..]), "{world:?}");
        assert_eq!(tries(&events, "c2").first(), Some(&Outcome::Fail), "{world:?}: the key went there and back");
    }
}

/// Who is the master is asked of the sentinels, and they name one that they have promoted themselves: no step of the plan did.
#[test]
fn sentinels_promote_by_themselves_and_the_cause_is_told_with_the_cut() {
    for world in BOTH {
        let plan = scenario::find("sentinel-failover").expect("a scenario").plan();
        let Some((ran, events)) = ran(world, &plan) else { return };
        let [finding] = &ran.judgement.findings[..] else { panic!("{:#?}", ran.judgement) };
        let cause = &finding.cause.as_ref().expect("a cause").text;
        assert!(cause.starts_with("n1 was cut off from n2, n3 at") && cause.contains(", then n1 was killed"), "{cause}");
        let tries = tries(&events, "c2");
        assert!(tries.contains(&Outcome::Fail), "{world:?}: between the death and the promotion everybody is refused: {tries:?}");
        assert!(ran.took < 15_000_000_000, "{world:?}: {} ns", ran.took);
    }
}

/// The promotion was over before anybody asked for the lock: it is the cause all the same, since one client still reaches the old master.
#[test]
fn a_zombie_master_is_traced_to_the_promotion_that_not_everybody_heard_of() {
    let plan = scenario::find("zombie-master").expect("a scenario").plan();
    let (ran, _) = ran(WorldKind::Sim, &plan).expect("a simulation starts");
    let finding = ran.judgement.findings.iter().find(|finding| finding.kind == Kind::TwoHolders).expect("two holders");
    let cause = &finding.cause.as_ref().expect("a cause").text;
    assert!(cause.starts_with("n1 was paused at") && cause.contains("n2 was promoted, and only c2 was told"), "{cause}");
}
