//! `fencepost client`, driven over its pipes as a world drives it.

mod support;

use fencepost::client::protocol::{Request, Said};
use fencepost::client::{Answer, Ask, Do, Told};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Lines, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use support::server::server_or_skip;
use support::{KEY, no, ok};

struct Client {
    child: Child,
    asks: Option<ChildStdin>,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Client {
    fn start(lock: &str, node: SocketAddr, more: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
        command.args(["client", "--name", "c1", "--lock", lock, "--node", &node.to_string()]);
        command.args(["--bind", "127.0.0.77", "--seed", "7"]).args(more);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let asks = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().unwrap()).lines();
        Client { child, asks, answers }
    }

    fn ready(mut self) -> Self {
        assert_eq!(self.hears(), Said::Ready("c1".into()));
        self
    }

    fn is_told(&mut self, line: &str) {
        writeln!(self.asks.as_mut().unwrap(), "{line}").unwrap();
    }

    fn is_asked(&mut self, id: u64, what: Do) {
        self.is_told(&Ask { id, what }.to_line());
    }

    fn hears(&mut self) -> Said {
        Said::from_line(&self.answers.next().unwrap().unwrap()).unwrap()
    }

    fn answers(&mut self, id: u64, what: Do) -> Answer {
        self.is_asked(id, what);
        match self.hears() {
            Said::Answer(of, answer) if of == id => answer,
            other => panic!("{other:?}"),
        }
    }

    fn acquire(&mut self, id: u64) -> Answer {
        self.answers(id, Do::Acquire { lock: KEY.into(), ttl_ms: 60_000 })
    }

    fn code(mut self) -> i32 {
        drop(self.asks.take());
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const SET_NX_PX: &str = r#"{"kind":"set-nx-px","ttl_ms":500}"#;

#[test]
fn it_locks_writes_releases_and_ends_with_its_input() {
    let server = server_or_skip!();
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("register.db").display());
    let more = ["--resource", r#"{"kind":"sqlite","fenced":true}"#, "--store", &store];
    let mut client = Client::start(r#"{"kind":"fenced","ttl_ms":500}"#, server.address, &more).ready();
    let grant = ok(client.acquire(7));
    assert!(grant.told_at.is_some());
    let write = |value, fence| Do::Write { resource: "stock".into(), value, fence };
    ok(client.answers(8, write(5, grant.fence)));
    assert_eq!(no(client.answers(9, write(6, Some(0)))).fenced_by, grant.fence);
    let read = ok(client.answers(10, Do::Read { resource: "stock".into() }));
    assert_eq!(read.value, Some(checker::history::Value::Int(5)));
    ok(client.answers(11, Do::Release { lock: KEY.into(), token: grant.token.unwrap() }));
    assert_eq!(client.code(), 0);
}

#[test]
fn it_answers_what_it_was_asked_before_its_input_ended() {
    let server = server_or_skip!();
    let store = format!("redis:{}", server.address);
    let more = ["--resource", r#"{"kind":"redis"}"#, "--store", &store];
    let mut client = Client::start(SET_NX_PX, server.address, &more).ready();
    for id in 0..20 {
        client.is_asked(id, Do::Write { resource: "stock".into(), value: id as i64, fence: None });
    }
    drop(client.asks.take());
    for id in 0..20 {
        let Said::Answer(of, Answer::Ok(_)) = client.hears() else { panic!("not answered") };
        assert_eq!(of, id);
    }
    assert_eq!(client.code(), 0);
}

#[test]
fn its_clock_jumps_at_once_even_while_an_ask_is_pending() {
    let server = server_or_skip!();
    let mut client = Client::start(SET_NX_PX, server.address, &[]).ready();
    let jump = |client: &mut Client, id, jump_ms| {
        client.is_told(&Request::Clock { id, jump_ms }.to_line());
        match client.hears() {
            Said::Clock { id: of, wall_ms } if of == id => wall_ms,
            other => panic!("{other:?}"),
        }
    };
    let before = jump(&mut client, 1, 0);
    server.pause();
    client.is_asked(2, Do::Acquire { lock: KEY.into(), ttl_ms: 60_000 });
    let after = jump(&mut client, 3, 3_600_000);
    assert!((3_600_000..3_660_000).contains(&(after - before)), "{before} {after}");
    server.resume();
    assert!(matches!(client.hears(), Said::Answer(2, Answer::Ok(_))));
    assert!(jump(&mut client, 4, -3_600_000) < after - 3_500_000);
}

#[test]
fn it_connects_from_its_own_address_and_sends_nothing_that_it_was_not_asked() {
    let server = server_or_skip!();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // Some servers send themselves commands at their start.
    runtime.block_on(support::send::<()>(&server, &["CONFIG", "RESETSTAT"]));
    let mut client = Client::start(r#"{"kind":"set-nx-px-del"}"#, server.address, &[]).ready();
    ok(client.acquire(1));
    let clients: String = runtime.block_on(support::send(&server, &["CLIENT", "LIST"]));
    let statistics: String = runtime.block_on(support::send(&server, &["INFO", "commandstats"]));
    assert!(clients.contains("addr=127.0.0.77:"), "{clients}");
    let commands: BTreeSet<&str> =
        statistics.lines().filter_map(|line| line.strip_prefix("cmdstat_")?.split(':').next()).collect();
    assert_eq!(commands, BTreeSet::from(["set", "script|load", "client|list", "config|resetstat"]), "{statistics}");
}

#[test]
fn what_it_cannot_understand_it_refuses_by_id_and_goes_on() {
    let server = server_or_skip!();
    let mut client = Client::start(SET_NX_PX, server.address, &[]).ready();
    client.is_told("");
    client.is_told("nonsense");
    client.is_told(r#"{"id":5,"do":"dance"}"#);
    let Said::Answer(5, Answer::No(Told { why: Some(why), .. })) = client.hears() else { panic!("not refused") };
    assert!(why.contains("dance"), "{why}");
    ok(client.acquire(6));
    assert_eq!(client.code(), 0);
}

#[test]
fn it_says_when_it_is_impossible() {
    let server = server_or_skip!();
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for node in [server.address, nobody] {
        let mut client = Client::start(r#"{"kind":"set-nx-px-delex"}"#, node, &[]);
        match client.hears() {
            Said::Impossible(why) => assert!(why.contains("DELEX"), "{why}"),
            Said::Ready(_) if node == server.address => continue,
            other => panic!("{other:?}"),
        }
        assert_eq!(client.code(), 69);
    }
}

#[test]
fn a_lock_or_store_that_makes_no_sense_is_a_usage_error() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (lock, more) in [
        (r#"{"kind":"set-nx-xp"}"#, &[][..]),
        (SET_NX_PX, &["--resource", r#"{"kind":"redis"}"#][..]),
        (SET_NX_PX, &["--resource", r#"{"kind":"redis"}"#, "--store", "redis:here"][..]),
    ] {
        let mut client = Client::start(lock, nobody, more);
        assert!(client.answers.next().is_none());
        assert_ne!(client.code(), 0);
    }
}
