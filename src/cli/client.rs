//! `fencepost client`: one of our own locks behind the protocol that every client speaks, over stdin and stdout.
//!
//! It prints `{"ready":"c1"}` once it can be asked, or `{"impossible":"…"}` and ends with 69; then an answer for every ask, one after another; a
//! `clock` is answered at once, even while an ask is pending. What the lock's watchdog does is said as it
//! happens. It ends when its input does and everything asked is answered.

use crate::client::cluster::Prefixed;
use crate::client::protocol::{Request, Said};
use crate::client::real::{RealClock, RealDoor, RealNode, RealSubscriber};
use crate::client::{Answer, Ask, Clock, Session, Told};
use crate::plan::{LockSpec, ResourceSpec};
use crate::resource::{Sqlite, Store};
use serde::de::DeserializeOwned;
use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// The server does not have what the lock needs.
const IMPOSSIBLE: u8 = 69;
/// What should not happen.
const BUG: u8 = 70;

/// What a client is told at its start.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The client's name
    #[arg(long)]
    name: String,
    /// The lock, as JSON: {"kind":"set-nx-px","ttl_ms":500}
    #[arg(long, value_parser = json::<LockSpec>)]
    lock: LockSpec,
    /// What the lock protects, as JSON: {"kind":"redis","fenced":true}
    #[arg(long, value_parser = json::<ResourceSpec>, requires = "store")]
    resource: Option<ResourceSpec>,
    /// A Redis node of the lock; once for each, in the plan's order
    #[arg(long = "node", value_name = "IP:PORT", required_unless_present_any = ["sentinels", "cluster"])]
    nodes: Vec<SocketAddr>,
    /// A sentinel that knows who is the master of the lock; once for each, instead of nodes
    #[arg(long = "sentinel", value_name = "IP:PORT", conflicts_with = "nodes")]
    sentinels: Vec<SocketAddr>,
    /// A node of the cluster of the lock; once for each, instead of nodes
    #[arg(long = "cluster", value_name = "IP:PORT", conflicts_with_all = ["nodes", "sentinels"])]
    cluster: Vec<SocketAddr>,
    /// What its keys are prefixed with in the cluster; once for each vote of a quorum lock
    #[arg(long = "prefix", requires = "cluster")]
    prefixes: Vec<String>,
    /// Where the resource is kept: redis:IP:PORT or sqlite:PATH
    #[arg(long, value_parser = Place::parse)]
    store: Option<Place>,
    /// The address from which it connects
    #[arg(long, value_name = "IP")]
    bind: IpAddr,
    /// The seed of its tokens
    #[arg(long)]
    seed: u64,
}

/// Where a resource is kept.
#[derive(Debug, Clone)]
enum Place {
    Redis(SocketAddr),
    Sqlite(String),
}

impl Place {
    fn parse(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("redis", address)) => match address.parse() {
                Ok(address) => Ok(Place::Redis(address)),
                Err(error) => Err(format!("`{address}` is not an IP:PORT: {error}")),
            },
            Some(("sqlite", path)) if !path.is_empty() => Ok(Place::Sqlite(path.to_owned())),
            _ => Err("a store is redis:IP:PORT or sqlite:PATH".into()),
        }
    }
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text)
}

/// Serves until its input ends.
pub fn run(args: Args) -> ExitCode {
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime.block_on(serve(args)).unwrap_or_else(|error| {
            eprintln!("fencepost client: {error}");
            ExitCode::from(BUG)
        }),
        Err(error) => {
            eprintln!("fencepost client: no runtime: {error}");
            ExitCode::from(BUG)
        }
    }
}

