//! Toxics, on real Redis by a real Toxiproxy, and in simulation where it has them: each does what it says, to the link that is named, and counts only if
//! it hit.

mod ran;

use checker::history::{Completion, Event, Moment, Op, Outcome, What};
use fencepost::plan::{self, Plan};
use fencepost::run::{Audience, RunError, Site, run};
use fencepost::world::{WorldError, WorldKind};
use ran::ran;
use std::future::pending;
use std::process::Command;

const MILLI: u64 = 1_000_000;

/// A lone client and one node, asked for no longer than 1 s, and a toxic on its link from its first try to its last.
fn lone(toxic: &str) -> Plan {
    plan(&format!(
        r#"
about = "The link of a lone client is poisoned."
[lock]
kind = "redlock"
ttl_ms = 3000
node_timeout_ms = 1000
[workload]
clients = 1
contention = false
[[step]]
name = "toxic"
when = {{ invoked = {{ client = "c1", op = "acquire" }} }}
fault = {{ toxic = {{ from = ["c1"], to = ["n1"], {toxic} }} }}
until = {{ completed = {{ client = "c1", op = "acquire" }} }}
"#
    ))
}

fn plan(text: &str) -> Plan {
    plan::read("toxic.toml", text).unwrap_or_else(|bad| panic!("{bad}"))
}

/// How each try of a client to acquire ended, and how long it took, until the first that was granted.
fn tries(events: &[Event], client: &str) -> Vec<(Outcome, u64)> {
    let mut begun = std::collections::BTreeMap::new();
    let mut tries = Vec::new();
    for event in events {
        match &event.what {
            What::Invoke { client: who, id, op: Op::Acquire { .. } } if who == client => drop(begun.insert(*id, event.at)),
            What::Done(Completion { id, outcome, .. }) if let Some(at) = begun.get(id) => tries.push((*outcome, event.at - at)),
            _ => {}
        }
    }
    let granted = tries.iter().position(|(outcome, _)| *outcome == Outcome::Ok).expect("it is granted in the end");
    tries.truncate(granted + 1);
    tries
}

/// What was said of a step at a moment.
fn said(events: &[Event], step: &str, moment: Moment) -> Option<String> {
    events.iter().find_map(|event| match &event.what {
        What::Fault(fault) if fault.step == step && fault.moment == moment => Some(fault.text.clone()),
        _ => None,
    })
}

const BOTH: [WorldKind; 2] = [WorldKind::Process, WorldKind::Sim];

