//! Fencing tokens that the storage issues, for locks that have none.

mod support;

use checker::Nanos;
use fencepost::client::real::RealNode;
use fencepost::client::{Answer, Clock, Do, Session};
use fencepost::plan::{Deadline, Fencing, LockKind, LockSpec, ResourceSpec, ResourceType};
use fencepost::resource::{Sqlite, Store};
use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;
use support::server::{Server, server_or_skip};
use support::{KEY, no, ok, send};

/// A clock that shows what it was told to show, one after the other, and the last for ever.
#[derive(Clone)]
struct Shown(Rc<RefCell<Vec<Nanos>>>);

impl Shown {
    fn ms(mut shown: Vec<Nanos>) -> Self {
        shown.reverse();
        Shown(Rc::new(RefCell::new(shown)))
    }
}

impl Clock for Shown {
    fn monotonic(&self) -> Nanos {
        let mut shown = self.0.borrow_mut();
        let now = if shown.len() > 1 { shown.pop() } else { shown.first().copied() };
        now.expect("it shows something") * 1_000_000
    }

    fn wall(&self) -> Nanos {
        self.monotonic()
    }

    async fn sleep(&self, how_long: Duration) {
        tokio::time::sleep(how_long).await;
    }
}

fn session(server: &Server, store: Store<RealNode>, clock: Shown) -> Session<RealNode, Shown> {
    let kind = if matches!(store, Store::Redis(_)) { ResourceType::Redis } else { ResourceType::Sqlite };
    let resource = ResourceSpec { kind, fenced: true, counter: false };
    let spec = LockSpec { deadline: Deadline::Checked, fence: Some(Fencing::Storage), ..LockSpec::bare(LockKind::SetNxPx, 500) };
    Session::new("c1", &spec, Some(&resource), vec![RealNode::new(server.address)], Some(store), clock, 7)
}

async fn acquire(session: &mut Session<RealNode, Shown>) -> Answer {
    session.answer(&Do::Acquire { lock: KEY.into(), ttl_ms: 500 }).await
}

/// What holds of every store: each grant has a token of its own, higher than the one before.
async fn each_grant_has_a_higher_one(server: &Server, mut session: Session<RealNode, Shown>) {
    for fence in 1..=3 {
        let told = ok(acquire(&mut session).await);
        assert_eq!(told.fence, Some(fence));
        ok(session.answer(&Do::Release { lock: KEY.into(), token: told.token.unwrap() }).await);
    }
    send::<()>(server, &["SET", KEY, "another's"]).await;
    no(acquire(&mut session).await);
    send::<()>(server, &["DEL", KEY]).await;
    assert_eq!(ok(acquire(&mut session).await).fence, Some(4), "a refused attempt draws nothing");
}

#[tokio::test]
async fn redis_issues_them() {
    let (server, storage) = (server_or_skip!(), server_or_skip!());
    let store = Store::Redis(RealNode::new(storage.address));
    each_grant_has_a_higher_one(&server, session(&server, store, Shown::ms(vec![0]))).await;
}

#[tokio::test]
async fn sqlite_issues_them() {
    let server = server_or_skip!();
    let folder = tempfile::tempdir().unwrap();
    let store = Store::Sqlite(Sqlite::open(folder.path().join("fences.db").to_str().unwrap()).unwrap());
    each_grant_has_a_higher_one(&server, session(&server, store, Shown::ms(vec![0]))).await;
}

/// Else a client that was paused before the draw would have a younger token than the next holder.
#[tokio::test]
async fn a_token_that_is_drawn_when_the_grant_is_over_is_given_to_nobody() {
    let (server, storage) = (server_or_skip!(), server_or_skip!());
    let store = || Store::Redis(RealNode::new(storage.address));
    // Asked, granted, and 600 ms later the token is there.
    let mut late = session(&server, store(), Shown::ms(vec![0, 1, 601]));
    let why = no(acquire(&mut late).await).error.unwrap();
    assert_eq!(why, "granted too late: it was over when the fencing token was drawn");
    assert_eq!(send::<i64>(&server, &["EXISTS", KEY]).await, 0, "it is given back");

    let mut in_time = session(&server, store(), Shown::ms(vec![0, 1, 101]));
    let told = ok(acquire(&mut in_time).await);
    assert_eq!((told.fence, told.valid_for_ms), (Some(2), Some(500 - 7 - 101)), "what the draw took is off its validity");
}

#[tokio::test]
async fn without_the_storage_there_is_no_grant() {
    let server = server_or_skip!();
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 1));
    let why = no(acquire(&mut session(&server, Store::Redis(RealNode::new(nowhere)), Shown::ms(vec![0]))).await).error.unwrap();
    assert!(why.starts_with("granted, and no fencing token could be drawn: INCR: "), "{why}");
    assert_eq!(send::<i64>(&server, &["EXISTS", KEY]).await, 0, "it is given back");
}
