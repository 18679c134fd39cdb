//! The wire: a proxy between callers and Redis nodes that understands RESP, in user space and without root.
//!
//! Every node has a [`Gate`], an address of the wire's at which everybody calls it; a node of a cluster has another for its bus. Who calls is known by the address they call from. The wire
//! passes all bytes unchanged. It looks at them just long enough to see where messages begin and end and what commands are called, and does to a message
//! what the [`Rule`]s say; a message that none concerns goes on as its bytes come, however large it is. Only a judged reply is kept until it is whole.
//! Where bytes are no RESP, the rest of that connection passes unseen; connections that nodes make pass unseen from their first byte.
//! The link from one party to another can be severed, one way or both, and can lead over another proxy.
//!
//! It runs on a thread of its own, so that a busy commander does not stall it.

mod board;
mod detour;
mod entrances;
mod gate;
mod held;
mod link;
mod number;
mod pairing;
mod reply;
mod request;
mod rule;
mod severance;
mod stream;

use crate::Sighting;
use board::{Board, Orders};
use detour::Detours;
use entrances::Entrances;
use held::Held;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::LocalSet;

pub use board::STRANGER;
pub use detour::Passed;
pub use gate::Gate;
pub use rule::{Judged, Judgement, Occurrence, Rule, Rules, Verdict};
pub use severance::{Severances, Severed, Toll};

/// How long a dead caller's or node's connections may take to end by themselves, before they are reset.
const PATIENCE: Duration = Duration::from_secs(1);

/// The wire, for whoever commands it. Dropping it closes every connection.
pub struct Wire {
    orders: Arc<Orders>,
    commands: Option<UnboundedSender<Command>>,
    sightings: tokio::sync::Mutex<UnboundedReceiver<Sighting>>,
    thread: Option<JoinHandle<()>>,
}

/// What the wire's own thread must do; the sender resolves when it is done.
enum Command {
    Bury { caller: String, done: oneshot::Sender<()> },
    Reset { member: String, done: oneshot::Sender<usize> },
    Shut { node: String, done: oneshot::Sender<()> },
    Open { node: String, done: oneshot::Sender<io::Result<()>> },
    Lead { at: SocketAddr, node: String, done: oneshot::Sender<io::Result<()>> },
    Mended { from: String, to: String, done: oneshot::Sender<()> },
}

impl Wire {
    /// Opens these gates. The index of a rule names it in a [`Sighting`].
    ///
    /// # Errors
    /// A gate's address is taken, or there is no thread to be had.
    pub fn start(gates: Vec<Gate>, rules: Vec<Rule>) -> io::Result<Wire> {
        let listeners = gates.iter().map(gate::listen).collect::<io::Result<Vec<_>>>()?;
        let (told, sightings) = unbounded_channel();
        let orders = Orders {
            rules: Mutex::default(),
            callers: Mutex::default(),
            held: Arc::new(Held::new(told)),
            severances: Severances::default(),
            detours: Detours::default(),
        };
        let (command, commands) = unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut wire = Wire {
            orders: Arc::new(orders),
            commands: Some(command),
            sightings: tokio::sync::Mutex::new(sightings),
            thread: None,
        };
        for rule in rules {
            wire.rule(rule);
        }
        let orders = wire.orders.clone();
        let serve = move || LocalSet::new().block_on(&runtime, serve(gates, listeners, orders, commands));
        wire.thread = Some(std::thread::Builder::new().name("wire".into()).spawn(serve)?);
        Ok(wire)
    }

    /// Adds a rule, in force for every command whose name has not reached the wire. Its index names it in a [`Sighting`].
    pub fn rule(&self, rule: Rule) -> usize {
        self.orders.rules.lock().unwrap_or_else(PoisonError::into_inner).add(rule)
    }

    /// How many messages a rule's verdict was carried out on. Holding counts for nothing: it is reported.
    pub fn hits(&self, rule: usize) -> u32 {
        self.orders.rules.lock().unwrap_or_else(PoisonError::into_inner).hits(rule)
    }

    /// Takes a rule out of force and lets go what it detains; returns when all of it was written, or is lost. What it dropped stays lost, and
    /// with it what is behind it on its connection.
    pub async fn lift(&self, rule: usize) {
        self.orders.rules.lock().unwrap_or_else(PoisonError::into_inner).lift(rule);
        let let_go = self.orders.held.lift(rule);
        let arrived = async {
            for message in let_go {
                // It fails where the message is written or lost: nobody keeps the other end any more.
                let _ = message.await;
            }
        };
        // Who does not read what is written to it is not waited for.
        let _ = tokio::time::timeout(PATIENCE, arrived).await;
    }

    /// Says who calls from an address. Callers from elsewhere are [`STRANGER`]s.
    pub fn know(&self, address: IpAddr, caller: &str) {
        self.orders.callers.lock().unwrap_or_else(PoisonError::into_inner).insert(address, caller.to_owned());
    }

