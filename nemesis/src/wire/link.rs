//! One connection through the wire: bytes are passed on as they come, and kept back only where a rule wants a message.

use super::board::{Board, Link, Place};
use super::detour::Detoured;
use super::held::Arriving;
use super::pairing::Pairing;
use super::reply::Replies;
use super::request::{Requests, Seen};
use super::rule::{Judged, Judgement, Verdict};
use super::severance::Severed;
use crate::Moment;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::PoisonError;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpSocket, TcpStream};

/// As much as is read at once.
pub(super) const CHUNK: usize = 64 * 1024;

/// How a connection ended.
pub(super) enum End {
    /// The caller is gone: the node sees its connection closed.
    CallerGone,
    /// The node has closed: the caller sees its connection closed, after all that the node sent.
    NodeClosed,
    /// The node is gone: the caller sees a reset.
    NodeGone,
    /// Both see a reset.
    Reset,
}

/// What becomes of a judged message.
enum Fate {
    /// It goes on; with what is kept until it was written.
    Onward(Vec<Arriving>),
    Lost,
    Over(End),
}

/// Serves one caller until its connection ends.
pub(super) async fn serve(board: Rc<Board>, place: Place, mut caller: TcpStream, node: SocketAddr) {
    let link = &*place.link;
    let detours = &board.orders.detours;
    let way = detours.way(&link.caller, &link.node);
    let detour = way.map(|_| Detoured::new(detours, &link.caller, &link.node));
    let flow = Flow { board: &board, link, detour, pairing: RefCell::default(), replies_lost: Cell::default() };
    let dialled = tokio::select! {
        biased;
        () = link.cut() => None,
        node = flow.dial(&caller, way.unwrap_or(node)) => node.ok(),
    };
    let Some(mut node) = dialled else {
        flow.detour.iter().for_each(Detoured::refused);
        let _ = caller.set_zero_linger();
        return;
    };
    board.dialled(link);
    let end = {
        let (from_caller, to_caller) = caller.split();
        let (from_node, to_node) = node.split();
        let cut = async {
            link.cut().await;
            if link.orphaned() { End::CallerGone } else { End::Reset }
        };
        if board.is_node(&link.caller) {
            tokio::select! {
                biased;
                end = cut => end,
                end = flow.stream(from_caller, to_node, Moment::Request) => end,
                end = flow.stream(from_node, to_caller, Moment::Reply) => end,
            }
        } else {
            tokio::select! {
                biased;
                end = cut => end,
                end = flow.requests(from_caller, to_node) => end,
                end = flow.replies(from_node, to_caller) => end,
            }
        }
    };
    flow.detour.iter().for_each(Detoured::ended);
    // Whatever fails here has failed already.
    let _ = match end {
        End::CallerGone => Ok(()),
        End::NodeClosed => caller.shutdown().await,
        End::NodeGone => caller.set_zero_linger(),
        End::Reset => caller.set_zero_linger().and_then(|()| node.set_zero_linger()),
    };
}

/// Dials on. For a caller on loopback it does so from the caller's own address, so that the node sees who calls; any other address is not ours.
async fn dial(caller: &TcpStream, node: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    let from = caller.peer_addr()?.ip();
    if from.is_loopback() {
        socket.bind(SocketAddr::new(from, 0))?;
    }
    let node = socket.connect(node).await?;
    node.set_nodelay(true)?;
    caller.set_nodelay(true)?;
    Ok(node)
}

/// The two directions of one connection.
pub(super) struct Flow<'a> {
    pub(super) board: &'a Board,
    pub(super) link: &'a Link,
    /// Where it leads over another proxy.
    detour: Option<Detoured<'a>>,
    pairing: RefCell<Pairing>,
    /// A reply was lost, and with it all that the caller could still hear.
    replies_lost: Cell<bool>,
}

