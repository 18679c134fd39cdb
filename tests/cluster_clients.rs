//! The model of redis-rs's `ClusterConnection` is held to the real one: the same cluster of real servers, the same messages lost on the way, and what
//! each answers, how often the server executed its command, and how long it took must be the same. And the client that follows redirects re-sends
//! nothing.

mod support;

use fencepost::client::cluster::{ClusterNodes, Resending, Rest};
use fencepost::client::real::{RealNode, cluster_connection};
use nemesis::Moment;
use nemesis::wire::{Gate, Occurrence, Rule, Verdict, Wire};
use redis::aio::ConnectionLike;
use redis::{RedisResult, Value, cmd};
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::clustered::Clustered;

/// Time that passes.
struct Real;

impl Rest for Real {
    fn rest(&self, how_long: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(how_long))
    }
}

/// Which client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Real,
    Model,
    Following,
}

/// A cluster of one master and its replica behind the wire.
struct Stage {
    cluster: Clustered,
    wire: Wire,
    client: IpAddr,
    gates: Vec<SocketAddr>,
}

/// What came of a command.
#[derive(Debug, PartialEq)]
struct Came {
    /// Its reply, or that there was none and what that means.
    reply: Result<Value, &'static str>,
    /// How often the master executed SET.
    executed: u64,
}

impl Stage {
    async fn new() -> Option<Stage> {
        let cluster = Clustered::start().await?;
        let gates: Vec<Gate> = cluster.gates();
        let listen = gates.iter().take(2).map(|gate| gate.listen).collect();
        let wire = Wire::start(gates, vec![]).expect("the gates open");
        let client = Clustered::client();
        wire.know(client, "c1");
        for (node, name) in [(1, "n1"), (2, "n2")] {
            wire.know(cluster.at(node).ip(), name);
        }
        cluster.form().await;
        Some(Stage { cluster, wire, client, gates: listen })
    }

    /// Has a client that knows the cluster send `SET key token NX`, with this rule in force meanwhile.
    async fn set(&self, which: Which, key: &str, rule: Option<Rule>) -> (Came, Duration) {
        match which {
            Which::Real => self.set_by(cluster_connection(&self.gates, self.client).await.expect("it connects"), key, rule).await,
            Which::Model => self.set_by(self.by_hand(Resending::AsClusterConnection(Arc::new(Real))), key, rule).await,
            Which::Following => self.set_by(self.by_hand(Resending::Never), key, rule).await,
        }
    }

    fn by_hand(&self, resending: Resending) -> ClusterNodes<RealNode> {
        let node = |at: &SocketAddr| (at.to_string(), RealNode::new(*at).bound_to(self.client));
        ClusterNodes::new(self.gates.iter().map(node).collect(), resending)
    }

    async fn set_by(&self, mut client: impl ConnectionLike, key: &str, rule: Option<Rule>) -> (Came, Duration) {
        cmd("GET").arg(key).query_async::<Value>(&mut client).await.expect("all is well yet");
        let before = self.cluster.executed("set").await;
        let rule = rule.map(|rule| self.wire.rule(rule));
        let begun = Instant::now();
        let reply: RedisResult<Value> = cmd("SET").arg(key).arg("token").arg("NX").query_async(&mut client).await;
        let took = begun.elapsed();
        if let Some(rule) = rule {
            self.wire.lift(rule).await;
        }
        let reply = reply.map_err(|error| match error {
            error if error.is_timeout() => "timed out",
            error if error.is_io_error() => "broken",
            _ => "refused",
        });
        (Came { reply, executed: self.cluster.executed("set").await - before }, took)
    }
}

fn rule(moment: Moment, occurrence: Occurrence) -> Option<Rule> {
    let (from, command) = (Some("c1".into()), Some("SET".into()));
    Some(Rule { from, to: Some("n1".into()), command, moment, occurrence, verdict: Verdict::Reset })
}

