//! What a simulated node does that no server in a conformance test can be made to do: dying, losing power, jumping in time.

use fencepost::plan::Persistence;
use fencepost::world::sim::redis::{Disconnected, Imitates, Node, NodeConfig, Session};
use nemesis::Data;
use redis::Value;

/// A node and one connection to it.
struct Client {
    node: Node,
    session: Session,
}

impl Client {
    fn of(config: NodeConfig) -> Self {
        let mut node = Node::new(config);
        let session = node.open().expect("a new node is up");
        Client { node, session }
    }

    fn with(persistence: Persistence) -> Self {
        Client::of(NodeConfig { persistence, ..NodeConfig::default() })
    }

    /// Sends a command whose words are parted by `|`.
    fn send(&mut self, now: u64, command: &str) -> Value {
        let args: Vec<&[u8]> = command.split('|').map(str::as_bytes).collect();
        self.node.execute(&mut self.session, &args, now).expect("the node is up")
    }

    fn start(&mut self, data: Data) {
        self.node.start(data);
        self.session = self.node.open().expect("a started node is up");
    }
}

fn text(text: &str) -> Value {
    Value::BulkString(text.as_bytes().to_vec())
}

#[test]
fn a_kill_loses_what_was_never_written_to_the_disk() {
    for (persistence, kept) in
        [(Persistence::None, Value::Nil), (Persistence::AofEverysec, text("c1")), (Persistence::AofAlways, text("c1"))]
    {
        let mut client = Client::with(persistence);
        client.send(0, "SET|lock|c1|PX|500");
        client.node.kill();
        client.start(Data::Kept);
        assert_eq!(client.send(500, "GET|lock"), kept, "{persistence:?}");
        assert_eq!(client.send(501, "GET|lock"), Value::Nil, "expiry is absolute: {persistence:?}");
    }
}

#[test]
fn a_lost_disk_is_empty() {
    let mut client = Client::with(Persistence::AofAlways);
    client.send(0, "SET|lock|c1");
    client.node.kill();
    client.start(Data::Lost);
    assert_eq!(client.send(0, "DBSIZE"), Value::Int(0));
}

#[test]
fn a_power_loss_takes_back_what_was_not_synced() {
    for (persistence, old, new) in [
        (Persistence::None, Value::Nil, Value::Nil),
        (Persistence::AofEverysec, text("synced"), Value::Nil),
        (Persistence::AofAlways, text("changed"), text("c1")),
    ] {
        let mut client = Client::with(persistence);
        client.send(0, "SET|old|synced|PX|500");
        client.send(0, "HSET|hash|f|1");
        client.send(0, "SET|deleted|d");
        client.node.synced();
        for command in ["SET|old|changed", "SET|old|changed", "HSET|hash|f|2", "DEL|deleted", "SET|lock|c1"] {
            client.send(0, command);
        }
        client.node.lose_power();
        client.start(Data::Kept);
        assert_eq!(client.send(0, "GET|old"), old, "{persistence:?}");
        assert_eq!(client.send(0, "GET|lock"), new, "{persistence:?}");
        if persistence == Persistence::AofEverysec {
            assert_eq!(client.send(0, "PTTL|old"), Value::Int(500));
            assert_eq!(client.send(0, "HGET|hash|f"), text("1"));
            assert_eq!(client.send(0, "GET|deleted"), text("d"));
        }
    }
}

#[test]
fn a_flush_is_taken_back_too() {
    let mut client = Client::with(Persistence::AofEverysec);
    client.send(0, "SET|a|1");
    client.node.synced();
    client.send(0, "FLUSHALL");
    client.send(0, "SET|b|2");
    client.node.lose_power();
    client.start(Data::Kept);
    assert_eq!(client.send(0, "KEYS|*"), Value::Array(vec![text("a")]));
}

