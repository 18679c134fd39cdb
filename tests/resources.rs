//! Registers in Redis and in SQLite, plain and fenced.

mod support;

use checker::history::Value;
use fencepost::client::real::{RealClock, RealNode};
use fencepost::client::{Answer, Do, Session};
use fencepost::plan::{LockKind, ResourceSpec, ResourceType};
use fencepost::resource::{Sqlite, Store, Written};
use std::net::SocketAddr;
use support::server::server_or_skip;
use support::{no, ok, spec, unknown};

struct Client(Session<RealNode, RealClock>);

impl Client {
    fn of(store: Store<RealNode>, fenced: bool) -> Self {
        let kind = match store {
            Store::Redis(_) => ResourceType::Redis,
            Store::Sqlite(_) => ResourceType::Sqlite,
        };
        let resource = ResourceSpec { kind, fenced, counter: false };
        let nowhere = RealNode::new(SocketAddr::from(([127, 0, 0, 1], 1)));
        let lock = spec(LockKind::SetNxPx);
        Client(Session::new("c1", &lock, Some(&resource), vec![nowhere], Some(store), RealClock::default(), 7))
    }

    async fn write(&mut self, value: i64, fence: Option<u64>) -> Answer {
        self.0.answer(&Do::Write { resource: "stock".into(), value, fence }).await
    }

    async fn read(&mut self) -> Value {
        ok(self.0.answer(&Do::Read { resource: "stock".into() }).await).value.unwrap()
    }
}

/// What holds of every store.
async fn plain(mut client: Client) {
    assert_eq!(client.read().await, Value::Nil);
    ok(client.write(1, None).await);
    ok(client.write(i64::MIN, Some(33)).await);
    ok(client.write(-3, Some(32)).await);
    assert_eq!(client.read().await, Value::Int(-3), "a plain register looks at no token");
}

/// What holds of every fenced store.
async fn fenced(mut client: Client) {
    assert_eq!(client.read().await, Value::Nil);
    no(client.write(0, None).await);
    ok(client.write(1, Some(0)).await);
    ok(client.write(2, Some(34)).await);
    let refused = no(client.write(3, Some(33)).await);
    assert_eq!((refused.fenced_by, refused.why.unwrap().as_str()), (Some(34), "outranked by fencing token 34"));
    assert_eq!(client.read().await, Value::Int(2));
    ok(client.write(4, Some(1 << 52)).await);
    assert_eq!(client.read().await, Value::Int(4));
}

#[tokio::test]
async fn in_redis() {
    let server = server_or_skip!();
    plain(Client::of(Store::Redis(RealNode::new(server.address)), false)).await;
    support::send::<()>(&server, &["FLUSHALL"]).await;
    fenced(Client::of(Store::Redis(RealNode::new(server.address)), true)).await;
}

#[tokio::test]
async fn in_sqlite_on_disk() {
    for (name, is_fenced) in [("plain.db", false), ("fenced.db", true)] {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::Sqlite(Sqlite::open(folder.path().join(name).to_str().unwrap()).unwrap());
        let client = Client::of(store, is_fenced);
        if is_fenced { fenced(client).await } else { plain(client).await }
    }
}

#[tokio::test]
async fn in_sqlite_in_memory_shared_by_name_and_gone_with_the_last_who_has_it_open() {
    let uri = "file:resources-test?mode=memory&cache=shared";
    let mut first = Sqlite::open(uri).unwrap();
    let second = Sqlite::open(uri).unwrap();
    assert_eq!(first.write("stock", 7), Written::Yes);
    assert_eq!(second.read("stock").unwrap(), Some(7));
    drop((first, second));
    assert_eq!(Sqlite::open(uri).unwrap().read("stock").unwrap(), None);
    fenced(Client::of(Store::Sqlite(Sqlite::open(uri).unwrap()), true)).await;
}

#[tokio::test]
async fn a_token_shown_twice_is_taken_by_redis_and_refused_by_sqlite() {
    let server = server_or_skip!();
    let mut redis = Client::of(Store::Redis(RealNode::new(server.address)), true);
    ok(redis.write(1, Some(33)).await);
    ok(redis.write(2, Some(33)).await);
    let mut sqlite = Client::of(Store::Sqlite(Sqlite::open(":memory:").unwrap()), true);
    ok(sqlite.write(1, Some(33)).await);
    assert_eq!(no(sqlite.write(2, Some(33)).await).fenced_by, Some(33));
    no(sqlite.write(3, Some(u64::MAX)).await);
}

#[tokio::test]
async fn a_store_that_does_not_answer_leaves_the_write_unknown() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let node = || RealNode::new(silent.local_addr().unwrap()).patience(std::time::Duration::from_millis(50));
    assert!(unknown(Client::of(Store::Redis(node()), false).write(1, None).await).why.is_some());
    assert!(unknown(Client::of(Store::Redis(node()), true).write(1, Some(1)).await).why.is_some());
}

#[test]
fn several_who_write_one_database_at_once_lose_nothing_and_never_go_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared.db");
    let (writers, tokens) = (4, 100);
    let mut taken = Vec::new();
    std::thread::scope(|scope| {
        let write = |writer: u64| {
            let path = path.to_str().unwrap();
            move || {
                let mut sqlite = Sqlite::open(path).unwrap();
                let mine = (0..tokens).map(|n| n * writers + writer);
                mine.map(|token| match sqlite.write_fenced("stock", token as i64, token) {
                    Written::Yes => 1,
                    Written::FencedOff(last) if last > token => 0,
                    other => panic!("{other:?}"),
                })
                .sum::<u32>()
            }
        };
        let threads: Vec<_> = (0..writers).map(|writer| scope.spawn(write(writer))).collect();
        taken.extend(threads.into_iter().map(|thread| thread.join().unwrap()));
    });
    let highest = (tokens * writers - 1) as i64;
    assert_eq!(Sqlite::open(path.to_str().unwrap()).unwrap().read("stock").unwrap(), Some(highest));
    assert!(taken.iter().sum::<u32>() >= tokens as u32, "{taken:?}");
}
