//! Redlock and its known mistakes against three real Redis nodes.

mod support;

use fencepost::client::real::{RealClock, RealNode};
use fencepost::client::{Answer, Do, Session};
use fencepost::plan::{Elapsed, Extend, LockKind, LockSpec, OnError, OnFailure};
use redis::aio::ConnectionLike;
use std::time::{Duration, Instant};
use support::server::{Server, server_or_skip};
use support::{KEY, no, ok, send, unknown};

struct Client {
    session: Session<RealNode, RealClock>,
    clock: RealClock,
}

fn redlock() -> LockSpec {
    LockSpec { node_timeout_ms: Some(200), ..LockSpec::bare(LockKind::Redlock, 60_000) }
}

impl Client {
    async fn of(name: &str, servers: &[Server], spec: LockSpec) -> Client {
        let clock = RealClock::default();
        let nodes = servers.iter().map(|server| RealNode::new(server.address)).collect();
        let mut session = Session::new(name, &spec, None, nodes, None, clock.clone(), 7);
        session.prepare().await.unwrap();
        Client { session, clock }
    }

    async fn acquire(&mut self) -> Answer {
        self.session.answer(&Do::Acquire { lock: KEY.into(), ttl_ms: 60_000 }).await
    }

    async fn granted(&mut self) -> String {
        ok(self.acquire().await).token.unwrap()
    }

    async fn release(&mut self, token: &str) -> Answer {
        self.session.answer(&Do::Release { lock: KEY.into(), token: token.into() }).await
    }

    async fn extend(&mut self, token: &str) -> Answer {
        self.session.answer(&Do::Extend { lock: KEY.into(), token: token.into(), ttl_ms: 90_000 }).await
    }

    async fn holds(&mut self, token: &str) -> bool {
        let check = Do::Check { lock: KEY.into(), token: token.into() };
        ok(self.session.answer(&check).await).value == Some(checker::history::Value::Bool(true))
    }
}

macro_rules! three_or_skip {
    () => {
        [server_or_skip!(), server_or_skip!(), server_or_skip!()]
    };
}

/// On which nodes the key is.
async fn keys(servers: &[Server]) -> Vec<bool> {
    let mut there = Vec::new();
    for server in servers {
        there.push(send::<bool>(server, &["EXISTS", KEY]).await);
    }
    there
}

async fn taken(server: &Server) {
    send::<()>(server, &["SET", KEY, "another"]).await;
}

#[tokio::test]
async fn a_quorum_is_a_grant_and_less_is_given_back_everywhere() {
    let servers = three_or_skip!();
    let mut c1 = Client::of("c1", &servers, redlock()).await;
    taken(&servers[0]).await;
    let token = c1.granted().await;
    assert!(c1.holds(&token).await);
    assert_eq!(keys(&servers).await, [true; 3]);
    ok(c1.release(&token).await);
    assert_eq!(keys(&servers).await, [true, false, false]);
    taken(&servers[1]).await;
    let why = no(c1.acquire().await).why.unwrap();
    assert_eq!(why, "granted by 1 of 3 nodes, and 2 are needed");
    assert_eq!(keys(&servers).await, [true, true, false]);
    assert!(!c1.holds(&token).await);
}

#[tokio::test]
async fn a_quorum_of_ones_own_counts_instead_of_a_majority() {
    let servers = three_or_skip!();
    let mut c1 = Client::of("c1", &servers, LockSpec { quorum: Some(3), ..redlock() }).await;
    let mut c2 = Client::of("c2", &servers, LockSpec { quorum: Some(1), ..redlock() }).await;
    taken(&servers[0]).await;
    no(c1.acquire().await);
    ok(c2.acquire().await);
}

#[tokio::test]
async fn a_node_that_hangs_costs_its_timeout_once_and_its_late_reply_is_nobody_elses() {
    let servers = three_or_skip!();
    let mut c1 = Client::of("c1", &servers, redlock()).await;
    servers[2].pause();
    let asked = Instant::now();
    let token = c1.granted().await;
    assert!(asked.elapsed() >= Duration::from_millis(200));
    ok(c1.release(&token).await);
    taken(&servers[1]).await;
    let told = unknown(c1.acquire().await).why.unwrap();
    assert_eq!(told, "granted by 1 of 3 nodes (n3: timed out), and 2 are needed; its key may be on n3, or come there yet");
    servers[2].resume();
    send::<()>(&servers[1], &["DEL", KEY]).await;
    // Every reply that comes late says yes; were it taken for the next command's, what is not held would be.
    assert!(!c1.holds("nobody's").await);
    let token = c1.granted().await;
    assert!(c1.holds(&token).await && !c1.holds("nobody's").await);
    ok(c1.release(&token).await);
    assert_eq!(keys(&servers).await, [false; 3]);
}

