//! A real redis-server, a wire before it, and connections from any address.

use nemesis::wire::{Gate, Occurrence, Rule, Verdict, Wire};
use nemesis::{Moment, Sighting, WirePattern};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

/// Longer than anything here takes; a test that waits so long has failed.
const AGES: Duration = Duration::from_secs(20);
const PORT: u16 = 6379;

/// A node, its wire, and a block of loopback addresses of its own.
pub struct Bench {
    pub wire: Wire,
    node: Child,
    block: [u8; 3],
}

/// Whether real Redis can be had. A test that is skipped says so, and fails where nothing may be skipped.
pub fn redis_is_here() -> bool {
    let here = Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !here {
        eprintln!("SKIPPED: there is no redis-server on the PATH");
        assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "nothing may be skipped");
    }
    here
}

impl Bench {
    /// A node behind a wire with these rules; callers at .201 and .202 are `c1` and `c2`, and one at .204 is the node itself.
    pub async fn new(rules: Vec<Rule>) -> Bench {
        static NEXT: AtomicU8 = AtomicU8::new(0);
        let pid = std::process::id();
        let mut bench = None;
        while bench.is_none() {
            let block = [127, 100 + (pid % 100) as u8, NEXT.fetch_add(1, Ordering::Relaxed)];
            let gate = Gate { node: "n1".into(), listen: at(block, 110), dial: at(block, 11) };
            bench = Wire::start(vec![gate], rules.clone()).ok().map(|wire| (wire, block));
        }
        let (wire, block) = bench.expect("a free block");
        for (host, caller) in [(201, "c1"), (202, "c2"), (204, "n1")] {
            wire.know(at(block, host).ip(), caller);
        }
        let bench = Bench { wire, node: start(block), block };
        bench.until_it_answers().await;
        bench
    }

    /// A connection through the wire from this host of the block.
    pub async fn call(&self, host: u8) -> Caller {
        Caller(connect(at(self.block, host).ip(), at(self.block, 110)).await.expect("the wire takes callers"))
    }

    /// An address of the block.
    pub fn at(&self, host: u8) -> SocketAddr {
        at(self.block, host)
    }

    /// A connection from one host of the block to another, or why there is none.
    pub async fn reach(&self, from: u8, to: u8) -> std::io::Result<Caller> {
        connect(self.at(from).ip(), self.at(to)).await.map(Caller)
    }

    /// Listens where the wire would.
    pub fn hold_gate(&self) -> std::net::TcpListener {
        std::net::TcpListener::bind(at(self.block, 110)).expect("the gate is shut")
    }

    /// Whether the wire takes callers.
    pub async fn is_open(&self) -> bool {
        connect(at(self.block, 201).ip(), at(self.block, 110)).await.is_ok()
    }

    /// A connection past the wire.
    pub async fn direct(&self) -> Caller {
        Caller(connect(at(self.block, 1).ip(), at(self.block, 11)).await.expect("the node takes callers"))
    }

    /// What the node holds, asked past the wire.
    pub async fn get(&self, key: &str) -> String {
        self.direct().await.ask(&format!("GET {key}")).await
    }

    /// Returns when the node has no connection from this host.
    pub async fn until_gone(&self, host: u8) {
        let mut direct = self.direct().await;
        let address = format!("addr={}:", at(self.block, host).ip());
        until(async || !direct.ask("CLIENT LIST").await.contains(&address)).await;
    }

    pub async fn sighting(&self) -> Sighting {
        timeout(AGES, self.wire.sighting()).await.expect("the message was seen")
    }

    pub fn kill_node(&mut self) {
        self.node.kill().expect("a child can be killed");
        self.node.wait().expect("and reaped");
    }

    pub async fn start_node(&mut self) {
        self.node = start(self.block);
        self.until_it_answers().await;
    }

    async fn until_it_answers(&self) {
        let (from, node) = (at(self.block, 1).ip(), at(self.block, 11));
        until(async || match connect(from, node).await {
            Ok(stream) => Caller(stream).ask("PING").await == "+PONG\r\n",
            Err(_) => false,
        })
        .await;
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = (self.node.kill(), self.node.wait());
    }
}

/// Returns when this holds.
pub async fn until(mut holds: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(AGES, waiting).await.expect("what was waited for came");
}

fn at([a, b, c]: [u8; 3], host: u8) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::new(a, b, c, host)), PORT)
}

fn start(block: [u8; 3]) -> Child {
    let ip = at(block, 11).ip().to_string();
    Command::new("redis-server")
        .args(["--bind", &ip, "--port", &PORT.to_string(), "--protected-mode", "no", "--save", "", "--dir", "/tmp"])
        .stdout(Stdio::null())
        .spawn()
        .expect("redis-server starts")
}

async fn connect(from: IpAddr, to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(SocketAddr::new(from, 0))?;
    timeout(AGES, socket.connect(to)).await.expect("a connection is taken or refused")
}

/// A connection that speaks raw bytes.
pub struct Caller(pub TcpStream);

impl Caller {
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        timeout(AGES, self.0.write_all(bytes.as_ref())).await.expect("bytes are taken").expect("the connection stands");
    }

    /// Exactly these bytes come next.
    pub async fn hear(&mut self, bytes: &str) {
        let mut heard = vec![0; bytes.len()];
        let read = timeout(AGES, self.0.read_exact(&mut heard)).await.expect("an answer comes");
        read.unwrap_or_else(|error| panic!("{error} instead of {bytes:?}"));
        assert_eq!(String::from_utf8_lossy(&heard), bytes);
    }

    /// Everything until the connection ends, and whether it ended in a reset.
    pub async fn rest(&mut self) -> (Vec<u8>, bool) {
        let mut heard = vec![];
        let read = timeout(AGES, self.0.read_to_end(&mut heard)).await.expect("the connection ends");
        (heard, read.is_err())
    }

    /// An inline command and its reply, which is one line or one string.
    pub async fn ask(&mut self, command: &str) -> String {
        self.send(format!("{command}\r\n")).await;
        let mut line = self.line().await;
        if let Some(length) = line.strip_prefix('$').and_then(|length| length.trim_end().parse::<usize>().ok()) {
            let mut text = vec![0; length + 2];
            timeout(AGES, self.0.read_exact(&mut text)).await.expect("a string comes").expect("the connection stands");
            line += &String::from_utf8_lossy(&text);
        }
        line
    }

    async fn line(&mut self) -> String {
        let mut line = vec![];
        while !line.ends_with(b"\r\n") {
            let byte = timeout(AGES, self.0.read_u8()).await.expect("a line comes").expect("the connection stands");
            line.push(byte);
        }
        String::from_utf8_lossy(&line).into_owned()
    }

    /// Nothing has come: to be asked when something else proves that it would have.
    pub fn has_heard_nothing(&self) -> bool {
        matches!(self.0.try_read(&mut [0; 1]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    }
}

/// The rule that holds the nth such message of `c1`.
pub fn hold(command: &str, moment: Moment, nth: u32) -> Rule {
    Rule::hold(&WirePattern { client: "c1".into(), node: Some("n1".into()), command: command.into(), moment, nth })
}

/// The rule that does this to every such message of `c1`.
pub fn every(command: &str, moment: Moment, verdict: Verdict) -> Rule {
    Rule { occurrence: Occurrence::From(1), verdict, ..hold(command, moment, 1) }
}
