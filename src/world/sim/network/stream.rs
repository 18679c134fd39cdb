//! The streams between masters and replicas: what is sent on them, and what becomes of it.

use super::host::Arrived;
use super::replication::address;
use super::{Network, State};
use crate::world::sim::redis::{Effects, LinkState};
use checker::Nanos;
use nemesis::wire::Severed;
use rand::RngExt;
use std::rc::Rc;

/// About how many bytes an acknowledgement has, or the request for one.
const SHORT: usize = 40;

/// A replica's connection to its master.
pub(super) struct Stream {
    pub(super) master: usize,
    pub(super) replica: usize,
    /// When the last letter that was sent each way arrives: the next cannot overtake it.
    pub(super) last: [Nanos; 2],
    pub(super) standing: Standing,
    /// What a severed link holds.
    pub(super) held: Vec<Letter>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// The replica has asked for everything.
    Asked,
    /// It is sent what changes.
    Fed,
    /// It lost something, and ends when its link is mended.
    Torn,
    Over,
}

/// A message of a stream.
pub(super) struct Letter {
    stream: usize,
    what: What,
}

pub(super) enum What {
    /// From the master.
    Effects(Effects),
    HowFar,
    End,
    /// From the replica.
    Sync,
    SoFar(u64),
}

impl What {
    fn is_from_replica(&self) -> bool {
        matches!(self, What::Sync | What::SoFar(_))
    }

    fn size(&self) -> usize {
        match self {
            What::Effects(effects) => effects.size(),
            What::End => 0,
            What::HowFar | What::Sync | What::SoFar(_) => SHORT,
        }
    }
}

impl Network {
    /// Sends a letter. A severed link takes what is sent while it is severed, and what is under way then.
    pub(super) fn mail(self: &Rc<Self>, stream: usize, what: What) {
        let Some(letter) = self.state.borrow_mut().passes(Letter { stream, what }) else { return };
        let at = {
            let State { slow, streams, nodes, rng, .. } = &mut *self.state.borrow_mut();
            let stream = &mut streams[stream];
            let (master, replica) = (nodes[stream.master].name.as_str(), nodes[stream.replica].name.as_str());
            let (from, to) = if letter.what.is_from_replica() { (replica, master) } else { (master, replica) };
            let lag = super::slow::lag(slow, rng, from, to, letter.what.size());
            let at = self.universe.now() + rng.random_range(super::traffic::LATENCY) + lag;
            let last = &mut stream.last[usize::from(letter.what.is_from_replica())];
            *last = at.max(*last + 1);
            *last
        };
        let network = self.clone();
        self.universe.at(at, move || {
            let letter = network.state.borrow_mut().passes(letter);
            letter.into_iter().for_each(|letter| network.receive(letter));
        });
    }

    /// A letter is at its node.
    pub(super) fn receive(self: &Rc<Self>, letter: Letter) {
        let Letter { stream, what } = letter;
        let (at, replica, standing) = {
            let state = &mut *self.state.borrow_mut();
            let Stream { master, replica, standing, .. } = state.streams[stream];
            let at = if what.is_from_replica() { master } else { replica };
            let host = &mut state.nodes[at];
            if !host.node.is_up() {
                return;
            }
            if host.paused {
                host.backlog.push_back(Arrived::Letter(Letter { stream, what }));
                return;
            }
            (at, replica, standing)
        };
        if matches!(standing, Standing::Torn | Standing::Over) {
            return;
        }
        match what {
            What::Effects(effects) => {
                let first = {
                    let node = &mut self.state.borrow_mut().nodes[at].node;
                    let first = node.link_state() == LinkState::Connect;
                    node.apply(effects);
                    first
                };
                self.propagate(at);
                if first {
                    self.say_how_far(stream);
                }
            }
            What::HowFar => self.say_how_far(stream),
            What::End => {
                let state = &mut *self.state.borrow_mut();
                state.streams[stream].standing = Standing::Over;
                state.nodes[at].node.lost_master();
            }
            What::Sync => {
                self.propagate(at);
                let everything = {
                    let state = &mut *self.state.borrow_mut();
                    state.streams[stream].standing = Standing::Fed;
                    let replica = address(&state.nodes[replica].name);
                    let master = &mut state.nodes[at];
                    let now_ms = master.wall_ms(&self.universe);
                    master.node.followed_by(replica, now_ms)
                };
                self.mail(stream, What::Effects(everything));
            }
            What::SoFar(offset) => {
                {
                    let state = &mut *self.state.borrow_mut();
                    let replica = address(&state.nodes[replica].name);
                    let master = &mut state.nodes[at];
                    let now_ms = master.wall_ms(&self.universe);
                    master.node.heard(&replica, offset, now_ms);
                }
                self.unblock(at);
            }
        }
    }

