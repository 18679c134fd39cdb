//! `reentrant-watchdog` against a real Redis: holds that nest, and a watchdog that renews them.

mod support;

use fencepost::client::real::{RealNode, RealSubscriber};
use fencepost::client::{Answer, Do, Unasked};
use fencepost::plan::{Fencing, LockKind, LockSpec, Watchdog};
use std::cell::RefCell;
use std::time::Duration;
use support::server::{Server, server_or_skip};
use support::{Client, KEY, no, ok, send, spec};

fn reentrant() -> LockSpec {
    spec(LockKind::ReentrantWatchdog)
}

async fn holds(server: &Server, token: &str) -> Option<u32> {
    send(server, &["HGET", KEY, token]).await
}

async fn pttl(server: &Server) -> i64 {
    send(server, &["PTTL", KEY]).await
}

#[tokio::test]
async fn its_owner_takes_it_again_and_gives_back_each_hold() {
    let server = server_or_skip!();
    let fenced = LockSpec { fence: Some(Fencing::Counter), ..reentrant() };
    let mut c1 = Client::of("c1", &server, &fenced).await;
    let mut c2 = Client::of("c2", &server, &fenced).await;
    let first = ok(c1.acquire(60_000).await);
    let again = ok(c1.acquire(60_000).await);
    assert_eq!((&first.token, first.fence), (&again.token, again.fence), "one owner, one fencing token");
    let token = first.token.unwrap();
    assert_eq!(holds(&server, &token).await, Some(2));
    no(c2.acquire(60_000).await);
    ok(c1.release(&token).await);
    assert_eq!(holds(&server, &token).await, Some(1));
    no(c2.acquire(60_000).await);
    assert!(c1.holds(&token).await);
    ok(c1.release(&token).await);
    assert!(no(c1.release(&token).await).why.is_some(), "it has no third hold");
    let next = ok(c2.acquire(60_000).await);
    assert_eq!(next.fence, first.fence.map(|fence| fence + 1), "it rises from owner to owner");
    no(c1.release(&token).await);
    assert!(c2.holds(&next.token.unwrap()).await);
}

#[tokio::test]
async fn its_last_release_is_published() {
    use futures_util::StreamExt;
    let server = server_or_skip!();
    let info = redis::RedisConnectionInfo::default();
    let stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    let mut waiter = redis::aio::PubSub::new(&info, stream).await.unwrap();
    waiter.subscribe(format!("{KEY}:released")).await.unwrap();
    let mut c1 = Client::of("c1", &server, &reentrant()).await;
    let token = ok(c1.acquire(60_000).await).token.unwrap();
    ok(c1.acquire(60_000).await);
    ok(c1.release(&token).await);
    ok(c1.release(&token).await);
    let heard: String = waiter.on_message().next().await.unwrap().get_payload().unwrap();
    assert_eq!(heard, token);
    let more = tokio::time::timeout(Duration::from_millis(100), async { waiter.on_message().next().await.is_some() }).await;
    assert!(more.is_err(), "the inner release is nobody's business");
}

/// How long a client waits for another try, at most so long.
async fn waits(client: &mut Client, for_ms: u64) -> Duration {
    let begun = std::time::Instant::now();
    ok(client.session.answer(&Do::Await { lock: KEY.into(), for_ms }).await);
    begun.elapsed()
}

#[tokio::test]
async fn whoever_waits_hears_of_the_release_and_waits_no_longer_than_the_lease() {
    let server = server_or_skip!();
    let mut c1 = Client::of("c1", &server, &reentrant()).await;
    let mut c2 = Client::of("c2", &server, &reentrant()).await;
    assert!(waits(&mut c2, 10_000).await < Duration::from_secs(5), "without a connection to hear by it waits for nothing");
    c2.session.listen_by(RealSubscriber::new(server.address, [127, 0, 0, 1].into()));
    assert!(waits(&mut c2, 10_000).await < Duration::from_secs(5), "there is nobody to wait for");
    for _ in 0..3 {
        let token = ok(c1.acquire(60_000).await).token.unwrap();
        let release = async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            ok(c1.release(&token).await);
        };
        let (waited, ()) = tokio::join!(waits(&mut c2, 60_000), release);
        assert!((Duration::from_millis(150)..Duration::from_secs(10)).contains(&waited), "{waited:?}");
    }
    // Nobody tells of a key that expires.
    ok(c1.acquire(300).await);
    let waited = waits(&mut c2, 60_000).await;
    assert!((Duration::from_millis(200)..Duration::from_secs(10)).contains(&waited), "{waited:?}");
    // And nobody is waited for longer than asked.
    ok(c1.acquire(60_000).await);
    let waited = waits(&mut c2, 200).await;
    assert!((Duration::from_millis(200)..Duration::from_secs(10)).contains(&waited), "{waited:?}");
    // Where nothing can be heard, it tries again soon.
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    c2.session.listen_by(RealSubscriber::new(nowhere, [127, 0, 0, 1].into()));
    assert!(waits(&mut c2, 60_000).await < Duration::from_secs(10));
}

