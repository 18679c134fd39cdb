//! What a client says of a command that went wrong: that it certainly had no effect, or that nobody knows.

mod support;

use fencepost::client::Answer;
use fencepost::client::real::RealNode;
use fencepost::lock::facts::{self, Facts};
use fencepost::plan::LockKind;
use std::net::SocketAddr;
use std::time::Duration;
use support::between::Between;
use support::server::server_or_skip;
use support::{Client, KEY, no, ok, send, spec, unknown};
use tokio::net::TcpListener;

/// Whether a lock says that its node did not answer in time: a quorum lock says of each which, in its own words.
fn timed_out(why: &str, lock: &Facts) -> bool {
    if lock.kind == LockKind::Redlock { why.contains("(n1: timed out)") } else { why.ends_with(": timed out") }
}

const SOON: Duration = Duration::from_millis(50);

fn unprepared(address: SocketAddr, lock: &Facts) -> Client {
    Client::unprepared("c1", RealNode::new(address).patience(SOON), &spec(lock.kind))
}

#[tokio::test]
async fn nobody_listens() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    for lock in &facts::ALL {
        let mut c1 = unprepared(free, lock);
        let told = no(c1.acquire(500).await);
        assert!(told.token.is_some() && told.error.unwrap().contains("no connection to"), "{}", lock.name);
        no(c1.release("33").await);
        no(c1.extend("33", 500).await);
    }
}

#[tokio::test]
async fn somebody_listens_and_never_answers() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    for lock in &facts::ALL {
        let mut c1 = unprepared(silent.local_addr().unwrap(), lock);
        let told = unknown(c1.acquire(500).await);
        assert!(told.token.is_some() && timed_out(&told.why.unwrap(), lock), "{}", lock.name);
        match c1.release("33").await {
            Answer::Unknown(told) => assert!(timed_out(&told.why.unwrap(), lock)),
            // What was to be read first was not read, so nothing was deleted, or the lock cannot be released at all.
            Answer::No(_) => assert!(
                matches!(
                    lock.kind,
                    LockKind::SetNxPxGetDel | LockKind::SetNxPxWatch | LockKind::SetNxPxDelex | LockKind::GetsetTimestamp
                ),
                "{}",
                lock.name
            ),
            other => panic!("{}: {other:?}", lock.name),
        }
    }
}

#[tokio::test]
async fn somebody_accepts_and_hangs_up() {
    let rude = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = rude.local_addr().unwrap();
    let hanging_up = tokio::spawn(async move {
        loop {
            drop(rude.accept().await.unwrap());
        }
    });
    for lock in &facts::ALL {
        unknown(unprepared(address, lock).acquire(500).await);
    }
    hanging_up.abort();
}

#[tokio::test]
async fn a_server_that_says_no_did_nothing() {
    let server = server_or_skip!();
    send::<()>(&server, &["CONFIG", "SET", "maxmemory", "1"]).await;
    for lock in facts::ALL.iter().filter(|lock| lock.kind != LockKind::SetNxPxDelex) {
        let told = no(Client::of("c1", &server, &spec(lock.kind)).await.acquire(500).await);
        assert!(told.error.unwrap().contains("OOM"), "{}", lock.name);
    }
}

#[tokio::test]
async fn a_server_killed_while_it_is_asked() {
    let mut server = server_or_skip!();
    for lock in facts::ALL.iter().filter(|lock| lock.kind != LockKind::SetNxPxDelex) {
        let mut c1 = Client::of("c1", &server, &spec(lock.kind)).await;
        // A connection that is there, so that the ask, polled first, is on its way before the kill.
        assert!(!c1.holds("33").await);
        server.pause();
        let (answer, ()) = tokio::join!(biased; c1.acquire(500), async { server.kill() });
        assert!(unknown(answer).token.is_some(), "{}", lock.name);
        no(c1.acquire(500).await);
        server.restart();
        ok(c1.acquire(500).await);
        send::<()>(&server, &["FLUSHALL"]).await;
    }
}

#[tokio::test]
async fn a_server_killed_between_setnx_and_expire_leaves_the_outcome_unknown() {
    let server = server_or_skip!();
    let pid = server.pid();
    let node = Between::before(RealNode::new(server.address), "PEXPIRE", move || async move {
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    });
    let mut c1 = Client::over("c1", node, &spec(LockKind::SetnxExpire)).await;
    let told = unknown(c1.acquire(500).await);
    assert!(told.why.unwrap().starts_with("SETNX took the key, then PEXPIRE: "));
}

#[tokio::test]
async fn a_command_that_timed_out_is_executed_later_and_its_reply_is_nobody_elses() {
    let server = server_or_skip!();
    let node = RealNode::new(server.address).patience(10 * SOON);
    let mut c1 = Client::over("c1", node, &spec(LockKind::SetNxPx)).await;
    server.pause();
    let lost = unknown(c1.acquire(60_000).await).token.unwrap();
    server.resume();
    while send::<Option<String>>(&server, &["GET", KEY]).await.as_ref() != Some(&lost) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let next = no(c1.acquire(60_000).await).token.unwrap();
    assert!(c1.holds(&lost).await && !c1.holds(&next).await);
}

#[tokio::test]
async fn a_reply_that_is_merely_late_arrives_late() {
    let server = server_or_skip!();
    let mut c1 = Client::of("c1", &server, &spec(LockKind::SetNxPx)).await;
    server.pause();
    let later = async {
        tokio::time::sleep(Duration::from_millis(600)).await;
        server.resume();
    };
    // redis-rs alone would have given up after 500 ms.
    let (answer, ()) = tokio::join!(c1.acquire(60_000), later);
    ok(answer);
}

#[tokio::test]
async fn a_client_that_slept_past_its_patience_takes_the_reply_that_came_meanwhile() {
    let server = server_or_skip!();
    let node = RealNode::new(server.address).patience(SOON);
    let mut c1 = Client::over("c1", node, &spec(LockKind::SetNxPx)).await;
    for _ in 0..10 {
        // What SIGSTOP does to a process: its one thread stands still, the kernel and the server go on.
        let asleep = async { std::thread::sleep(2 * SOON) };
        let (answer, ()) = tokio::join!(biased; c1.acquire(60_000), asleep);
        ok(c1.release(&ok(answer).token.unwrap()).await);
    }
}