    /// The next message that is held. Cancelling loses none.
    pub async fn sighting(&self) -> Sighting {
        match self.sightings.lock().await.recv().await {
            Some(sighting) => sighting,
            None => std::future::pending().await,
        }
    }

    /// Lets a held message go on, once every rule that holds it was told so. It is dropped where its caller has closed the connection meanwhile.
    pub fn let_pass(&self, sighting: Sighting) {
        self.orders.held.let_pass(sighting.message);
    }

    /// A caller is dead: drops what is held of it and returns when the wire has seen each of its connections closed.
    pub async fn bury(&self, caller: &str) {
        self.tell(|done| Command::Bury { caller: caller.to_owned(), done }).await;
    }

    /// Resets every connection of a caller or to a node, at both ends, with what is under way on it; returns when they have ended, and how many there were.
    pub async fn reset(&self, member: &str) -> usize {
        self.tell(|done| Command::Reset { member: member.to_owned(), done }).await.unwrap_or(0)
    }

    /// A node is dead: its gate refuses callers from now on. Returns when every connection to it has ended; a held reply was sent before the
    /// node died, and still arrives when it is let pass.
    pub async fn shut(&self, node: &str) {
        self.tell(|done| Command::Shut { node: node.to_owned(), done }).await;
    }

    /// A node is back: its gate takes callers again.
    ///
    /// # Errors
    /// The wire has no gate of that name, or its address is taken.
    pub async fn open(&self, node: &str) -> io::Result<()> {
        let opened = self.tell(|done| Command::Open { node: node.to_owned(), done }).await;
        opened.unwrap_or_else(|| Err(io::Error::other("the wire's thread has ended")))
    }

    /// Has whoever calls at this address, a door of their own, reach a node from now on. What is open through it to another node is reset.
    ///
    /// # Errors
    /// The wire has no gate to that node, or the address is taken.
    pub async fn lead(&self, at: SocketAddr, node: &str) -> io::Result<()> {
        let led = self.tell(|done| Command::Lead { at, node: node.to_owned(), done }).await;
        led.unwrap_or_else(|| Err(io::Error::other("the wire's thread has ended")))
    }

    /// Severs the link from one party, caller or node, to another, for every byte that has not reached the wire. Its index names it.
    pub fn sever(&self, from: &str, to: &str, how: Severed) -> usize {
        self.orders.severances.add(from, to, how)
    }

    /// What a severed link has held or lost so far.
    pub fn toll(&self, severance: usize) -> Toll {
        self.orders.severances.toll(severance)
    }

    /// Mends a link: what was held goes on, and connections that lost something are reset. Returns when that is done.
    pub async fn mend(&self, severance: usize) {
        if let Some((from, to)) = self.orders.severances.mend(severance) {
            self.tell(|done| Command::Mended { from, to, done }).await;
        }
    }

    /// Has the connections that a caller makes to a node from now on lead over another proxy, which leads on to the node. The node sees them come
    /// from there.
    pub fn detour(&self, caller: &str, node: &str, via: SocketAddr) {
        self.orders.detours.add(caller, node, via);
    }

    /// Counts what passes on a detour from now on; the index names the count.
    pub fn watch(&self, caller: &str, node: &str) -> usize {
        self.orders.detours.watch(caller, node)
    }

    /// What has passed on a detour since it was watched.
    pub fn passed(&self, watch: usize) -> Passed {
        self.orders.detours.passed(watch)
    }

    async fn tell<T>(&self, command: impl FnOnce(oneshot::Sender<T>) -> Command) -> Option<T> {
        let (done, is_done) = oneshot::channel();
        self.commands.as_ref()?.send(command(done)).ok()?;
        is_done.await.ok()
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the wire's thread does, until nobody can command it any more.
async fn serve(
    gates: Vec<Gate>,
    listeners: Vec<std::net::TcpListener>,
    orders: Arc<Orders>,
    mut commands: UnboundedReceiver<Command>,
) {
    let nodes = gates.iter().map(|gate| gate.node.clone()).collect();
    let board = Rc::new(Board::new(orders, nodes));
    let mut entrances = Entrances::new(gates, listeners, board.clone(), PATIENCE);
    while let Some(command) = commands.recv().await {
        match command {
            Command::Bury { caller, done } => {
                board.bury(&caller, PATIENCE).await;
                let _ = done.send(());
            }
            Command::Reset { member, done } => {
                let _ = done.send(board.reset(&member, PATIENCE).await);
            }
            Command::Shut { node, done } => {
                entrances.shut(&node).await;
                board.bury_node(&node, PATIENCE).await;
                let _ = done.send(());
            }
            Command::Open { node, done } => drop(done.send(entrances.open(&node).await)),
            Command::Lead { at, node, done } => {
                let led = entrances.lead(at, &node).await;
                board.lead_away(at, &node, PATIENCE).await;
                let _ = done.send(led);
            }
            Command::Mended { from, to, done } => {
                board.mended(&from, &to, PATIENCE).await;
                let _ = done.send(());
            }
        }
    }
}