/// Runs a client's watchdog beside something; what it said meanwhile.
async fn beside(client: &Client, server: &Server, what: impl Future<Output = ()>) -> Vec<Unasked> {
    let said = RefCell::new(Vec::new());
    let watchdog = client.session.renewer(RealNode::new(server.address)).expect("it has one");
    tokio::select! {
        biased;
        () = what => {}
        () = watchdog.run(|unasked| said.borrow_mut().push(unasked)) => unreachable!("it never ends"),
    }
    said.into_inner()
}

fn renewed(said: &[Unasked]) -> usize {
    said.iter().filter(|unasked| matches!(unasked, Unasked::Extended { answer: Answer::Ok(_), .. })).count()
}

#[tokio::test]
async fn a_watchdog_renews_until_the_release_and_says_so() {
    let server = server_or_skip!();
    let mut c1 = Client::of("c1", &server, &reentrant()).await;
    let token = ok(c1.acquire(600).await).token.unwrap();
    let said = beside(&c1, &server, tokio::time::sleep(Duration::from_millis(1500))).await;
    assert!(c1.holds(&token).await, "{said:?}");
    assert!(renewed(&said) >= 4, "{said:?}");
    // Each renewal is announced before it is made, by one number.
    let numbers: Vec<u64> = said
        .iter()
        .map(|unasked| match unasked {
            Unasked::Extending { number, lock, ttl_ms: 600 } if lock == KEY => *number,
            Unasked::Extended { number, .. } => *number,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(numbers.windows(2).all(|pair| pair[0] <= pair[1]), "{numbers:?}");
    ok(c1.release(&token).await);
    let said = beside(&c1, &server, tokio::time::sleep(Duration::from_millis(500))).await;
    assert_eq!(said, [], "there is nothing to renew");
}

#[tokio::test]
async fn a_lease_that_is_anothers_is_refused_and_no_longer_renewed() {
    let server = server_or_skip!();
    for (watchdog, told) in [(Watchdog::Silent, false), (Watchdog::Telling, true)] {
        let mut c1 = Client::of("c1", &server, &LockSpec { watchdog: Some(watchdog), ..reentrant() }).await;
        ok(c1.acquire(300).await);
        send::<()>(&server, &["DEL", KEY]).await;
        send::<()>(&server, &["HSET", KEY, "another", "1"]).await;
        let said = beside(&c1, &server, tokio::time::sleep(Duration::from_millis(600))).await;
        assert_eq!(said.len(), if told { 3 } else { 2 }, "{said:?}");
        assert!(matches!(said[1], Unasked::Extended { answer: Answer::No(_), .. }), "{said:?}");
        assert_eq!(said.get(2), told.then(|| Unasked::Lost(KEY.into())).as_ref());
        assert_eq!(pttl(&server).await, -1, "another's key is left alone");
        send::<()>(&server, &["DEL", KEY]).await;
    }
}

#[tokio::test]
async fn whoever_cannot_renew_is_told_before_the_lease_is_over() {
    let server = server_or_skip!();
    let telling = LockSpec { watchdog: Some(Watchdog::Telling), ..reentrant() };
    let mut c1 = Client::of("c1", &server, &telling).await;
    ok(c1.acquire(900).await);
    let granted = std::time::Instant::now();
    server.pause();
    let said = RefCell::new(Vec::new());
    let watchdog = c1.session.renewer(RealNode::new(server.address)).expect("it has one");
    let told = async {
        while !said.borrow().iter().any(|unasked| matches!(unasked, Unasked::Lost(_))) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        biased;
        () = told => {}
        () = watchdog.run(|unasked| said.borrow_mut().push(unasked)) => unreachable!("it never ends"),
    }
    assert!(granted.elapsed() >= Duration::from_millis(600), "{said:?}");
    assert_eq!(renewed(&said.borrow()), 0, "{said:?}");
    server.resume();
}

#[tokio::test]
async fn one_error_ends_a_watchdog_that_dies_of_it_and_no_other() {
    let server = server_or_skip!();
    for (watchdog, goes_on) in [(Watchdog::Silent, true), (Watchdog::DiesOnError, false)] {
        let mut c1 = Client::of("c1", &server, &LockSpec { watchdog: Some(watchdog), ..reentrant() }).await;
        let token = ok(c1.acquire(600).await).token.unwrap();
        // Its first renewal is answered with an error: the key is no hash for a moment.
        send::<()>(&server, &["RENAME", KEY, "aside"]).await;
        send::<()>(&server, &["SET", KEY, "x"]).await;
        let mend = async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            send::<()>(&server, &["RENAME", "aside", KEY]).await;
            tokio::time::sleep(Duration::from_millis(800)).await;
        };
        let said = beside(&c1, &server, mend).await;
        assert!(matches!(said[1], Unasked::Extended { answer: Answer::Unknown(_), .. }), "{said:?}");
        assert_eq!((renewed(&said) > 0, c1.holds(&token).await), (goes_on, goes_on), "{said:?}");
        send::<()>(&server, &["DEL", KEY]).await;
    }
}

#[tokio::test]
async fn without_a_watchdog_there_is_nothing_to_poll() {
    let server = server_or_skip!();
    let c1 = Client::of("c1", &server, &LockSpec { watchdog: Some(Watchdog::None), ..reentrant() }).await;
    assert!(c1.session.renewer(RealNode::new(server.address)).is_none());
    let c1 = Client::of("c1", &server, &spec(LockKind::SetNxPx)).await;
    assert!(c1.session.renewer(RealNode::new(server.address)).is_none());
}
