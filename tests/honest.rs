//! A run says of itself what it did not have: no fault that ended for want of anything else, no wait that was none, no lock that nobody ever had.

use checker::finding::{Judgement, Kind, Verdict};
use checker::history::jsonl::Reader;
use checker::history::{Event, Moment, Op, What};
use fencepost::plan::{self, Plan};
use fencepost::run::{Audience, Site, run};
use fencepost::world::WorldKind;
use std::future::pending;

/// A run in a world, and what it left.
struct Ran {
    judgement: Judgement,
    events: Vec<Event>,
}

fn plan(rest: &str) -> Plan {
    plan::read("plan.toml", format!("about = \"x\"\n{rest}")).unwrap_or_else(|bad| panic!("{bad}"))
}

fn ran(world: WorldKind, rest: &str) -> Ran {
    let client = [env!("CARGO_BIN_EXE_fencepost").to_string(), "client".to_string()];
    let site = Site { world, folder: None, client_program: Some(&client) };
    let mut history = Vec::new();
    let audience = Audience { history: Some(&mut history), progress: &mut |_| {} };
    let judgement = run(site, &plan(rest), "honest", audience, pending()).expect("it runs").judgement;
    let events = Reader::new(history.as_slice()).expect("a header").collect::<Result<_, _>>().expect("whole");
    Ran { judgement, events }
}

fn simulated(rest: &str) -> Ran {
    ran(WorldKind::Sim, rest)
}

/// Both worlds, the real one only where there is a Redis.
fn worlds() -> Vec<WorldKind> {
    if fencepost::cli::machine::on_path("redis-server").is_some() {
        return vec![WorldKind::Sim, WorldKind::Process];
    }
    eprintln!("SKIPPED on real Redis: there is no redis-server");
    assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "nothing may be skipped");
    vec![WorldKind::Sim]
}

impl Ran {
    fn broken(&self) -> Vec<&str> {
        self.judgement.broken.iter().map(|broken| broken.name.as_str()).collect()
    }

    fn kinds(&self) -> Vec<Kind> {
        self.judgement.findings.iter().map(|finding| finding.kind).collect()
    }

    /// When something first happened.
    fn at(&self, what: impl Fn(&What) -> bool) -> u64 {
        let found = self.events.iter().find(|event| what(&event.what));
        found.unwrap_or_else(|| panic!("it never happened: {:#?}", self.events)).at
    }

    fn fault(&self, name: &str, wanted: Moment) -> u64 {
        self.at(|what| matches!(what, What::Fault(fault) if fault.step == name && fault.moment == wanted))
    }

    fn invoked(&self, who: &str, wanted: fn(&Op) -> bool) -> u64 {
        self.at(|what| matches!(what, What::Invoke { client, op, .. } if client == who && wanted(op)))
    }

    fn answered(&self, who: &str, wanted: fn(&Op) -> bool) -> u64 {
        let id = self.events.iter().find_map(|event| match &event.what {
            What::Invoke { client, id, op } if client == who && wanted(op) => Some(*id),
            _ => None,
        });
        self.at(|what| matches!(what, What::Done(done) if Some(done.id) == id))
    }
}

fn is_release(op: &Op) -> bool {
    matches!(op, Op::Release { .. })
}

const ALONE: &str = "[lock]\nkind = \"set-nx-px\"\nttl_ms = 5000\n[workload]\nclients = 1\ncontention = false\n";

