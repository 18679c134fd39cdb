//! Plans that cannot be meant are refused with the place, the reason and a way out; and whatever stands in a plan, reading it never panics.

use fencepost::plan::{Plan, read};
use proptest::prelude::*;

const GOOD: &str = include_str!("../scenarios/gc-pause.toml");

/// The plan with one text in it replaced.
fn but(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    GOOD.replacen(from, to, 1)
}

fn complaint(text: &str) -> String {
    read("plan.toml", text).expect_err(text).to_string()
}

#[test]
fn the_first_scenario_is_sound() {
    read("gc-pause.toml", GOOD).unwrap_or_else(|bad| panic!("{bad}"));
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_plan() {
    assert_eq!(read("x", format!("\u{feff}{GOOD}")), read("x", GOOD));
    assert!(complaint("\u{feff}abuot = 1").starts_with("plan.toml:1:1: "));
}

#[test]
fn a_plan_written_out_is_the_same_plan() {
    let plan = read("gc-pause.toml", GOOD).expect("sound");
    let text = toml::to_string(&plan).expect("a plan is TOML");
    let again: Plan = read("written", &text).unwrap_or_else(|bad| panic!("{bad}"));
    assert_eq!(again, plan);
}

#[test]
fn what_does_not_fit_is_named() {
    let cases = [
        but("ttl_ms", "tll_ms"),
        but("\"set-nx-px\"", "\"set-nx-pz\""),
        but("ttl_ms = 500", "ttl_ms = \"500\""),
        but("ttl_ms = 500", "ttl_ms = -5"),
        but("kind = \"set-nx-px\"\n", ""),
        but("pause = \"c1\"", "paus = \"c1\""),
        but("{ pause = \"c1\" }", "{ pause = \"c1\", crash = \"c1\" }"),
        but("{ pause = \"c1\" }", "{ kill = { node = \"n1\" } }"),
        but("{ pause = \"c1\" }", "{ kill = { node = \"n1\", data = \"lost\", soon = 1 } }"),
        but("{ pause = \"c1\" }", "\"pause\""),
        but("\"lost-update\"", "\"lost-updat\""),
        but("op = \"read\"", "op = \"reed\""),
        but("{ pause = \"c1\" }\n", "{}\n"),
        but("fault = { pause = \"c1\" }\n", ""),
        but("[[step]]", "[step]"),
        but("[lock]", "[[lock]]"),
        but("[lock]", "[lock"),
        but("[resource]", "[workload]\nhold_ms = [1, 2, 3]\n[resource]"),
        but("[resource]", "[workload]\nhold_ms = 7\n[resource]"),
        but("completed = { client = \"c1\", op = \"read\" }", "at-ms = 4"),
        but("{ pause = \"c1\" }", "{ kill = \"n1\" }"),
        but("when = { completed = { client = \"c1\", op = \"read\" } }", "when = {}"),
        but("when = { completed = { client = \"c1\", op = \"read\" } }", "when = \"synced\""),
        String::new(),
    ];
    insta::assert_snapshot!(cases.map(|text| complaint(&text)).join("\n\n――――\n\n"));
}

#[test]
fn what_a_toxic_cannot_be_is_named() {
    let toxic = |toxic: &str| {
        but(
            "fault = { pause = \"c1\" }\nuntil = { completed = { client = \"c2\", op = \"write\" } }",
            &format!("fault = {{ toxic = {{ {toxic} }} }}"),
        )
    };
    let cases = [
        "from = [\"c9\"], to = [\"n1\"], kind = \"down\"",
        "from = [\"c1\"], to = [\"c2\"], kind = \"down\"",
        "from = [\"n1\"], to = [\"n1\"], kind = \"down\"",
        "from = [], to = [\"n1\"], kind = \"down\"",
        "from = [\"c1\"], to = [\"n1\"], way = \"there\", kind = \"down\"",
        "from = [\"c1\"], to = [\"n1\"], kind = \"latency\"",
        "from = [\"c1\"], to = [\"n1\"], kind = \"latency\", latency_ms = 10, jitter_ms = 20",
        "from = [\"c1\"], to = [\"n1\"], kind = \"latency\", latency_ms = 0",
        "from = [\"c1\"], to = [\"n1\"], kind = \"latency\", latency_ms = 99999999999",
        "from = [\"c1\"], to = [\"n1\"], kind = \"bandwidth\", kb_per_s = 1, latency_ms = 10",
        "from = [\"c1\"], to = [\"n1\"], kind = \"bandwidth\", kb_per_s = 4294967296",
        "from = [\"c1\"], to = [\"n1\"], kind = \"slicer\", bytes = 1, delay_ms = 5000",
        "from = [\"c1\"], to = [\"n1\"], kind = \"reset_peer\"",
        "from = [\"c1\"], to = [\"n1\"], kind = \"down\", toxicity = 0.5",
    ];
    let told = cases.map(|case| read("plan.toml", toxic(case)).expect_err(case).to_string());
    insta::assert_snapshot!(told.join("\n\n"));
}

#[test]
fn what_cannot_be_meant_is_named() {
    let lock = |more: &str| but("kind = \"set-nx-px\"", &format!("kind = \"set-nx-px\"\n{more}"));
    let work = |more: &str| but("[resource]", &format!("[workload]\n{more}\n[resource]"));
    let fault = |fault: &str| {
        but(
            "fault = { pause = \"c1\" }\nuntil = { completed = { client = \"c2\", op = \"write\" } }",
            &format!("fault = {fault}"),
        )
    };
    let when = |when: &str| but("when = { completed = { client = \"c1\", op = \"read\" } }", &format!("when = {when}"));
    let step = |more: &str| format!("{GOOD}\n[[step]]\nname = \"two\"\n{more}\n");
    let cases = [
        but("ttl_ms = 500", "ttl_ms = 0"),
        but("ttl_ms = 500", "ttl_ms = 18446744073709551615"),
        lock("repair = \"corrected\""),
        but("kind = \"set-nx-px\"", "kind = \"setnx\"\ndeadline = \"checked\""),
        but("kind = \"redis\"", "kind = \"redis\"\nfenced = true"),
        but("[lock]", "allow = [\"stale-write\", \"ownership\", \"ownership\"]\n[lock]"),
        but("[lock]", "rejected_stale_writes = 1\n[lock]"),
        but("[resource]\nkind = \"redis\"\n", ""),
        work("clients = 0"),
        work("locks = 0\ncycles = 0"),
        work("hold_ms = [20, 10]"),
        work("retry_ms = [0, 0]"),
        but("name = \"c2\"", "name = \"c9\""),
        but("starts = { completed = { client = \"c1\"", "starts = { completed = { client = \"c2\""),
        but("starts = { completed = { client = \"c1\"", "starts = { completed = { client = \"n1\""),
        when("{ completed = { client = \"cl1\", op = \"read\" } }"),
        when("{ completed = { client = \"c1\", op = \"check\", nth = 0 } }"),
        when("{ wire = { client = \"c1\", node = \"n2\", command = \"SET\", moment = \"reply\" } }"),
        when("{ step = { name = \"gcc\", moment = \"begin\" } }"),
        when("{ step = { name = \"gc\", moment = \"end\" } }"),
        when("{ at_ms = 30000 }"),
        fault("{ pause = \"store\" }"),
        fault("{ pause = \"probe\" }"),
        fault("{ pause = \"c11\" }"),
        fault("{ crash = \"n1\" }"),
        fault("{ restart = { node = \"c1\", data = \"lost\" } }"),
        fault("{ clock = { of = \"c1\", jump_ms = 0 } }"),
        fault("{ clock = { of = \"c1\", jump_ms = -9223372036854775808 } }"),
        fault("{ drift = { of = \"n1\", rate = 1.0 } }"),
        fault("{ drift = { of = \"n1\", rate = 0.0 } }"),
        fault("{ drift = { of = \"n1\", rate = -inf } }"),
        fault("{ drift = { of = \"n1\", rate = nan } }"),
        fault("{ drift = { of = \"n1\", rate = 1e300 } }"),
        fault("{ drift = { of = \"n1\", rate = 1.0001 } }"),
        fault("{ drift = { of = \"n2\", rate = 2.0 } }"),
        fault("{ power = { node = \"n1\" } }"),
        fault("{ power = { node = \"c1\" } }"),
        when("{ synced = \"n1\" }"),
        when("{ synced = \"c1\" }"),
        when("{ promoted = \"n2\" }"),
        when("{ promoted = \"n1\" }"),
        but("[resource]", "[topology]\npersistence = \"aof-always\"\n[resource]")
            .replace("when = { completed = { client = \"c1\", op = \"read\" } }", "when = { synced = \"n1\" }"),
        but("fault = { pause = \"c1\" }", "fault = { crash = \"c1\" }"),
        but("until = { completed = { client = \"c2\"", "until = { completed = { client = \"c1\""),
        step("when = { at_ms = 1 }\nfault = { crash = \"c2\" }").replace("\"two\"", "\"gc\""),
        step("when = { step = { name = \"gc\", moment = \"end\" } }\nfault = { crash = \"c2\" }").replace(
            "until = { completed = { client = \"c2\", op = \"write\" } }",
            "until = { step = { name = \"two\", moment = \"begin\" } }",
        ),
        fault("{ restart = { node = \"n1\", data = \"kept\" } }"),
        fault("{ kill = { node = \"n1\", data = \"kept\" } }"),
        when("{ invoked = { client = \"c1\", op = \"read\", outcome = \"ok\" } }"),
        when("{ completed = { client = \"c1\", op = \"acquire\", nth = 2 } }"),
        when("{ completed = { client = \"c1\", op = \"write\", nth = 2 } }"),
        step("when = { step = { name = \"gc\", moment = \"begin\", after_ms = 30000 } }\nfault = { crash = \"c2\" }"),
        step(
            "when = { at_ms = 1 }\nfault = { crash = \"c2\" }\n[[step]]\nname = \"three\"\nwhen = { step = { name = \"two\", moment = \"end\" } }\nfault = { pause = \"c1\" }",
        ),
        step(
            "when = { at_ms = 1 }\nfault = { pause = \"n1\" }\n[[step]]\nname = \"three\"\nwhen = { step = { name = \"two\", moment = \"end\" } }\nfault = { pause = \"c1\" }",
        ),
        but("\"lost-update\"", "\"over-limit\", \"oversold\", \"not-conserved\", \"not-linearizable\", \"token-order\""),
        format!("{GOOD}\n[[client]]\nname = \"c1\"\nstarts = {{ completed = {{ client = \"c2\", op = \"read\" }} }}\n"),
    ];
    insta::assert_snapshot!(cases.map(|text| complaint(&text)).join("\n\n――――\n\n"));
}

const QUORUM: &str = include_str!("../scenarios/redlock-bare-quorum-restart.toml");

/// What is said of the plan with one text in it replaced, without the lines that show the place.
fn quorum_but(from: &str, to: &str) -> String {
    assert!(QUORUM.contains(from), "{from}");
    complaint(&QUORUM.replacen(from, to, 1))
}

#[test]
fn what_a_topology_or_a_quorum_cannot_mean_is_named_with_its_line() {
    let cases = [
        ("nodes = 5", "nodes = 0", "with no node there is nothing to lock on"),
        ("nodes = 5", "nodes = 17", "17 nodes are more than one machine is asked to bear"),
        ("\"independent\"", "\"single\"", "a single node is one"),
        ("ttl_ms = 3000", "ttl_ms = 3000\nquorum = 6", "no grant can be on 6 nodes where there are 5 nodes"),
        ("ttl_ms = 3000", "ttl_ms = 3000\nquorum = 0", "a quorum of 0 nodes grants the lock to everybody"),
        ("node_timeout_ms = 500", "node_timeout_ms = 0", "no node answers within 0 ms"),
        ("ttl_ms = 3000", "ttl_ms = 3000\ndeadline = \"checked\"", "`redlock` measures its grants by a rule of its own"),
        ("\"redlock\"", "\"set-nx-px\"", "`set-nx-px` lives on one node, and these know nothing of each other"),
        ("\"redlock\"", "\"set-nx-px\"", "only `redlock` has an option `node_timeout_ms`"),
        ("node = \"n3\"", "node = \"n6\"", "there is no node `n6`"),
        ("\"n4\", \"n5\"", "\"n4\", \"n6\"", "there is no node `n6`"),
        ("[\"n4\", \"n5\"]", "\"n9\"", "there is no node `n9`"),
        ("[\"n4\", \"n5\"]", "\"c2\"", "`c2` is a client; its commands go to a node"),
        ("\"n4\", \"n5\"", "\"n4\", \"n4\"", "`n4` is named twice"),
        ("[\"n4\", \"n5\"]", "4", "a node's name, or a list of them"),
        ("from = \"c1\"", "from = \"n1\"", "`n1` is a node, not a client"),
        ("from = \"c1\"", "from = \"c3\"", "there is no client `c3`"),
        ("command = \"SET\"", "command = \" \"", "no command has an empty name"),
        ("occurrence = 1", "occurrence = 0", "there is no occurrence number 0"),
        ("\"reset\"", "\"delay\"", "a delay of how long?"),
        ("\"reset\"", "\"delay\", delay_ms = 0", "a delay of 0 ms does nothing"),
        ("\"reset\"", "\"drop\", delay_ms = 5", "only `verdict = \"delay\"` takes a time"),
        ("\"reset\"", "\"lose\"", "`lose` is nothing that `verdict` can be"),
    ];
    for (from, to, sentence) in cases {
        let complaint = quorum_but(from, to);
        let line = QUORUM.replacen(from, to, 1);
        assert!(complaint.contains(sentence), "{sentence}\n{complaint}");
        assert!(complaint.contains("plan.toml:") && complaint.contains('^'), "{complaint}\n{line}");
    }
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let text = but("ttl_ms = 500", "tll_ms = 500\nkint = 3")
        .replace("kind = \"set-nx-px\"", "kind = \"set-nx\"")
        .replace("op = \"read\"", "op = \"reed\"");
    insta::assert_snapshot!(complaint(&text));
}

#[test]
fn a_file_that_is_not_text_is_refused() {
    let bad = read("plan.toml", b"about = \"\xff\"\n").expect_err("not UTF-8");
    assert!(bad.to_string().starts_with("plan.toml:1:10: this is not UTF-8 text"), "{bad}");
}

/// Pieces that plans are made of, so that mutations reach past the TOML parser.
const PIECES: [&str; 22] = [
    "0",
    "-1",
    "18446744073709551615",
    "9223372036854775807",
    "\"\"",
    "\"c2\"",
    "\"n1\"",
    "\"store\"",
    "\"c1\"",
    "[]",
    "{}",
    "[[step]]",
    "[[client]]",
    "[lock]",
    "name = \"gc\"",
    "nth = 0",
    "at_ms",
    "true",
    "\"é\\u0000\"",
    "\n",
    "=",
    "{ step = { name = \"gc\", moment = \"end\" } }",
];

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read("x", bytes).map_err(|bad| bad.to_string());
    }

    #[test]
    fn mutated_plans_never_panic(edits in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..30, 0usize..PIECES.len()), 1..5)) {
        let mut text: Vec<char> = GOOD.chars().collect();
        for (at, cut, piece) in edits {
            let at = at.index(text.len().max(1)).min(text.len());
            let end = (at + cut).min(text.len());
            text.splice(at..end, PIECES[piece].chars());
        }
        let text: String = text.into_iter().collect();
        match read("x", &text) {
            Ok(plan) => prop_assert!(toml::to_string(&plan).is_ok()),
            Err(bad) => {
                prop_assert!(!bad.problems.is_empty());
                let lines = text.matches('\n').count() + 1;
                prop_assert!(bad.problems.iter().all(|p| (1..=lines).contains(&p.place.line)), "{}", bad);
            }
        }
    }

    /// A value replaced as a whole, so that most mutants are well-formed TOML.
    #[test]
    fn plans_with_another_value_never_panic(which in any::<prop::sample::Index>(), piece in 0usize..PIECES.len()) {
        let values: Vec<usize> = GOOD.match_indices("= ").map(|(at, _)| at + 2).collect();
        let at = values[which.index(values.len())];
        let end = GOOD[at..].find([',', '\n', '}']).map_or(GOOD.len(), |n| at + n);
        let text = format!("{}{}{}", &GOOD[..at], PIECES[piece], &GOOD[end..]);
        let _ = read("x", &text).map_err(|bad| bad.to_string());
    }
}

