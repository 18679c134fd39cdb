//! A cluster of one master and its replica, which die with the test. Nobody meets them but at the gates of a wire.

use fencepost::client::real::RealNode;
use nemesis::wire::Gate;
use redis::{FromRedisValue, RedisResult, Value, cmd};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

const PORT: u16 = 6390;
const BUS: u16 = 16390;

/// The servers.
pub struct Clustered {
    net: [u8; 2],
    children: Vec<Child>,
    _folder: tempfile::TempDir,
}

impl Clustered {
    /// Starts both; none without a redis-server.
    pub async fn start() -> Option<Clustered> {
        static NEXT: AtomicU8 = AtomicU8::new(0);
        let [.., a, b] = std::process::id().to_be_bytes();
        let net = [128 + (a.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) & 63), b];
        let folder = tempfile::tempdir().expect("a folder");
        let mut cluster = Clustered { net, children: vec![], _folder: folder };
        for node in [1, 2] {
            let (ip, gate) = (cluster.at(node).ip().to_string(), cluster.at(node + 10).ip().to_string());
            let mut command = Command::new("redis-server");
            command
                .args(["--bind", &ip, "--bind-source-addr", &ip, "--port", &PORT.to_string(), "--protected-mode", "no"])
                .args(["--save", "", "--cluster-enabled", "yes", "--cluster-config-file", &format!("nodes-{node}.conf")])
                .args(["--cluster-port", &BUS.to_string(), "--repl-diskless-sync", "no", "--cluster-announce-ip", &gate])
                .args(["--cluster-announce-port", &PORT.to_string(), "--cluster-announce-bus-port", &BUS.to_string()])
                .args(["--dbfilename", &format!("{node}.rdb")])
                .current_dir(cluster._folder.path())
                .stdin(Stdio::null())
                .stdout(Stdio::null());
            // SAFETY: between fork and exec only prctl is called, which is async-signal-safe.
            unsafe {
                command.pre_exec(|| {
                    let death = Some(rustix::process::Signal::KILL);
                    rustix::process::set_parent_process_death_signal(death).map_err(Into::into)
                });
            }
            match command.spawn() {
                Ok(child) => cluster.children.push(child),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
                Err(error) => panic!("redis-server: {error}"),
            }
            until(async || cluster.tell::<String>(node, &["PING"]).await.is_ok()).await;
        }
        Some(cluster)
    }

    /// From where this process calls clusters.
    pub fn client() -> IpAddr {
        let [.., a, b] = std::process::id().to_be_bytes();
        Ipv4Addr::new(127, 127, a, b.max(2)).into()
    }

    /// An address of its own network.
    pub fn at(&self, host: u8) -> SocketAddr {
        let [a, b] = self.net;
        SocketAddr::from((Ipv4Addr::new(127, a, b, host), PORT))
    }

    /// Where everybody is to find its nodes, and then their buses.
    pub fn gates(&self) -> Vec<Gate> {
        let gate = |node: u8| Gate { node: format!("n{node}"), listen: self.at(node + 10), dial: self.at(node) };
        let bus = |at: SocketAddr| SocketAddr::new(at.ip(), BUS);
        let own = [gate(1), gate(2)];
        let buses = own.clone().map(|gate| Gate { listen: bus(gate.listen), dial: bus(gate.dial), ..gate });
        own.into_iter().chain(buses).collect()
    }

    /// Makes them one cluster, once their gates are open.
    pub async fn form(&self) {
        let told = |told: RedisResult<Value>| assert_eq!(told.expect("it obeys"), Value::Okay);
        told(self.tell(1, &["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]).await);
        told(self.tell(2, &["CLUSTER", "SET-CONFIG-EPOCH", "2"]).await);
        let (ip, port, bus) = (self.at(11).ip().to_string(), PORT.to_string(), BUS.to_string());
        told(self.tell(2, &["CLUSTER", "MEET", &ip, &port, &bus]).await);
        let id: String = self.tell(1, &["CLUSTER", "MYID"]).await.expect("it has one");
        until(async || self.tell::<Value>(2, &["CLUSTER", "REPLICATE", &id]).await == Ok(Value::Okay)).await;
        let ok = async |node| self.tell::<String>(node, &["CLUSTER", "INFO"]).await.is_ok_and(|info| info.contains("state:ok"));
        until(async || ok(1).await && ok(2).await).await;
        // The master is to name its replica.
        let replica = self.at(12).ip().to_string();
        let named = async || {
            let slots = self.tell::<Value>(1, &["CLUSTER", "SLOTS"]).await;
            slots.is_ok_and(|slots| format!("{slots:?}").contains(&replica))
        };
        until(named).await;
    }

    /// Has the master forget one slot: with it the cluster is down.
    pub async fn lose_a_slot(&self) {
        self.tell::<Value>(1, &["CLUSTER", "DELSLOTS", "0"]).await.expect("it obeys");
        let down = async || self.tell::<String>(1, &["CLUSTER", "INFO"]).await.is_ok_and(|info| info.contains("state:fail"));
        until(down).await;
    }

    /// How often the master has executed a command.
    pub async fn executed(&self, command: &str) -> u64 {
        self.count("commandstats", &format!("cmdstat_{command}:calls=")).await
    }

    /// How often a node has said that the cluster is down.
    pub async fn refused(&self) -> u64 {
        self.count("errorstats", "errorstat_CLUSTERDOWN:count=").await
    }

    async fn count(&self, section: &str, field: &str) -> u64 {
        let info: String = self.tell(1, &["INFO", section]).await.expect("it answers");
        let counted = info.lines().find_map(|line| line.strip_prefix(field)?.split(',').next()?.trim().parse().ok());
        counted.unwrap_or(0)
    }

    async fn tell<T: FromRedisValue>(&self, node: u8, command: &[&str]) -> RedisResult<T> {
        let mut asked = cmd(command[0]);
        asked.arg(&command[1..]);
        asked.query_async(&mut RealNode::new(self.at(node)).patience(Duration::from_millis(500))).await
    }
}

impl Drop for Clustered {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

async fn until(is: impl AsyncFn() -> bool) {
    let begun = Instant::now();
    while !is().await {
        assert!(begun.elapsed() < Duration::from_secs(20), "it does not come");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