    pub(super) fn say_how_far(self: &Rc<Self>, stream: usize) {
        let offset = {
            let state = self.state.borrow();
            state.nodes[state.streams[stream].replica].node.offset()
        };
        self.mail(stream, What::SoFar(offset));
    }

    /// The link between two parties is mended: what was held goes on, and streams that lost something end and are made anew.
    pub(super) fn streams_mended(self: &Rc<Self>, from: &str, to: &str) {
        let (free, torn) = {
            let state = &mut *self.state.borrow_mut();
            let (mut free, mut torn) = (Vec::new(), Vec::new());
            for stream in &mut state.streams {
                let (master, replica) = (state.nodes[stream.master].name.as_str(), state.nodes[stream.replica].name.as_str());
                if ![(master, replica), (replica, master)].contains(&(from, to)) {
                    continue;
                }
                if stream.standing == Standing::Torn {
                    torn.push(stream.replica);
                } else if state.severances.now(master, replica).is_none() {
                    free.append(&mut stream.held);
                }
            }
            (free, torn)
        };
        free.into_iter().for_each(|letter| self.receive(letter));
        torn.into_iter().for_each(|replica| self.role_changed(replica));
    }
}

impl State {
    pub(super) fn index(&self, node: &str) -> Option<usize> {
        self.nodes.iter().position(|host| host.name == node)
    }

    /// The letter, unless its stream is over or a severed link takes it.
    fn passes(&mut self, letter: Letter) -> Option<Letter> {
        let stream = &mut self.streams[letter.stream];
        if matches!(stream.standing, Standing::Torn | Standing::Over) {
            return None;
        }
        let (master, replica) = (&self.nodes[stream.master].name, &self.nodes[stream.replica].name);
        let (from, to) = if letter.what.is_from_replica() { (replica, master) } else { (master, replica) };
        let met = match self.severances.meets(from, to, letter.what.size()) {
            // Nobody answers who dials.
            None if matches!(letter.what, What::Sync) => self.severances.meets(to, from, 0),
            met => met,
        };
        match met {
            Some(Severed::Lost) => {
                stream.standing = Standing::Torn;
                None
            }
            Some(Severed::Held) if !letter.what.is_from_replica() => {
                stream.held.push(letter);
                None
            }
            _ => Some(letter),
        }
    }

    pub(super) fn streams_of(&self, master: usize, which: impl Fn(&Stream) -> bool) -> Vec<usize> {
        let all = self.streams.iter().enumerate();
        all.filter(|(_, stream)| stream.master == master && which(stream)).map(|(index, _)| index).collect()
    }

    /// A replica's streams are over. Its master hears of it where anything passes between them.
    pub(super) fn leave(&mut self, replica: usize) {
        let State { streams, nodes, severances, .. } = self;
        for stream in streams.iter_mut().filter(|stream| stream.replica == replica && stream.standing != Standing::Over) {
            stream.standing = Standing::Over;
            stream.held.clear();
            let gone = address(&nodes[replica].name);
            if severances.now(&gone.host, &nodes[stream.master].name).is_none() {
                nodes[stream.master].node.abandoned_by(&gone);
            }
        }
        nodes[replica].node.lost_master();
    }
}