macro_rules! stage_or_skip {
    () => {
        match Stage::new().await {
            Some(stage) => stage,
            None => {
                assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "no redis-server on the PATH");
                return eprintln!("SKIPPED {}: no redis-server on the PATH", module_path!());
            }
        }
    };
}

/// That the client's own key is there.
const REFUSED: Value = Value::Nil;

#[tokio::test]
async fn what_is_sent_again_is_sent_again_by_the_model_too() {
    let stage = stage_or_skip!();
    for which in [Which::Real, Which::Model] {
        let key = |case: &str| format!("{case}-{which:?}");
        let (came, _) = stage.set(which, &key("well"), None).await;
        assert_eq!(came, Came { reply: Ok(Value::Okay), executed: 1 }, "{which:?}");
        // The phantom: executed, the reply lost, sent again, refused by its own key.
        let (came, took) = stage.set(which, &key("reply"), rule(Moment::Reply, Occurrence::Nth(1))).await;
        assert_eq!(came, Came { reply: Ok(REFUSED), executed: 2 }, "{which:?}");
        assert!(took < Duration::from_millis(1000), "{which:?} sends it again at once: {took:?}");
        let (came, _) = stage.set(which, &key("request"), rule(Moment::Request, Occurrence::Nth(1))).await;
        assert_eq!(came, Came { reply: Ok(Value::Okay), executed: 1 }, "{which:?}");
        // However often: it gives up in the end.
        let (came, took) = stage.set(which, &key("always"), rule(Moment::Reply, Occurrence::From(1))).await;
        assert_eq!(came.reply, Err("broken"), "{which:?}");
        assert!(took < Duration::from_millis(1000), "{which:?}: {took:?}");
        // 17 times in all: every other time to the replica, unless redis-rs has mended its connection before it sends again.
        let times = if which == Which::Model { 9..=9 } else { 9..=17 };
        assert!(times.contains(&came.executed), "{which:?}: {came:?}");
    }
}

#[tokio::test]
async fn a_cluster_that_is_down_is_waited_for_in_pauses_for_five_seconds_in_all() {
    let stage = stage_or_skip!();
    let mut real = cluster_connection(&stage.gates, stage.client).await.expect("it connects");
    let mut model = stage.by_hand(Resending::AsClusterConnection(Arc::new(Real)));
    let get = cmd("GET").arg("down").take();
    get.query_async::<Value>(&mut real).await.expect("all is well yet");
    get.query_async::<Value>(&mut model).await.expect("all is well yet");
    stage.cluster.lose_a_slot().await;
    // Both at once: it takes its time.
    let timed = async |asked: Pin<Box<dyn Future<Output = RedisResult<Value>> + '_>>| {
        let begun = Instant::now();
        let error = asked.await.expect_err("the cluster is down");
        assert!(error.is_timeout(), "{error}");
        begun.elapsed()
    };
    let (real, model) = tokio::join!(timed(Box::pin(get.query_async(&mut real))), timed(Box::pin(get.query_async(&mut model))));
    for took in [real, model] {
        assert!((4_900..5_900).contains(&took.as_millis()), "real {real:?}, model {model:?}");
    }
    assert!(stage.cluster.refused().await >= 8, "each asks at once, and after 1.28, 2.56 and 3.84 s");
}

#[tokio::test]
async fn who_follows_redirects_sends_nothing_again_that_may_have_been_executed() {
    let stage = stage_or_skip!();
    let (came, _) = stage.set(Which::Following, "reply", rule(Moment::Reply, Occurrence::Nth(1))).await;
    assert_eq!(came, Came { reply: Err("broken"), executed: 1 });
    let (came, _) = stage.set(Which::Following, "reply", None).await;
    assert_eq!(came, Came { reply: Ok(REFUSED), executed: 1 }, "the key is there");
    let (came, _) = stage.set(Which::Following, "request", rule(Moment::Request, Occurrence::Nth(1))).await;
    assert_eq!(came, Came { reply: Err("broken"), executed: 0 });
}
