//! Worlds to test, and things to ask of their clients.

use fencepost::client::{Answer, Ask, Do, Told};
use fencepost::plan::Plan;
use fencepost::world::{Backend, RealWorld, Setup, World, WorldError};
use nemesis::{Evidence, Fault, Moment, NotInjected, WirePattern};
use std::cell::Cell;
use std::future::Future;
use std::task::Poll;
use std::time::Duration;
use tokio::time::timeout;

/// Longer than anything here takes; a test that waits so long has failed.
const AGES: Duration = Duration::from_secs(20);

pub const LOCK: &str = "order:42";

/// Whether real Redis can be had. A test that is skipped says so, and fails where nothing may be skipped.
pub fn redis_is_here() -> bool {
    let here = std::process::Command::new("redis-server").arg("--version").stdout(std::process::Stdio::null()).status().is_ok();
    if !here {
        eprintln!("SKIPPED: there is no redis-server on the PATH");
        assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "nothing may be skipped");
    }
    here
}

/// A plan, from the lines in which it differs from the smallest one.
pub fn plan(lines: &str) -> Plan {
    toml::from_str(&format!("about = \"a test\"\nlock = {{ kind = \"set-nx-px\", ttl_ms = 60000 }}\n{lines}")).expect("a plan")
}

pub fn setup(plan: Plan) -> Setup {
    Setup { plan, patterns: vec![], folder: None, client_program: None }
}

/// A world whose clients are our own.
pub async fn world(setup: Setup) -> RealWorld {
    let program = vec![env!("CARGO_BIN_EXE_fencepost").to_owned(), "client".to_owned()];
    RealWorld::start(Setup { client_program: Some(program), ..setup }, Backend::Process).await.expect("a world")
}

/// The smallest world, with clients `c1` and `c2`.
pub async fn pair(lines: &str, patterns: Vec<WirePattern>) -> RealWorld {
    let world = world(Setup { patterns, ..setup(plan(lines)) }).await;
    for client in ["c1", "c2"] {
        world.start_client(client).await.expect("a client");
    }
    world
}

/// A world whose client `c1` is this shell script; and how its start went.
pub async fn scripted(script: &str) -> (RealWorld, Result<(), WorldError>) {
    let program = ["sh", "-c", script].map(str::to_owned).to_vec();
    let world =
        RealWorld::start(Setup { client_program: Some(program), ..setup(plan("")) }, Backend::Process).await.expect("a world");
    let started = soon(world.start_client("c1")).await;
    (world, started)
}

/// The message of a pattern of `c1`.
pub fn first(command: &str, moment: Moment) -> WirePattern {
    WirePattern { client: "c1".into(), node: None, command: command.into(), moment, nth: 1 }
}

/// What comes, and comes soon.
pub async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(AGES, what).await.expect("it came")
}

pub async fn ask(world: &RealWorld, client: &str, what: Do) -> Answer {
    thread_local!(static LAST: Cell<u64> = const { Cell::new(0) });
    let id = LAST.get() + 1;
    LAST.set(id);
    soon(world.call(client, Ask { id, what })).await
}

pub async fn acquire(world: &RealWorld, client: &str) -> Answer {
    ask(world, client, Do::Acquire { lock: LOCK.into(), ttl_ms: 60_000 }).await
}

pub async fn read(world: &RealWorld, client: &str) -> Answer {
    ask(world, client, Do::Read { resource: "r".into() }).await
}

pub async fn write(world: &RealWorld, client: &str, value: i64) -> Answer {
    ask(world, client, Do::Write { resource: "r".into(), value, fence: None }).await
}

/// The token of a grant.
pub fn granted(answer: Answer) -> String {
    match answer {
        Answer::Ok(Told { token: Some(token), .. }) => token,
        other => panic!("{other:?} is no grant"),
    }
}

pub async fn inject(world: &RealWorld, fault: &Fault) -> String {
    in_words(soon(world.inject(fault)).await)
}

pub async fn heal(world: &RealWorld, fault: &Fault) -> String {
    in_words(soon(world.heal(fault)).await)
}

fn in_words(injected: Result<Evidence, NotInjected>) -> String {
    match injected {
        Ok(Evidence(text)) => text,
        Err(why) => panic!("{why}"),
    }
}

/// What a wall clock showed before and after, by the evidence, in seconds since 1970.
pub fn shown(evidence: &str) -> (f64, f64) {
    let seconds = |word: &str| word.parse().ok().filter(|number| *number > 1e9);
    match evidence.split(' ').filter_map(seconds).collect::<Vec<f64>>()[..] {
        [before, after] => (before, after),
        _ => panic!("{evidence}"),
    }
}

/// The tokens that the nodes hold for the lock.
pub async fn tokens(world: &RealWorld) -> Option<Vec<String>> {
    Some(soon(world.look(LOCK)).await?.keys.into_iter().map(|key| key.token).collect())
}

/// Whether it is not done yet, after one try to go on.
pub async fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
    std::future::poll_fn(|context| Poll::Ready(std::pin::Pin::new(&mut *future).poll(context).is_pending())).await
}