#[test]
fn connections_scripts_and_watches_die_with_the_server() {
    let mut client = Client::with(Persistence::AofAlways);
    let Value::BulkString(sha) = client.send(0, "SCRIPT|LOAD|return 1") else { panic!("a digest") };
    let evalsha = format!("EVALSHA|{}|0", String::from_utf8_lossy(&sha));
    assert_eq!(client.send(0, &evalsha), Value::Int(1));
    client.send(0, "WATCH|lock");
    client.send(0, "MULTI");
    client.node.kill();
    assert!(!client.node.is_up());
    assert_eq!(client.node.open().err(), Some(Disconnected::Down));
    assert_eq!(client.node.execute(&mut client.session, &[b"PING"], 0), Err(Disconnected::Down));
    client.node.start(Data::Kept);
    assert_eq!(client.node.execute(&mut client.session, &[b"PING"], 0), Err(Disconnected::Reset));
    client.session = client.node.open().expect("it is up again");
    let Value::ServerError(error) = client.send(0, &evalsha) else { panic!("an error") };
    assert_eq!(error.code(), "NOSCRIPT");
    assert_eq!(client.send(0, "PING"), Value::SimpleString("PONG".into()), "no transaction is open");
}

#[test]
fn a_closed_connection_watches_nothing() {
    let mut client = Client::with(Persistence::None);
    client.send(0, "WATCH|lock");
    let closed = std::mem::replace(&mut client.session, client.node.open().expect("it is up"));
    client.node.close(closed);
    client.send(0, "SET|lock|c1");
    client.send(0, "MULTI");
    assert_eq!(client.send(0, "EXEC"), Value::Array(Vec::new()));
}

#[test]
fn a_clock_that_jumps_forward_expires_keys_and_one_set_back_keeps_them() {
    let mut client = Client::with(Persistence::None);
    client.send(100_000, "SET|lock|c1|PX|2000");
    assert_eq!(client.send(70_000, "PTTL|lock"), Value::Int(32_000), "set back by 30 s");
    assert_eq!(client.send(130_000, "GET|lock"), Value::Nil, "set forward by 30 s");
    assert_eq!(client.send(100_000, "GET|lock"), Value::Nil, "what was deleted stays deleted");
    client.send(100_000, "SET|lock|c1|PX|2000");
    client.node.sweep(130_000);
    assert_eq!(client.send(100_000, "GET|lock"), Value::Nil, "swept in the background");
}

#[test]
fn a_look_changes_nothing() {
    let mut client = Client::with(Persistence::None);
    client.send(0, "SET|gone|x|PX|5");
    client.send(0, "SET|lock|c1|PX|500");
    client.send(0, "WATCH|gone");
    let seen: Vec<_> =
        client.node.look(10).map(|seen| (seen.key.to_vec(), seen.string.map(<[u8]>::to_vec), seen.ttl_ms)).collect();
    assert_eq!(seen, [(b"lock".to_vec(), Some(b"c1".to_vec()), Some(490))]);
    assert_eq!(client.send(10, "DBSIZE"), Value::Int(2), "the expired key was not touched");
    client.node.kill();
    assert_eq!(client.node.look(10).count(), 0, "nobody can look at a dead node");
}

#[test]
fn a_script_that_does_not_end_is_cut_short_and_cannot_help_it() {
    let mut client = Client::with(Persistence::None);
    for endless in [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "while true do xpcall(function() while true do end end, function() end) end",
        "local f f = coroutine.wrap(function() while true do end end) while true do pcall(f) end",
        "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
        "local hoard = {} while true do hoard[#hoard + 1] = ('x'):rep(10000) .. #hoard end",
    ] {
        let reply = client.send(0, &format!("EVAL|redis.call('incr', 'n') {endless}|0"));
        let Value::ServerError(error) = reply else { panic!("{endless}: {reply:?}") };
        assert!(error.details().unwrap_or_default().contains("cut short"), "{endless}: {error}");
    }
    assert_eq!(client.send(0, "GET|n"), text("6"), "the node has its memory back");
    assert_eq!(client.send(0, "EVAL|return 1|0"), Value::Int(1));
}