impl Flow<'_> {
    /// Dials on, where a connection can be made at all.
    async fn dial(&self, caller: &TcpStream, node: SocketAddr) -> io::Result<TcpStream> {
        for moment in [Moment::Request, Moment::Reply] {
            let (from, to) = self.link.ends(moment);
            if self.board.orders.severances.now(from, to) == Some(Severed::Lost) {
                self.passage(moment, 0).await;
            }
        }
        dial(caller, node).await
    }

    /// Writes to the node, or to the proxy before it.
    pub(super) async fn send(&self, to: &mut WriteHalf<'_>, bytes: &[u8]) -> io::Result<()> {
        if let (Some(detour), 1..) = (&self.detour, bytes.len()) {
            detour.sent(bytes.len());
        }
        to.write_all(bytes).await
    }

    /// The caller has closed its end.
    pub(super) fn hung_up(&self) {
        self.board.hung_up(self.link);
        self.detour.iter().for_each(Detoured::ended);
    }

    /// So many bytes have come from the node.
    pub(super) fn came(&self, bytes: usize) {
        if let (Some(detour), 1..) = (&self.detour, bytes) {
            detour.came(bytes);
        }
    }

    async fn requests(&self, mut from: ReadHalf<'_>, mut to: WriteHalf<'_>) -> End {
        let (mut requests, mut bytes, mut scanned) = (Requests::default(), Vec::with_capacity(CHUNK), 0);
        let mut reply = Judgement::new();
        let mut arriving = Vec::new();
        loop {
            let read = from.read_buf(&mut bytes).await;
            if !matches!(read, Ok(1..)) {
                self.hung_up();
                self.passage(Moment::Request, 0).await;
                let passed = self.send(&mut to, &bytes).await;
                return match read {
                    Ok(_) if passed.is_ok() && !self.replies_lost.get() => {
                        // A caller may close its half and still listen.
                        let _ = to.shutdown().await;
                        std::future::pending().await
                    }
                    _ => End::CallerGone,
                };
            }
            self.passage(Moment::Request, *read.as_ref().unwrap_or(&0)).await;
            let mut begun = 0;
            loop {
                let (used, seen) = requests.scan(&bytes[scanned..]);
                scanned += used;
                match seen {
                    Seen::Starved => break,
                    Seen::Lost => {
                        scanned = bytes.len();
                        break;
                    }
                    Seen::Ended => {
                        self.pairing.borrow_mut().asked(&requests, std::mem::take(&mut reply));
                        begun = scanned;
                    }
                    Seen::Named => {
                        let judged = self.judge(requests.name());
                        reply = judged.reply;
                        if judged.request.is_empty() {
                            continue;
                        }
                        if self.send(&mut to, &bytes[..begun]).await.is_err() {
                            return End::NodeGone;
                        }
                        bytes.drain(..begun);
                        (scanned, begun) = (scanned - begun, 0);
                        match self.carry_out(&judged.request, Moment::Request, from.as_ref()).await {
                            Fate::Onward(kept) => arriving.extend(kept),
                            Fate::Lost => {
                                discard(from).await;
                                self.hung_up();
                                return End::CallerGone;
                            }
                            Fate::Over(end) => return end,
                        }
                    }
                }
            }
            let clear = if requests.nameless() { begun } else { scanned };
            if self.send(&mut to, &bytes[..clear]).await.is_err() {
                return End::NodeGone;
            }
            self.board.thawed(self.link);
            arriving.clear();
            bytes.drain(..clear);
            scanned -= clear;
        }
    }

    async fn replies(&self, mut from: ReadHalf<'_>, mut to: WriteHalf<'_>) -> End {
        let (mut replies, mut bytes, mut scanned) = (Replies::default(), Vec::with_capacity(CHUNK), 0);
        let (mut kept_back, mut arriving) = (false, Vec::new());
        loop {
            let read = from.read_buf(&mut bytes).await;
            self.came(*read.as_ref().unwrap_or(&0));
            self.passage(Moment::Reply, *read.as_ref().unwrap_or(&0)).await;
            if !matches!(read, Ok(1..)) {
                return match (to.write_all(&bytes).await, read) {
                    (Err(_), _) => End::CallerGone,
                    (Ok(()), Ok(_)) => End::NodeClosed,
                    (Ok(()), Err(_)) => End::NodeGone,
                };
            }
            let mut begun = 0;
            while scanned < bytes.len() {
                if replies.between() {
                    kept_back = self.pairing.borrow().next_is_judged();
                }
                let (used, seen) = replies.scan(&bytes[scanned..]);
                scanned += used;
                match seen {
                    Seen::Starved | Seen::Named => {}
                    Seen::Lost => {
                        scanned = bytes.len();
                        kept_back = false;
                    }
                    Seen::Ended => {
                        let judgement = self.pairing.borrow_mut().arrived(replies.mark(), replies.word());
                        if !judgement.is_empty() {
                            if to.write_all(&bytes[..begun]).await.is_err() {
                                return End::CallerGone;
                            }
                            bytes.drain(..begun);
                            scanned -= begun;
                            match self.carry_out(&judgement, Moment::Reply, to.as_ref()).await {
                                Fate::Onward(kept) => arriving.extend(kept),
                                Fate::Lost => {
                                    self.replies_lost.set(true);
                                    discard(from).await;
                                    return std::future::pending().await;
                                }
                                Fate::Over(end) => return end,
                            }
                        }
                        (begun, kept_back) = (scanned, false);
                    }
                }
            }
            let clear = if kept_back { begun } else { scanned };
            if to.write_all(&bytes[..clear]).await.is_err() {
                return End::CallerGone;
            }
            self.board.thawed(self.link);
            arriving.clear();
            bytes.drain(..clear);
            scanned -= clear;
        }
    }

    fn judge(&self, command: &[u8]) -> Judged {
        let mut rules = self.board.orders.rules.lock().unwrap_or_else(PoisonError::into_inner);
        rules.judge(&self.link.caller, &self.link.node, command)
    }

    /// Holds a message for each rule that wants it held, and then does to it what the most severe of the other verdicts says.
    async fn carry_out(&self, judgement: &Judgement, moment: Moment, caller: &TcpStream) -> Fate {
        let holding = || judgement.iter().filter(|(_, verdict)| *verdict == Verdict::Hold).map(|(rule, _)| *rule);
        if holding().next().is_some() {
            if self.link.orphaned() {
                return Fate::Over(End::CallerGone);
            }
            self.board.hold(self.link, moment, holding()).await;
            if has_hung_up(caller) {
                return Fate::Over(End::CallerGone);
            }
        }
        let verdict = self.board.orders.rules.lock().unwrap_or_else(PoisonError::into_inner).hit(judgement);
        match verdict {
            Verdict::Pass | Verdict::Hold => Fate::Onward(vec![]),
            Verdict::Reset => Fate::Over(End::Reset),
            Verdict::Drop => Fate::Lost,
            Verdict::Delay(how_long) => {
                tokio::time::sleep(how_long).await;
                Fate::Onward(vec![])
            }
            Verdict::Detain => {
                let mut arriving = Vec::new();
                for (rule, _) in judgement.iter().filter(|(_, verdict)| *verdict == Verdict::Detain) {
                    arriving.extend(self.board.detain(self.link, moment, *rule).await);
                }
                Fate::Onward(arriving)
            }
        }
    }
}

/// Whether the other end has closed, even where bytes that it sent before are still unread.
fn has_hung_up(stream: &TcpStream) -> bool {
    let asked = PollFlags::RDHUP;
    let mut fds = [PollFd::new(stream, asked)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&now)).is_ok() && fds[0].revents().intersects(asked | PollFlags::HUP | PollFlags::ERR)
}

/// Reads and forgets until the stream ends.
async fn discard(mut from: ReadHalf<'_>) {
    let mut nowhere = vec![0; CHUNK];
    while matches!(from.read(&mut nowhere).await, Ok(1..)) {}
}