/// What leases, watchdogs and pressure cannot be: each with a part of what is said of it.
#[test]
fn what_an_extension_a_watchdog_or_pressure_cannot_mean_is_named_with_its_line() {
    let kind = |kind: &str, more: &str| but("kind = \"set-nx-px\"", &format!("kind = \"{kind}\"\n{more}"));
    let work = |more: &str| but("[resource]", &format!("[workload]\n{more}\n[resource]"));
    let c1 = |more: &str| format!("{GOOD}\n[[client]]\nname = \"c1\"\n{more}\n");
    let fault = |fault: &str| {
        but(
            "fault = { pause = \"c1\" }\nuntil = { completed = { client = \"c2\", op = \"write\" } }",
            &format!("fault = {fault}"),
        )
    };
    let cases = [
        (work("extend_every_ms = 0"), "a client that extends every 0 ms does nothing else"),
        (work("extend_every_ms = 86400001"), "longer than a day"),
        (work("extend_every_ms = 5").replace("\"set-nx-px\"", "\"setnx\""), "this lock has no lease to extend"),
        (c1("extends = { at_ms = 5 }").replace("\"set-nx-px\"", "\"getset-timestamp\""), "this lock has no lease to extend"),
        (
            c1("extends = { completed = { client = \"c1\", op = \"write\" } }"),
            "c1 waits for what it does only after the extension",
        ),
        (c1("writes = { completed = { client = \"c1\", op = \"release\" } }"), "c1 waits for what it does only after the write"),
        (c1("patience_ms = 86400001"), "longer than a day"),
        (c1("extends = { completed = { client = \"c3\", op = \"write\" } }"), "there is no client `c3`"),
        (c1("").replace("op = \"read\"", "op = \"extend\""), "this client never extends its lease"),
        (kind("set-nx-px", "extend = \"any\""), "a lock of one node has no quorum to extend on"),
        (kind("setnx", "extend = \"blind\""), "this lock has no lease to extend"),
        (kind("reentrant-watchdog", "extend = \"retake\""), "this lock never sets a key that is gone anew when it extends"),
        (kind("set-nx-px", "watchdog = \"telling\""), "only `reentrant-watchdog` has an option `watchdog`"),
        (kind("set-nx-px", "fence = \"counter\""), "only `reentrant-watchdog` counts fencing tokens by option"),
        (
            but("[resource]", "[topology]\nkind = \"replicas\"\npersistences = { n4 = \"aof-always\" }\n[resource]"),
            "there is no node `n4`",
        ),
        (kind("fenced", "fence = \"storage\""), "`fenced` counts fencing tokens of its own"),
        (
            kind("set-nx-px", "fence = \"storage\"").replace("[resource]\nkind = \"redis\"\n", ""),
            "there is no storage to draw fencing tokens from",
        ),
        (kind("fenced", "scripts = \"evalsha-only\""), "only `setnx`, `setnx-expire` and `set-nx-px` have an option `scripts`"),
        (
            kind("reentrant-watchdog", "").replace("kind = \"redis\"", "kind = \"redis\"\nfenced = true"),
            "this lock gives no fencing token",
        ),
        (work("depth = 2"), "a client that takes this lock again while it holds it waits for itself"),
        (work("depth = 0"), "a client that takes the lock no time at all never holds it"),
        (
            but("[resource]\nkind = \"redis\"\n", "").replace("starts =", "writes = { at_ms = 5 }\nstarts ="),
            "no client writes anything here",
        ),
        (fault("{ evict = { node = \"c1\" } }"), "`c1` is a client, and this is done to a node"),
        (fault("{ script-flush = { node = \"n2\" } }"), "there is no node `n2`"),
        (fault("{ block = { node = \"store\", for_ms = 500 } }"), "no fault may hit `store`"),
        (fault("{ block = { node = \"n1\", for_ms = 10 } }"), "so short a block cannot be told from a busy machine"),
        (
            fault("{ block = { node = \"n1\", for_ms = 60000 } }"),
            "longer than a client waits for its reply there is only silence",
        ),
        (fault("{ reset = \"n7\" }"), "there is no client or node `n7`"),
        (but("fault = { pause = \"c1\" }", "fault = { reset = \"c1\" }"), "a `reset` is over as soon as it is done"),
    ];
    for (text, sentence) in cases {
        let said = complaint(&text);
        assert!(said.contains(sentence) && said.contains("plan.toml:") && said.contains('^'), "{sentence}:\n{said}");
    }
}
const REPLICAS: &str = include_str!("../scenarios/failover-wait-checked.toml");

