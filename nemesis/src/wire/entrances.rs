//! Where callers come in: a node's gates for everybody, one for each of its ports, and doors of single callers, each of which leads to a node that can be changed.

use super::board::Board;
use super::gate::{Gate, OpenGate, listen};
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

/// The gates and doors of a wire, open or shut. A door is shut while the node that it leads to is.
pub(super) struct Entrances {
    board: Rc<Board>,
    patience: Duration,
    gates: Vec<Gate>,
    open: BTreeMap<String, Vec<OpenGate>>,
    /// By where they are.
    doors: BTreeMap<SocketAddr, Door>,
}

struct Door {
    node: String,
    /// Kept so that it stays open; none while it is shut.
    open: Option<OpenGate>,
}

impl Entrances {
    /// Opens gates whose listeners are there already. A listener that is still taken is waited for as long as `patience`.
    pub(super) fn new(gates: Vec<Gate>, listeners: Vec<std::net::TcpListener>, board: Rc<Board>, patience: Duration) -> Self {
        let mut open = BTreeMap::<String, Vec<OpenGate>>::new();
        for (gate, listener) in gates.iter().zip(listeners) {
            let listener = TcpListener::from_std(listener).expect("a runtime with I/O, and a listener that does not block");
            open.entry(gate.node.clone()).or_default().push(OpenGate::new(gate, listener, board.clone()));
        }
        Entrances { board, patience, gates, open, doors: BTreeMap::new() }
    }

    /// A node is dead: callers are refused when this returns.
    pub(super) async fn shut(&mut self, node: &str) {
        let doors = self.doors.values_mut().filter(|door| door.node == node).filter_map(|door| door.open.take());
        for gate in self.open.remove(node).into_iter().flatten().chain(doors.collect::<Vec<_>>()) {
            gate.shut().await;
        }
    }

    /// A node is back.
    pub(super) async fn open(&mut self, node: &str) -> io::Result<()> {
        self.gate(node)?;
        let gates: Vec<Gate> = self.gates.iter().filter(|gate| gate.node == node).cloned().collect();
        let mut opened = Vec::with_capacity(gates.len());
        for gate in &gates {
            opened.push(self.enter(gate).await?);
        }
        self.open.insert(node.to_owned(), opened);
        let doors: Vec<SocketAddr> = self.doors.iter().filter(|(_, door)| door.node == node).map(|(at, _)| *at).collect();
        for door in doors {
            self.open_door(door).await?;
        }
        Ok(())
    }

    /// The door at this address leads to this node from now on.
    pub(super) async fn lead(&mut self, at: SocketAddr, node: &str) -> io::Result<()> {
        self.gate(node)?;
        if let Some(Door { open: Some(old), .. }) = self.doors.remove(&at) {
            old.shut().await;
        }
        self.doors.insert(at, Door { node: node.to_owned(), open: None });
        if self.open.contains_key(node) { self.open_door(at).await } else { Ok(()) }
    }

    async fn open_door(&mut self, listen: SocketAddr) -> io::Result<()> {
        let Some(node) = self.doors.get(&listen).map(|door| door.node.clone()) else { return Ok(()) };
        let opened = self.enter(&Gate { listen, ..self.gate(&node)? }).await?;
        if let Some(door) = self.doors.get_mut(&listen) {
            door.open = Some(opened);
        }
        Ok(())
    }

    /// The first gate of a node: that of the port at which it takes commands.
    fn gate(&self, node: &str) -> io::Result<Gate> {
        self.gates.iter().find(|gate| gate.node == node).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Opens a gate. A process that is just being started holds for a moment what its parent had open, a gate that was shut included: that is
    /// waited for.
    async fn enter(&self, gate: &Gate) -> io::Result<OpenGate> {
        let begun = Instant::now();
        let listener = loop {
            match listen(gate) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse && begun.elapsed() < self.patience => {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                listening => break listening?,
            }
        };
        Ok(OpenGate::new(gate, TcpListener::from_std(listener)?, self.board.clone()))
    }
}