#[tokio::test]
async fn a_command_that_was_given_up_leaves_its_connection_to_nobody() {
    let server = server_or_skip!();
    let mut node = RealNode::new(server.address);
    let ping = redis::cmd("PING");
    let mut blocks = redis::cmd("BLPOP");
    blocks.arg("list").arg("0");
    let given_up = tokio::time::timeout(Duration::from_millis(50), node.req_packed_command(&blocks)).await;
    assert!(given_up.is_err(), "there is nothing to pop");
    // On the connection of the BLPOP it would never be answered.
    let pong = tokio::time::timeout(Duration::from_secs(10), node.req_packed_command(&ping)).await;
    assert_eq!(pong.expect("on a connection of its own").unwrap(), redis::Value::SimpleString("PONG".into()));
}

#[tokio::test]
async fn whoever_gives_up_on_one_error_and_keeps_its_keys_was_told_no_and_blocks_everybody() {
    let mut servers = three_or_skip!();
    let mistaken = LockSpec { on_error: Some(OnError::GiveUp), on_failure: Some(OnFailure::Keep), ..redlock() };
    let mut c1 = Client::of("c1", &servers, mistaken).await;
    let tidy = LockSpec { on_error: Some(OnError::GiveUp), ..redlock() };
    let mut c2 = Client::of("c2", &servers, tidy).await;
    servers[2].kill();
    assert!(matches!(c2.acquire().await, Answer::No(_) | Answer::Unknown(_)));
    assert_eq!(keys(&servers[..2]).await, [false; 2]);
    no(c1.acquire().await);
    assert_eq!(keys(&servers[..2]).await, [true; 2]);
}

#[tokio::test]
async fn an_extension_needs_a_quorum_and_its_mistakes_do_not() {
    let servers = three_or_skip!();
    for (extend, lost, yes) in [
        (Extend::Quorum, 1, true),
        (Extend::Quorum, 2, false),
        (Extend::Any, 2, true),
        (Extend::Any, 3, false),
        (Extend::Retake, 3, true),
    ] {
        let mut c1 = Client::of("c1", &servers, LockSpec { extend: Some(extend), ..redlock() }).await;
        let token = c1.granted().await;
        for server in &servers[..lost] {
            send::<()>(server, &["DEL", KEY]).await;
        }
        match c1.extend(&token).await {
            Answer::Ok(told) => {
                assert!(yes, "{extend:?} after the loss of {lost}");
                assert!(told.valid_for_ms.unwrap() > 60_000);
            }
            Answer::No(_) => assert!(!yes, "{extend:?} after the loss of {lost}"),
            other => panic!("{other:?}"),
        }
        assert_eq!(keys(&servers).await[0], extend == Extend::Retake, "{extend:?}");
        for server in &servers {
            send::<()>(server, &["DEL", KEY]).await;
        }
    }
}

#[tokio::test]
async fn a_retaken_key_is_never_anothers() {
    let servers = three_or_skip!();
    let mut c1 = Client::of("c1", &servers, LockSpec { extend: Some(Extend::Retake), ..redlock() }).await;
    let token = c1.granted().await;
    for server in &servers[..2] {
        taken(server).await;
    }
    no(c1.extend(&token).await);
    assert_eq!(send::<String>(&servers[0], &["GET", KEY]).await, "another");
}

#[tokio::test]
async fn a_release_of_what_is_on_no_quorum_any_more_ends_nothing() {
    let mut servers = three_or_skip!();
    let mut c1 = Client::of("c1", &servers, redlock()).await;
    let token = c1.granted().await;
    for server in &servers[..2] {
        send::<()>(server, &["DEL", KEY]).await;
    }
    assert_eq!(no(c1.release(&token).await).why.unwrap(), "it was still on 1 of 3 nodes, which is no quorum");
    let token = c1.granted().await;
    servers[0].kill();
    servers[1].kill();
    unknown(c1.release(&token).await);
}

#[tokio::test]
async fn what_a_grant_took_is_measured_by_the_clock_that_the_plan_says() {
    let servers = three_or_skip!();
    for (elapsed, jump_ms, valid) in [
        (Elapsed::Monotonic, -10_000, Some(50_000..=59_398)),
        (Elapsed::Wall, 0, Some(50_000..=59_398)),
        (Elapsed::Wall, -10_000, Some(60_001..=69_398)),
        (Elapsed::Unchecked, -10_000, None),
    ] {
        let spec = LockSpec { elapsed: Some(elapsed), node_timeout_ms: Some(5_000), ..redlock() };
        let mut c1 = Client::of("c1", &servers, spec).await;
        servers[2].pause();
        let clock = c1.clock.clone();
        let (answer, ()) = tokio::join!(c1.acquire(), async {
            // The grant is on its way: it has begun, and waits for the third node.
            while keys(&servers[..2]).await != [true; 2] {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            clock.jump(jump_ms);
            servers[2].resume();
        });
        let told = ok(answer);
        match (valid, told.valid_for_ms) {
            (Some(range), Some(valid)) => assert!(range.contains(&valid), "{elapsed:?}: {valid}"),
            (None, None) => {}
            (range, valid) => panic!("{elapsed:?}: {valid:?}, not {range:?}"),
        }
        ok(c1.release(&told.token.unwrap()).await);
    }
}