async fn serve(args: Args) -> std::io::Result<ExitCode> {
    let clock = RealClock::default();
    let node = |address| RealDoor::Node(RealNode::new(address).bound_to(args.bind));
    let store = match &args.store {
        None => None,
        Some(Place::Redis(address)) => Some(Store::Redis(node(*address))),
        Some(Place::Sqlite(path)) => match Sqlite::open(path) {
            Ok(sqlite) => Some(Store::Sqlite(sqlite)),
            Err(error) => return impossible(format!("{path} cannot be used as a store: {error}")),
        },
    };
    let nodes = match doors(&args).await {
        Ok(doors) => doors,
        Err(error) => return impossible(format!("the cluster cannot be reached: {error}")),
    };
    let mut session = Session::new(&args.name, &args.lock, args.resource.as_ref(), nodes, store, clock.clone(), args.seed);
    if args.lock.waits.is_some()
        && let Some(first) = args.nodes.first()
    {
        session.listen_by(RealSubscriber::new(*first, args.bind));
    }
    if let Err(error) = session.prepare().await {
        return impossible(error.to_string());
    }
    say(&Said::Ready(args.name.clone()))?;

    let first = if args.lock.is_renewed() { doors(&args).await.unwrap_or_default().into_iter().next() } else { None };
    let renewer = first.and_then(|first| session.renewer(first));
    let renewing = async {
        match renewer {
            // Whoever cannot be told any more is about to end this program.
            Some(renewer) => renewer.run(|unasked| drop(say(&Said::Unasked(unasked)))).await,
            None => std::future::pending().await,
        }
    };
    let (asked, mut asks) = unbounded_channel();
    let listening = tokio::spawn(listen(clock, asked));
    let answering = async {
        while let Some(Ask { id, what }) = asks.recv().await {
            let answer = session.answer(&what).await;
            say(&Said::Answer(id, answer))?;
        }
        listening.await.map_err(std::io::Error::other)?
    };
    tokio::select! {
        biased;
        answered = answering => answered?,
        () = renewing => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Through what the lock reaches its Redis: a door a node that it asks.
async fn doors(args: &Args) -> redis::RedisResult<Vec<RealDoor>> {
    let node = |node: RealNode| RealDoor::Node(node.bound_to(args.bind));
    let cluster = || RealDoor::cluster(args.lock.client.unwrap_or_default(), &args.cluster, args.bind);
    Ok(match (args.cluster.is_empty(), args.sentinels.is_empty()) {
        (false, _) if args.prefixes.is_empty() => vec![cluster().await?],
        (false, _) => {
            let mut doors = Vec::with_capacity(args.prefixes.len());
            for prefix in &args.prefixes {
                doors.push(RealDoor::Prefixed(Prefixed::new(cluster().await?, prefix.as_str())));
            }
            doors
        }
        (true, false) => vec![node(RealNode::master_of(args.sentinels.clone()))],
        (true, true) => args.nodes.iter().map(|address| node(RealNode::new(*address))).collect(),
    })
}

fn impossible(why: String) -> std::io::Result<ExitCode> {
    say(&Said::Impossible(why))?;
    Ok(ExitCode::from(IMPOSSIBLE))
}

/// Reads until the input ends: hands asks on, and does what cannot wait for them.
async fn listen(clock: RealClock, asked: UnboundedSender<Ask>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        match Request::from_line(&line) {
            Ok(Request::Ask(ask)) => {
                if asked.send(ask).is_err() {
                    break;
                }
            }
            Ok(Request::Clock { id, jump_ms }) => {
                clock.jump(jump_ms);
                let wall_ms = i64::try_from(clock.wall() / 1_000_000).unwrap_or(i64::MAX);
                say(&Said::Clock { id, wall_ms })?;
            }
            Err(_) if line.trim().is_empty() => {}
            Err(why) => refuse(&line, why)?,
        }
    }
    Ok(())
}

/// Answers a line that cannot be understood, if it says what to answer to.
fn refuse(line: &str, why: String) -> std::io::Result<()> {
    eprintln!("fencepost client: {why}: {line}");
    let id = serde_json::from_str::<serde_json::Value>(line).ok().and_then(|line| line.get("id")?.as_u64());
    match id {
        Some(id) => say(&Said::Answer(id, Answer::No(Told { why: Some(why), ..Told::default() }))),
        None => Ok(()),
    }
}

/// Prints a line at once.
fn say(said: &Said) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", said.to_line())?;
    out.flush()
}