#[test]
fn latency_makes_the_named_way_so_much_slower() {
    for world in BOTH {
        for (way, least, most) in [("there", 300, 550), ("back", 300, 550), ("both", 600, 900)] {
            let plan = lone(&format!(r#"way = "{way}", kind = "latency", latency_ms = 320, jitter_ms = 20"#));
            let Some((ran, events)) = ran(world, &plan) else { return };
            assert_eq!(
                (ran.judgement.findings.as_slice(), ran.judgement.broken.as_slice()),
                (&[][..], &[][..]),
                "{world:?} {way}"
            );
            let [(Outcome::Ok, took)] = tries(&events, "c1")[..] else { panic!("{world:?} {way}: {:?}", tries(&events, "c1")) };
            assert!((least * MILLI..most * MILLI).contains(&took), "{world:?} {way}: {took} ns");
        }
    }
}

#[test]
fn what_slows_by_size_slows_a_small_message_a_little() {
    // A SET of Redlock has about a hundred bytes.
    let toxics =
        [(r#"kind = "bandwidth", kb_per_s = 1"#, &BOTH[..]), (r#"kind = "slicer", bytes = 2, delay_ms = 2"#, &BOTH[..1])];
    for (toxic, worlds) in toxics {
        for world in worlds {
            let Some((ran, events)) = ran(*world, &lone(&format!(r#"way = "there", {toxic}"#))) else { return };
            assert_eq!(
                (ran.judgement.findings.as_slice(), ran.judgement.broken.as_slice()),
                (&[][..], &[][..]),
                "{world:?} {toxic}"
            );
            let [(Outcome::Ok, took)] = tries(&events, "c1")[..] else { panic!("{world:?} {toxic}: {:?}", tries(&events, "c1")) };
            assert!((60 * MILLI..900 * MILLI).contains(&took), "{world:?} {toxic}: {took} ns");
        }
    }
}

#[test]
fn what_loses_or_ends_a_connection_leaves_the_outcome_open() {
    let toxics = [
        (r#"kind = "timeout""#, &BOTH[..]),
        (r#"kind = "timeout", timeout_ms = 100"#, &BOTH[..1]),
        (r#"way = "back", kind = "timeout""#, &BOTH[..]),
        (r#"way = "there", kind = "reset-peer""#, &BOTH[..]),
        (r#"way = "back", kind = "reset-peer""#, &BOTH[..]),
        (r#"way = "there", kind = "reset-peer", timeout_ms = 50"#, &BOTH[..1]),
        (r#"way = "there", kind = "limit-data", bytes = 20"#, &BOTH[..1]),
        (r#"kind = "down""#, &BOTH[..]),
    ];
    for (toxic, worlds) in toxics {
        for world in worlds {
            let case = format!("{world:?} {toxic}");
            let mut plan = lone(toxic);
            // However the first try ends, the next is not poisoned.
            plan.steps[0].until = Some(nemesis::Trigger::Invoked(nemesis::OpPattern {
                client: "c1".into(),
                op: checker::history::OpKind::Acquire,
                outcome: None,
                nth: 1,
            }));
            let Some((ran, events)) = ran(*world, &plan) else { return };
            assert_eq!((ran.judgement.findings.as_slice(), ran.judgement.broken.as_slice()), (&[][..], &[][..]), "{case}");
            let tries = tries(&events, "c1");
            assert!(matches!(tries[..], [(Outcome::Info | Outcome::Fail, _), (Outcome::Ok, _)]), "{case}: {tries:?}");
            assert!(said(&events, "toxic", Moment::Verified).is_some(), "{case}");
        }
    }
}

#[test]
fn an_end_is_heard_of_later_and_only_where_one_comes() {
    let text = r#"
about = "A client crashes behind a link whose ends are heard of late."
[lock]
kind = "set-nx-px"
ttl_ms = 300
[[client]]
name = "c2"
starts = { step = { name = "crash", moment = "begin" } }
[[step]]
name = "toxic"
when = { completed = { client = "c1", op = "acquire" } }
fault = { toxic = { from = ["c1"], to = ["n1"], kind = "slow-close", delay_ms = 500 } }
[[step]]
name = "crash"
when = { step = { name = "toxic", moment = "begin" } }
fault = { crash = "c1" }
"#;
    let Some((crashed, events)) = ran(WorldKind::Process, &plan(text)) else { return };
    assert_eq!(crashed.judgement.broken, []);
    assert!(said(&events, "toxic", Moment::Verified).unwrap().contains("1 connection ended"), "{events:?}");
    let Some((idle, _)) = ran(WorldKind::Process, &lone(r#"kind = "slow-close", delay_ms = 500"#)) else { return };
    let [broken] = idle.judgement.broken.as_slice() else { panic!("{:?}", idle.judgement) };
    assert_eq!(broken.name, "fault-not-injected");
    assert!(broken.sentence.contains("not everything that was named met it (c1 to n1: "), "{}", broken.sentence);
}

#[test]
fn only_the_named_link_is_poisoned_and_finer_faults_work_on_it() {
    let text = r#"
about = "One client's link is slow, another's is not; and a reply on the slow one is lost."
[lock]
kind = "redlock"
ttl_ms = 3000
node_timeout_ms = 1000
[workload]
contention = false
[[client]]
name = "c2"
starts = { step = { name = "slow", moment = "begin" } }
[[step]]
name = "slow"
when = { invoked = { client = "c1", op = "acquire" } }
fault = { toxic = { from = ["c1"], to = ["n1"], way = "there", kind = "latency", latency_ms = 300 } }
[[step]]
name = "lost"
when = { invoked = { client = "c1", op = "acquire" } }
fault = { wire = { from = "c1", to = "n1", command = "SET", moment = "reply", occurrence = 1, verdict = "drop" } }
"#;
    for world in BOTH {
        let Some((ran, events)) = ran(world, &plan(text)) else { return };
        assert_eq!((ran.judgement.findings.as_slice(), ran.judgement.broken.as_slice()), (&[][..], &[][..]), "{world:?}");
        let (first, second) = (tries(&events, "c1"), tries(&events, "c2"));
        assert!(first[0].0 != Outcome::Ok && first[0].1 >= 1000 * MILLI, "{world:?}: its reply was lost: {first:?}");
        assert!(first.iter().any(|(outcome, took)| *outcome == Outcome::Ok && *took >= 300 * MILLI), "{world:?}: {first:?}");
        let granted = second.last().expect("it was granted").1;
        assert!(granted < 200 * MILLI, "{world:?}: {second:?}");
    }
}

#[test]
fn of_each_kind_and_way_there_is_one_a_link() {
    let mut plan = lone(r#"way = "back", kind = "latency", latency_ms = 200"#);
    let mut second = plan.steps[0].clone();
    second.name = "again".into();
    second.when =
        nemesis::Trigger::Step(nemesis::StepPattern { name: "toxic".into(), moment: nemesis::StepMoment::Begin, after_ms: 0 });
    plan.steps.push(second);
    let Some((ran, events)) = ran(WorldKind::Process, &plan) else { return };
    assert_eq!(ran.judgement.broken.len(), 1, "{:?}", ran.judgement.broken);
    let failed = said(&events, "again", Moment::Failed).expect("it is refused");
    assert!(failed.contains("another latency_downstream is there already"), "{failed}");
    assert!(said(&events, "toxic", Moment::End).is_some(), "the first is as it was");
}

#[test]
fn the_header_names_the_wire_and_the_evidence_is_read_back() {
    let plan = lone(r#"kind = "latency", latency_ms = 50"#);
    let Some((ran, events)) = ran(WorldKind::Process, &plan) else { return };
    assert!(ran.header.versions.contains_key("toxiproxy-server"), "{:?}", ran.header.versions);
    let verified = said(&events, "toxic", Moment::Verified).expect("it was seen to hit");
    assert!(verified.starts_with("c1 to n1: ") && verified.contains("the slowest answer after 1"), "{verified}");
    let ended = said(&events, "toxic", Moment::End).expect("it was seen to end");
    assert!(ended.starts_with("Toxiproxy says that it is gone; c1 to n1: "), "{ended}");
}

#[test]
fn what_is_not_simulated_is_refused_before_anything_starts() {
    let refused = |toxic: &str| {
        let audience = Audience { history: None, progress: &mut |_| {} };
        let site = Site { world: WorldKind::Sim, folder: None, client_program: None };
        match run(site, &lone(toxic), "a test", audience, pending()) {
            Err(RunError::World(WorldError::Impossible(why))) => why,
            other => panic!("{toxic}: {other:?}"),
        }
    };
    for toxic in [
        r#"kind = "slicer", bytes = 2"#,
        r#"kind = "limit-data", bytes = 2"#,
        r#"kind = "slow-close", delay_ms = 2"#,
        r#"kind = "timeout", timeout_ms = 2"#,
        r#"kind = "reset-peer", timeout_ms = 2"#,
    ] {
        let why = refused(toxic);
        assert!(why.starts_with("step `toxic`: the simulation has no `") && why.contains("--world process"), "{why}");
    }
}

#[test]
fn without_a_toxiproxy_it_is_said_what_to_do() {
    let bin = tempfile::tempdir().expect("a folder");
    let redis = Command::new("sh").args(["-c", "command -v redis-server"]).output().expect("a shell");
    let redis = String::from_utf8_lossy(&redis.stdout).trim().to_owned();
    if redis.is_empty() {
        assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "no redis-server on the PATH");
        return eprintln!("SKIPPED: there is no redis-server on the PATH");
    }
    std::os::unix::fs::symlink(redis, bin.path().join("redis-server")).expect("a link");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(["reproduce", "slow-link", "--world", "process"]).current_dir(bin.path()).env("PATH", bin.path());
    let output = command.env_remove("FENCEPOST_TOXIPROXY").output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(69), "{stderr}");
    let how = if cfg!(feature = "toxiproxy") { "go install" } else { "--features toxiproxy" };
    assert!(stderr.contains("the plan has toxics") && stderr.contains(how) && stderr.contains("--world sim"), "{stderr}");
    assert!(!bin.path().join("runs").exists(), "nothing was begun");
}