#[test]
fn what_replicas_cannot_do_is_named_with_its_line() {
    let cases = [
        ("replicas = 2\n", "replicas = 0\n", "with no replica there is nothing to fail over to"),
        ("replicas = 2\n", "replicas = 9\n", "9 replicas are more than one machine is asked to bear"),
        ("replicas = 2\n", "nodes = 2\n", "a master with replicas counts these"),
        ("replicas = 2\n", "min_replicas_to_write = 3\n", "3 replicas cannot acknowledge where there are 2"),
        ("replicas = 2\n", "min_replicas_to_write = 0\n", "no replica is asked for"),
        ("kind = \"replicas\"\nreplicas = 2", "kind = \"single\"\nreplicas = 2", "there are no replicas here"),
        ("kind = \"replicas\"\nreplicas = 2", "kind = \"single\"", "there are no replicas here that could acknowledge anything"),
        ("kind = \"replicas\"\nreplicas = 2", "kind = \"single\"", "no node has a replica here"),
        ("\"set-nx-px\"", "\"redlock\"", "`redlock` asks for masters that know nothing of each other"),
        ("\"set-nx-px\"", "\"setnx-expire\"", "`setnx-expire` is not taken by one SET on one node"),
        ("{ replicas = 1,", "{ replicas = 3,", "3 replicas cannot acknowledge where there are 2"),
        ("timeout_ms = 100", "timeout_ms = 0", "a WAIT of 0 ms waits for ever"),
        ("timeout_ms = 100", "timeout_ms = 60000", "a client waits no longer than 5 s for any reply"),
        ("\"checked\"", "\"chequed\"", "`chequed` is nothing that `reply` can be"),
        ("promote = { node = \"n2\" }", "promote = { node = \"n4\" }", "there is no replica `n4`"),
        ("promote = { node = \"n2\" }", "promote = { node = \"n1\" }", "`n1` is the master"),
        ("promote = { node = \"n2\" }", "promote = { node = \"c1\" }", "`c1` is a client, not a replica"),
        ("promote = { node = \"n2\" }", "promote = { node = \"n2\", told = [\"c3\"] }", "there is no client `c3`"),
        ("promote = { node = \"n2\" }", "failover = { to = \"n7\" }", "there is no replica `n7`"),
        ("promote = { node = \"n2\" }", "freeze-replication = { node = \"n1\" }", "`n1` is the master"),
        ("to = [\"n2\", \"n3\"]", "to = [\"n2\", \"n5\"]", "there is no client or node `n5`"),
        ("to = [\"n2\", \"n3\"]", "to = [\"n2\", \"n2\"]", "`n2` is named twice"),
        ("to = [\"n2\", \"n3\"]", "to = [\"n1\"]", "`n1` cannot be cut off from itself"),
        ("to = [\"n2\", \"n3\"]", "to = []", "nobody is on this side"),
        ("from = [\"n1\"], to = [\"n2\", \"n3\"]", "from = [\"c1\"], to = [\"c2\"]", "clients send each other nothing"),
        ("to = [\"n2\", \"n3\"]", "to = [\"n2\"], way = \"up\"", "`up` is nothing that `way` can be"),
    ];
    let sentinel = |more: &str| format!("kind = \"sentinel\"\nreplicas = 2{more}");
    let watched = [
        (sentinel(""), "sentinels promote a replica by themselves, and would undo this"),
        (sentinel("\nsentinels = 0"), "with no sentinel nobody is ever promoted"),
        (sentinel("\nsentinels = 9"), "9 sentinels are more than one machine is asked to bear"),
        ("kind = \"replicas\"\nsentinels = 3".into(), "nobody watches the master here"),
    ];
    let watched = watched.iter().map(|(to, sentence)| ("kind = \"replicas\"\nreplicas = 2", to.as_str(), *sentence));
    for (from, to, sentence) in cases.into_iter().chain(watched) {
        assert!(REPLICAS.contains(from), "{from}");
        let text = REPLICAS.replacen(from, to, 1);
        let said = complaint(&text);
        assert!(said.contains(sentence), "{to}:\n{said}");
        assert!(said.contains("plan.toml:"), "no line is named:\n{said}");
    }
}

/// What was the master at first can be promoted again once another was.
#[test]
fn a_former_master_is_a_replica() {
    let back = "\n[[step]]\nname = \"back\"\nwhen = { step = { name = \"promotion\", moment = \"begin\", after_ms = 900 } }\nfault = { failover = { to = \"n1\" } }\n";
    read("plan.toml", format!("{REPLICAS}{back}")).unwrap_or_else(|bad| panic!("{bad}"));
}
