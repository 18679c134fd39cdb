//! Every fault and every trigger, as a person picks one.

/// A fault or a trigger, described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Described {
    /// Its public name.
    pub kind: &'static str,
    /// How a plan says it, in TOML.
    pub plan: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
}

/// Every fault.
pub const ALL: [Described; 17] = [
    Described {
        kind: "pause",
        plan: r#"{ pause = "c1" }"#,
        about: "A client or node stops (SIGSTOP) until the step ends; nothing is lost.",
    },
    Described { kind: "crash", plan: r#"{ crash = "c1" }"#, about: "A client is killed (SIGKILL) and does not come back." },
    Described {
        kind: "kill",
        plan: r#"{ kill = { node = "n1", data = "lost" } }"#,
        about: "A node is killed (SIGKILL), and started again when the step ends, with what it wrote to its disk (`kept`) or without (`lost`).",
    },
    Described {
        kind: "restart",
        plan: r#"{ restart = { node = "n1", data = "lost" } }"#,
        about: "A node is killed (SIGKILL), or with `stop = \"clean\"` stopped (SIGTERM), and started again at once, with what it wrote to its disk (`kept`) or without (`lost`).",
    },
    Described {
        kind: "clock",
        plan: r#"{ clock = { of = "c1", jump_ms = 10000 } }"#,
        about: "The wall clock of a client or node jumps, and stays shifted until the step ends.",
    },
    Described {
        kind: "drift",
        plan: r#"{ drift = { of = "n1", rate = 2.0 } }"#,
        about: "The wall clock of a client or node goes faster or slower than true time until the step ends; then it is right again.",
    },
    Described {
        kind: "power",
        plan: r#"{ power = { node = "n1" } }"#,
        about: "A node loses its power: it is killed (SIGKILL), what its append-only file had not synced is gone, and it is started again when the step ends.",
    },
    Described {
        kind: "evict",
        plan: r#"{ evict = { node = "n1" } }"#,
        about: "A node runs out of memory (`maxmemory`, `allkeys-random`, a filler) until the keys of the plan's locks are evicted.",
    },
    Described {
        kind: "script-flush",
        plan: r#"{ script-flush = { node = "n1" } }"#,
        about: "A node forgets every script (SCRIPT FLUSH): the next EVALSHA is answered NOSCRIPT.",
    },
    Described {
        kind: "block",
        plan: r#"{ block = { node = "n1", for_ms = 800 } }"#,
        about: "A node's event loop is blocked, as by a long script: what is sent meanwhile is done afterwards, while keys expire; the step ends no sooner.",
    },
    Described {
        kind: "reset",
        plan: r#"{ reset = "c1" }"#,
        about: "Every connection of a client or node is reset, with what is under way on it.",
    },
    Described {
        kind: "wire",
        plan: r#"{ wire = { from = "c1", to = "n1", command = "SET", moment = "reply", occurrence = 1, verdict = "drop" } }"#,
        about: "Messages between clients and nodes are lost (`drop`, `reset`), late (`delay` with `delay_ms`), or under way until the step ends (`hold`).",
    },
    Described {
        kind: "partition",
        plan: r#"{ partition = { from = ["n1"], to = ["n2", "n3"], way = "both" } }"#,
        about: "Nothing that clients or nodes send each other arrives until the step ends: both ways, or only there or back.",
    },
    Described {
        kind: "toxic",
        plan: r#"{ toxic = { from = ["c1"], to = ["n1"], way = "both", kind = "latency", latency_ms = 300, jitter_ms = 50 } }"#,
        about: "A link is poisoned until the step ends, on real Redis by Toxiproxy: `latency`, `bandwidth`, `timeout`, `reset-peer`, `slow-close`, `slicer`, `limit-data` or `down`.",
    },
    Described {
        kind: "freeze-replication",
        plan: r#"{ freeze-replication = { node = "n2" } }"#,
        about: "What its master sends to a replica is under way until the step ends, and lost if the master dies before.",
    },
    Described {
        kind: "promote",
        plan: r#"{ promote = { node = "n2", told = ["c2"] } }"#,
        about: "A replica is made the master (REPLICAOF NO ONE), and the other replicas follow it; only the clients that are told reach it, everybody where `told` is absent.",
    },
    Described {
        kind: "failover",
        plan: r#"{ failover = { to = "n2" } }"#,
        about: "The master stops writes, waits until the replica has everything, and hands over to it (FAILOVER); every client is told.",
    },
];

/// Every trigger.
pub const TRIGGERS: [Described; 6] = [
    Described {
        kind: "invoked",
        plan: r#"{ invoked = { client = "c1", op = "acquire" } }"#,
        about: "A client is about to begin an operation; with `nth` the second, the third, …",
    },
    Described {
        kind: "completed",
        plan: r#"{ completed = { client = "c1", op = "acquire" } }"#,
        about: "A client's operation has completed, with `outcome = \"ok\"` unless another is named.",
    },
    Described {
        kind: "wire",
        plan: r#"{ wire = { client = "c1", command = "SET", moment = "reply" } }"#,
        about: "A command, or the reply to it, is on its way; it is held until the fault is in force.",
    },
    Described {
        kind: "step",
        plan: r#"{ step = { name = "gc", moment = "begin", after_ms = 100 } }"#,
        about: "Another step has begun or ended; with `after_ms` so long ago.",
    },
    Described {
        kind: "synced",
        plan: r#"{ synced = "n1" }"#,
        about: "A node with `aof-everysec` has synced its disk, and will not do so again for most of a second.",
    },
    Described { kind: "at_ms", plan: "{ at_ms = 100 }", about: "So many milliseconds have passed since the run began." },
];