#[test]
fn what_a_script_did_to_lua_is_not_seen_by_the_next() {
    let mut first = Client::with(Persistence::None);
    for spoiling in [
        "x = 1",
        "_G.x = 1",
        "rawset(_G, 'x', 1)",
        "string.rep = nil",
        "redis.call = nil",
        "setmetatable(_G, {})",
        "getmetatable('').__index.rep = nil",
        "getmetatable('').__index = nil",
        "getmetatable(_G).__index = {}",
        "loadstring('x = 1')()",
        "setfenv(1, {})",
    ] {
        let reply = first.send(0, &format!("EVAL|{spoiling}|0"));
        assert!(matches!(reply, Value::ServerError(_)), "{spoiling}: {reply:?}");
    }
    let mut second = Client::with(Persistence::None);
    let intact = "EVAL|return {rawget(_G, 'x') == nil, ('ab'):rep(2), string.rep('c', 2), redis.call('ping')}|0";
    let wanted = vec![Value::Int(1), text("abab"), text("cc"), Value::SimpleString("PONG".into())];
    assert_eq!(second.send(0, intact), Value::Array(wanted));
}

#[test]
fn scripts_run_alike_in_every_run() {
    let drawn = |mut client: Client| client.send(7, "EVAL|return {tostring(math.random()), redis.call('time')[2], gcinfo()}|0");
    let first = drawn(Client::with(Persistence::None));
    assert_eq!(first, drawn(Client::with(Persistence::None)));
}

#[test]
fn each_server_has_its_own_compare_and_delete() {
    for (imitates, has, has_not) in [
        (Imitates::Redis84, "DELEX|lock|IFEQ|c1", "DELIFEQ|lock|c1"),
        (Imitates::Valkey9, "DELIFEQ|lock|c1", "DELEX|lock|IFEQ|c1"),
    ] {
        let mut client = Client::of(NodeConfig { imitates, ..NodeConfig::default() });
        client.send(0, "SET|lock|c2");
        assert_eq!(client.send(0, has), Value::Int(0), "another's lock stays");
        client.send(0, "SET|lock|c1");
        assert_eq!(client.send(0, has), Value::Int(1));
        assert_eq!(client.send(0, has), Value::Int(0), "nothing is there any more");
        assert!(matches!(client.send(0, has_not), Value::ServerError(_)));
        client.send(0, "HSET|lock|f|v");
        assert!(matches!(client.send(0, has), Value::ServerError(_)), "not a string");
    }
    let mut client = Client::of(NodeConfig { imitates: Imitates::Redis84, ..NodeConfig::default() });
    client.send(0, "SET|lock|c1");
    assert_eq!(client.send(0, "DELEX|lock|IFNE|c1"), Value::Int(0));
    assert_eq!(client.send(0, "DELEX|lock|IFNE|c2"), Value::Int(1));
    client.send(0, "HSET|lock|f|v");
    assert_eq!(client.send(0, "DELEX|lock"), Value::Int(1), "without a condition, any type");
}

#[test]
fn a_packed_command_is_a_command() {
    let mut client = Client::with(Persistence::None);
    let mut cmd = redis::cmd("SET");
    cmd.arg("lock").arg("c1").arg("NX").arg("PX").arg(500);
    assert_eq!(client.node.execute_cmd(&mut client.session, &cmd, 0), Ok(Value::Okay));
    let mut many = redis::cmd("MGET");
    many.arg(&["lock"; 40]);
    assert_eq!(client.node.execute_cmd(&mut client.session, &many, 0), Ok(Value::Array(vec![text("c1"); 40])));
    assert!(matches!(client.node.execute(&mut client.session, &[], 0), Ok(Value::ServerError(_))));
}