/// Two pauses of one member, of which the first ends long before the second.
fn twice(member: &str) -> String {
    format!(
        "{ALONE}
        [[step]]
        name = \"short\"
        when = {{ completed = {{ client = \"c1\", op = \"acquire\" }} }}
        fault = {{ pause = \"{member}\" }}
        until = {{ step = {{ name = \"long\", moment = \"begin\", after_ms = 100 }} }}
        [[step]]
        name = \"long\"
        when = {{ step = {{ name = \"short\", moment = \"begin\" }} }}
        fault = {{ pause = \"{member}\" }}
        until = {{ step = {{ name = \"long\", moment = \"begin\", after_ms = 600 }} }}
        "
    )
}

#[test]
fn a_client_that_two_steps_pause_goes_on_when_both_are_over() {
    for world in worlds() {
        let ran = ran(world, &twice("c1"));
        assert_eq!(ran.judgement.verdict, Verdict::Valid, "{:?}", ran.judgement);
        assert!(ran.invoked("c1", is_release) > ran.fault("long", Moment::End), "{world:?}");
    }
}

#[test]
fn a_node_that_two_steps_pause_goes_on_when_both_are_over() {
    for world in worlds() {
        let ran = ran(world, &twice("n1"));
        assert_eq!(ran.judgement.verdict, Verdict::Valid, "{:?}", ran.judgement);
        assert!(ran.answered("c1", is_release) > ran.fault("short", Moment::End) + 400_000_000, "{world:?}");
    }
}

#[test]
fn a_pause_that_a_crash_cuts_short_was_injected() {
    for world in worlds() {
        let ran = ran(
            world,
            "[lock]\nkind = \"set-nx-px\"\nttl_ms = 300\n[workload]\npatience_ms = 5000
            [[client]]
            name = \"c2\"
            starts = { step = { name = \"gc\", moment = \"begin\" } }
            [[step]]
            name = \"gc\"
            when = { completed = { client = \"c1\", op = \"acquire\" } }
            fault = { pause = \"c1\" }
            [[step]]
            name = \"oom\"
            when = { completed = { client = \"c2\", op = \"acquire\", outcome = \"fail\" } }
            fault = { crash = \"c1\" }",
        );
        assert_eq!((ran.judgement.verdict, ran.broken()), (Verdict::Valid, vec![]), "{world:?}");
        assert!(ran.fault("gc", Moment::End) >= ran.fault("oom", Moment::Begin));
    }
}

#[test]
fn a_pause_that_a_kill_cuts_short_was_injected() {
    for world in worlds() {
        let ran = ran(
            world,
            &format!(
                "{ALONE}
                [[step]]
                name = \"hang\"
                when = {{ completed = {{ client = \"c1\", op = \"acquire\" }} }}
                fault = {{ pause = \"n1\" }}
                [[step]]
                name = \"restart\"
                when = {{ step = {{ name = \"hang\", moment = \"begin\", after_ms = 50 }} }}
                fault = {{ restart = {{ node = \"n1\", data = \"lost\" }} }}"
            ),
        );
        assert_eq!(ran.broken(), Vec::<&str>::new(), "{world:?}");
    }
}

/// c1 is paused when it has the lock, until this.
fn paused_until(until: &str) -> Ran {
    simulated(&format!(
        "{ALONE}
        [[step]]
        name = \"gc\"
        when = {{ completed = {{ client = \"c1\", op = \"acquire\" }} }}
        fault = {{ pause = \"c1\" }}
        {until}"
    ))
}

#[test]
fn a_pause_that_ends_only_because_nothing_more_happens_proves_nothing() {
    let work = "[[client]]\nname = \"c2\"\nstarts = { completed = { client = \"c1\", op = \"acquire\" } }";
    let two = |until: &str| {
        simulated(&format!(
            "[lock]\nkind = \"set-nx-px\"\nttl_ms = 500\n{work}
            [[step]]
            name = \"gc\"
            when = {{ completed = {{ client = \"c1\", op = \"acquire\" }} }}
            fault = {{ pause = \"c1\" }}
            {until}"
        ))
    };
    for ran in
        [paused_until(""), two(""), two("until = { completed = { client = \"c2\", op = \"acquire\", outcome = \"info\" } }")]
    {
        assert_eq!((ran.judgement.verdict, ran.broken()), (Verdict::Assumptions, vec!["stalled"]), "{:?}", ran.judgement);
        assert!(ran.judgement.broken[0].sentence.contains("gc ended only because nothing more happened"));
    }
}

#[test]
fn a_fault_that_still_has_something_to_wait_for_is_not_ended_early() {
    let ran = simulated(&format!(
        "{ALONE}
        [[step]]
        name = \"gc\"
        when = {{ completed = {{ client = \"c1\", op = \"acquire\" }} }}
        fault = {{ pause = \"c1\" }}
        [[step]]
        name = \"ntp\"
        when = {{ step = {{ name = \"gc\", moment = \"begin\" }} }}
        fault = {{ clock = {{ of = \"n1\", jump_ms = -500 }} }}
        until = {{ completed = {{ client = \"c1\", op = \"release\" }} }}"
    ));
    assert!(ran.fault("ntp", Moment::End) > ran.answered("c1", is_release), "{:#?}", ran.events);
    assert_eq!(ran.broken(), ["stalled"]);
}

#[test]
fn a_fault_that_the_last_act_of_a_client_sets_off_hits_nobody() {
    for world in worlds() {
        for fault in ["{ pause = \"c1\" }", "{ clock = { of = \"c1\", jump_ms = 1000 } }"] {
            let ran = ran(
                world,
                &format!(
                    "[lock]\nkind = \"set-nx-px\"\nttl_ms = 500\n[workload]\ncontention = false
                    [[client]]
                    name = \"c2\"
                    starts = {{ completed = {{ client = \"c1\", op = \"acquire\" }} }}
                    cycles = 3
                    [[step]]
                    name = \"late\"
                    when = {{ completed = {{ client = \"c1\", op = \"release\" }} }}
                    fault = {fault}"
                ),
            );
            assert!(ran.broken().contains(&"fault-not-injected"), "{world:?}: {:?}", ran.judgement);
        }
    }
}

#[test]
fn a_node_without_scripts_has_none_to_forget() {
    for world in worlds() {
        let ran = ran(
            world,
            "[lock]\nkind = \"set-nx-px\"\nttl_ms = 500\n[workload]\ncontention = false
            [[step]]
            name = \"away\"
            when = { completed = { client = \"c1\", op = \"acquire\" } }
            fault = { restart = { node = \"n1\", data = \"lost\" } }
            [[step]]
            name = \"flush\"
            when = { step = { name = \"away\", moment = \"begin\" } }
            fault = { script-flush = { node = \"n1\" } }",
        );
        assert!(ran.broken().contains(&"fault-not-injected"), "{world:?}: {:?}", ran.judgement);
    }
}

#[test]
fn a_fault_that_hits_a_client_which_is_done_hits_nobody() {
    for fault in ["{ pause = \"c1\" }", "{ crash = \"c1\" }", "{ clock = { of = \"c1\", jump_ms = 1000 } }"] {
        let ran = simulated(&format!(
            "[lock]\nkind = \"set-nx-px\"\nttl_ms = 500\n[workload]\ncontention = false
            [[client]]
            name = \"c2\"
            releases = {{ step = {{ name = \"late\", moment = \"begin\" }} }}
            starts = {{ completed = {{ client = \"c1\", op = \"release\" }} }}
            [[step]]
            name = \"late\"
            when = {{ completed = {{ client = \"c2\", op = \"acquire\" }} }}
            fault = {fault}"
        ));
        assert!(ran.broken().contains(&"fault-not-injected"), "{:?}", ran.judgement);
        let sentences: Vec<&str> = ran.judgement.broken.iter().map(|broken| broken.sentence.as_str()).collect();
        assert!(sentences.iter().any(|sentence| sentence.contains("c1 had done all its work")), "{sentences:?}");
    }
}

#[test]
fn a_run_in_which_no_client_ever_had_a_lock_proves_nothing() {
    let crash = |client: &str| {
        format!(
            "[[step]]\nname = \"crash-{client}\"\nwhen = {{ invoked = {{ client = \"{client}\", op = \"acquire\" }} }}\n\
             fault = {{ crash = \"{client}\" }}\n"
        )
    };
    let lock = "[lock]\nkind = \"set-nx-px\"\nttl_ms = 500\n[workload]\ncontention = false\n";
    let ran = simulated(&format!("{lock}{}{}", crash("c1"), crash("c2")));
    assert_eq!((ran.judgement.verdict, ran.broken()), (Verdict::Assumptions, vec!["nothing-granted"]));
    let gone = ran.at(|what| matches!(what, What::Gone { client } if client == "c1"));
    let acts = ran.events.iter().filter(|event| matches!(&event.what, What::Invoke { client, .. } if client == "c1"));
    assert_eq!(acts.filter(|event| event.at > gone).count(), 0, "the dead do not act: {:#?}", ran.events);
}

#[test]
fn a_connection_that_fails_is_nobody_who_waits() {
    for world in worlds() {
        let ran = ran(
            world,
            "[lock]\nkind = \"set-nx-px\"\nttl_ms = 500
            [[client]]
            name = \"c2\"
            starts = { completed = { client = \"c1\", op = \"release\" } }
            [[step]]
            name = \"down\"
            when = { invoked = { client = \"c1\", op = \"acquire\" } }
            fault = { kill = { node = \"n1\", data = \"lost\" } }
            until = { step = { name = \"down\", moment = \"begin\", after_ms = 100 } }",
        );
        let refused = |what: &What| matches!(what, What::Done(done) if done.client == "c1" && done.error.is_some());
        ran.at(refused);
        assert_eq!((ran.judgement.counts.contended, ran.broken()), (0, vec!["no-contention"]), "{world:?}");
    }
}

#[test]
fn who_was_refused_and_gave_up_has_waited() {
    let ran = simulated(
        "[lock]\nkind = \"set-nx-px\"\nttl_ms = 5000\n[workload]\npatience_ms = 50
        [[client]]
        name = \"c1\"
        hold_ms = [300, 300]
        [[client]]
        name = \"c2\"
        starts = { completed = { client = \"c1\", op = \"acquire\" } }",
    );
    assert_eq!((ran.judgement.verdict, ran.broken()), (Verdict::Valid, vec![]));
    assert_eq!(ran.judgement.counts.contended, 1);
}

#[test]
fn a_stamp_that_has_expired_is_no_key_that_is_left() {
    for world in worlds() {
        let ran = ran(
            world,
            "[lock]\nkind = \"getset-timestamp\"\nttl_ms = 300\n[workload]\ncontention = false\npatience_ms = 5000
            [[client]]
            name = \"c2\"
            starts = { step = { name = \"crash\", moment = \"begin\" } }
            cycles = 2
            [[step]]
            name = \"crash\"
            when = { completed = { client = \"c1\", op = \"acquire\" } }
            fault = { crash = \"c1\" }
            [[step]]
            name = \"again\"
            when = { completed = { client = \"c2\", op = \"acquire\", nth = 2 } }
            fault = { crash = \"c2\" }",
        );
        assert_eq!((ran.kinds(), ran.broken()), (vec![], vec![]), "{world:?}");
        let ttl = ran.events.iter().find_map(|event| match &event.what {
            What::Observe(seen) => seen.keys.first()?.ttl_ms,
            _ => None,
        });
        assert!(ttl.is_some_and(|ttl| ttl <= 300), "{ttl:?}");
    }
}

#[test]
fn the_time_limit_holds_while_it_is_looked_what_is_left() {
    let ran = simulated(
        "time_limit_ms = 3000\n[lock]\nkind = \"setnx\"\nttl_ms = 60000\n[workload]\npatience_ms = 100\ncontention = false
        [[client]]
        name = \"c2\"
        starts = { step = { name = \"crash\", moment = \"begin\" } }
        [[step]]
        name = \"crash\"
        when = { completed = { client = \"c1\", op = \"acquire\" } }
        fault = { crash = \"c1\" }",
    );
    let took = ran.events.last().expect("an end").at - ran.events[0].at;
    assert!(took < 7_000_000_000, "{took}");
    assert!(ran.broken().contains(&"interrupted"), "{:?}", ran.broken());
}

/// A client that extends its lease goes on for ever by itself. Where nobody waits for its extensions, that counts for nothing: the run ends when all
/// others wait, and not at its time limit.
#[test]
fn who_extends_for_ever_while_it_waits_for_what_never_comes_is_let_go() {
    let ran = simulated(
        "time_limit_ms = 86400000\n[lock]\nkind = \"set-nx-px\"\nttl_ms = 300\n\
         [workload]\ncontention = false\nextend_every_ms = 100\n\
         [[client]]\nname = \"c1\"\nreleases = { completed = { client = \"c2\", op = \"acquire\", outcome = \"info\" } }\n\
         [[client]]\nname = \"c2\"\nstarts = { completed = { client = \"c1\", op = \"release\" } }\n",
    );
    assert_eq!((ran.judgement.verdict, ran.broken()), (Verdict::Assumptions, vec!["stalled", "stalled"]), "{:?}", ran.judgement);
    let ended = ran.events.last().expect("an end").at;
    assert!(ended < 5_000_000_000, "it waited {ended} ns");
}

/// … and where somebody waits for one of them, it is waited for.
#[test]
fn an_extension_that_somebody_waits_for_comes() {
    let ran = simulated(
        "[lock]\nkind = \"set-nx-px\"\nttl_ms = 300\n\
         [workload]\ncontention = false\nextend_every_ms = 100\n\
         [[client]]\nname = \"c1\"\nreleases = { completed = { client = \"c1\", op = \"extend\", nth = 90 } }\n\
         [[client]]\nname = \"c2\"\nstarts = { completed = { client = \"c1\", op = \"release\" } }\n",
    );
    assert_eq!((ran.judgement.verdict, ran.broken()), (Verdict::Valid, vec![]), "{:?}", ran.judgement);
}
