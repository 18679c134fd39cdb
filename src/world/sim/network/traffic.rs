//! What becomes of messages on their way.

use super::host::Arrived;
use super::link::{WayIn, broken};
use super::parcel::{Leg, Parcel, size};
use super::severed::Torn;
use super::{Network, State};
use crate::client::real::{GRACE, PATIENCE};
use crate::world::sim::connection::{Over, Replies, words};
use crate::world::sim::redis::Disconnected;
use checker::Nanos;
use nemesis::Sighting;
use nemesis::wire::{Judged, Judgement, Severed, Verdict};
use rand::RngExt;
use std::io;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// How long a message is on its way, in nanoseconds: as on one machine's loopback.
pub(super) const LATENCY: RangeInclusive<Nanos> = 20_000..=80_000;

impl Network {
    /// Puts what clients have sent on its way; true if there was anything.
    pub fn settle(self: &Rc<Self>) -> bool {
        let (messages, naps) = (self.outbox.take(), self.outbox.take_naps());
        let any = !messages.is_empty() || !naps.is_empty();
        for (how_long, over) in naps {
            let at = self.universe.now() + how_long.as_nanos() as Nanos;
            // Whoever has given up does not hear it.
            self.universe.at(at, move || {
                let _ = over.send(());
            });
        }
        for message in messages {
            let parcel = {
                let state = &mut *self.state.borrow_mut();
                let named = self.named(state, message.link, message.over);
                let link = &mut state.links[message.link];
                if let Some(node) = named {
                    link.lead(node, &mut state.nodes);
                } else if message.over == Over::New {
                    link.renew(&mut state.nodes[link.node].node);
                }
                let parcel = Parcel::new(message, link.connection, link.node, self.universe.now());
                link.waiting = Some(parcel.caller.clone());
                parcel
            };
            let network = self.clone();
            let lag = self.lag(&parcel, 0, Parcel::size);
            let at = self.arrival(parcel.link, 0, lag);
            self.universe.at(at, move || network.request_arrived(parcel));
        }
        any
    }

    /// The node that sentinels name as the master, where a client has to make a connection, can ask one of them, and had another.
    fn named(&self, state: &State, link: usize, over: Over) -> Option<usize> {
        let link = &state.links[link];
        let sentinels = self.sentinels.borrow();
        let connects = over == Over::New || !link.is_open() || !state.nodes[link.node].node.is_up();
        let asks = || sentinels.iter().any(|sentinel| self.is_present(sentinel) && state.is_whole(&link.client, sentinel));
        if link.way_in != WayIn::Service || !connects || !asks() {
            return None;
        }
        let master = self.masters.of(&state.nodes[link.node].name)?;
        state.index(&master).filter(|named| *named != link.node)
    }

    /// When a message that is sent now over the link's connection arrives, where it takes so much longer than usual.
    fn arrival(&self, link: usize, way: usize, lag: Nanos) -> Nanos {
        let state = &mut *self.state.borrow_mut();
        let at = self.universe.now() + state.rng.random_range(LATENCY) + lag;
        let last = &mut state.links[link].last[way];
        *last = at.max(*last + 1);
        *last
    }

    /// How much longer than usual a message takes, whose caller does not wait for ever.
    fn lag(&self, parcel: &Parcel, way: usize, size: impl FnOnce(&Parcel) -> usize) -> Nanos {
        let lag = {
            let State { slow, links, nodes, rng, .. } = &mut *self.state.borrow_mut();
            let ends = (links[parcel.link].client.as_str(), nodes[parcel.node].name.as_str());
            let (from, to) = if way == 0 { ends } else { (ends.1, ends.0) };
            if slow.is_empty() { 0 } else { super::slow::lag(slow, rng, from, to, size(parcel)) }
        };
        if lag > 0 {
            self.time_out(parcel);
        }
        lag
    }

    fn request_arrived(self: &Rc<Self>, mut parcel: Parcel) {
        let judged = self.state.borrow_mut().judge(&parcel);
        parcel.judgement = judged.reply;
        self.travel(Leg::Request(parcel), judged.request);
    }

    /// Does to a message what the rules say, as the real wire does.
    pub(super) fn travel(self: &Rc<Self>, leg: Leg, mut judgement: Judgement) {
        let verdict = {
            let state = &mut *self.state.borrow_mut();
            if matches!(&leg, Leg::Request(parcel) if state.was_reset(parcel)) {
                // Its caller was told so.
                return;
            }
            if state.is_lost(&leg) || state.is_severed(&leg) {
                return self.time_out(leg.parcel());
            }
            if let Some(place) = judgement.iter().position(|(_, verdict)| *verdict == Verdict::Hold) {
                let (rule, _) = judgement.remove(place);
                return state.hold(rule, leg, judgement);
            }
            if judgement.is_empty() { Verdict::Pass } else { state.rules.hit(&judgement) }
        };
        match verdict {
            Verdict::Pass | Verdict::Hold => self.arrive(leg),
            Verdict::Delay(how_long) => {
                self.time_out(leg.parcel());
                let at = self.universe.now() + how_long.as_nanos() as Nanos;
                let behind = &mut self.state.borrow_mut().links[leg.parcel().link].last[leg.way()];
                *behind = at.max(*behind);
                let network = self.clone();
                self.universe.at(at, move || network.arrive(leg));
            }
            Verdict::Detain => {
                self.time_out(leg.parcel());
                let by = judgement.iter().filter(|(_, verdict)| *verdict == Verdict::Detain).map(|(rule, _)| *rule);
                self.state.borrow_mut().detained.push((by.collect(), leg));
            }
            Verdict::Drop => {
                self.time_out(leg.parcel());
                let state = &mut *self.state.borrow_mut();
                let Parcel { link, connection, .. } = *leg.parcel();
                let link = &mut state.links[link];
                link.lost[leg.way()] |= link.connection == connection;
            }
            Verdict::Reset => {
                let (Leg::Request(parcel) | Leg::Reply(parcel, _)) = leg;
                {
                    let state = &mut *self.state.borrow_mut();
                    let link = &mut state.links[parcel.link];
                    if link.connection == parcel.connection {
                        link.close(&mut state.nodes[link.node].node);
                    }
                }
                self.answer(parcel, Err(broken(Disconnected::Reset)));
            }
        }
    }

    fn arrive(self: &Rc<Self>, leg: Leg) {
        match leg {
            Leg::Request(parcel) => self.deliver(parcel),
            Leg::Reply(parcel, replies) => self.answer(parcel, replies),
        }
    }

    /// What waited for a node to go on has its turn.
    pub(super) fn arrived(self: &Rc<Self>, arrived: Arrived) {
        match arrived {
            Arrived::Parcel(parcel) => self.deliver(parcel),
            Arrived::Letter(letter) => self.receive(letter),
            Arrived::WaitOver(id) => self.wait_over(id),
        }
    }

    /// The message is at its node.
    pub(super) fn deliver(self: &Rc<Self>, parcel: Parcel) {
        let (replies, blocked, roles, published) = {
            let state = &mut *self.state.borrow_mut();
            let link = &mut state.links[parcel.link];
            let host = &mut state.nodes[parcel.node];
            if host.paused {
                self.time_out(&parcel);
                host.backlog.push_back(Arrived::Parcel(parcel));
                return;
            }
            if host.handing_over {
                self.time_out(&parcel);
                host.postponed.push(parcel);
                return;
            }
            host.catch_up(&self.universe);
            let now_ms = host.wall_ms(&self.universe);
            let before = host.node.role_changes();
            let replies = link.execute(parcel.connection, &mut host.node, &parcel.commands, now_ms);
            host.settle(&self.universe);
            let published = host.node.pushes();
            (replies, link.take_blocked(), [before, host.node.role_changes()], published)
        };
        self.propagate(parcel.node);
        for (session, _) in published {
            self.publish(parcel.node, session);
        }
        if roles[0] != roles[1] {
            self.role_changed(parcel.node);
        }
        if replies.is_err() {
            // Nothing that a node said: its machine refused or reset the connection.
            return self.answer(parcel, replies);
        }
        if let Some(blocked) = blocked {
            self.time_out(&parcel);
            return self.block(parcel, replies, blocked);
        }
        let mut parcel = parcel;
        let judgement = std::mem::take(&mut parcel.judgement);
        self.travel(Leg::Reply(parcel, replies), judgement);
    }

    /// A message that was published leaves for whoever's session it is.
    fn publish(self: &Rc<Self>, node: usize, session: i64) {
        let hears = {
            let state = self.state.borrow();
            let of_it = |link: &super::link::Link| link.node == node && link.session_number() == Some(session);
            let link = state.links.iter().position(of_it).filter(|link| !state.links[*link].lost[1]);
            link.and_then(|link| Some((link, state.links[link].connection, state.links[link].hears.clone()?)))
        };
        if let Some((link, connection, hears)) = hears {
            let at = self.arrival(link, 1, 0);
            let network = self.clone();
            self.universe.at(at, move || {
                if network.state.borrow().links[link].connection == connection {
                    // A client that is dead hears nothing.
                    let _ = hears.send(());
                }
            });
        }
    }

    /// The replies leave for the client.
    pub(super) fn answer(self: &Rc<Self>, parcel: Parcel, replies: Replies) {
        if self.state.borrow().links[parcel.link].connection == parcel.connection {
            let lag = self.lag(&parcel, 1, |_| size(&replies));
            let at = self.arrival(parcel.link, 1, lag);
            self.universe.at(at, move || parcel.caller.answer(replies));
        } else {
            // Its connection was closed meanwhile. Whoever has given it up does not hear it.
            parcel.caller.answer(Err(broken(Disconnected::Reset)));
        }
    }

    /// This message may never be answered: its caller waits as long as a real client does.
    fn time_out(&self, parcel: &Parcel) {
        let caller = parcel.caller.clone();
        let at = parcel.sent + (PATIENCE + GRACE).as_nanos() as Nanos;
        self.universe.at(at, move || caller.answer(Err(io::Error::from(io::ErrorKind::TimedOut).into())));
    }

    /// Lets a held message go on.
    pub fn let_pass(self: &Rc<Self>, sighting: &Sighting) {
        let held = self.state.borrow_mut().held.remove(&sighting.message);
        if let Some((leg, judgement)) = held
            && !self.state.borrow().is_unsent(&leg)
        {
            self.travel(leg, judgement);
        }
    }

    /// Takes a rule out of force and lets go what it detains.
    pub fn lift(self: &Rc<Self>, rule: usize) {
        let free: Vec<Leg> = {
            let state = &mut *self.state.borrow_mut();
            state.rules.lift(rule);
            state.detained.iter_mut().for_each(|(by, _)| by.retain(|other| *other != rule));
            state.detained.extract_if(.., |(by, _)| by.is_empty()).map(|(_, leg)| leg).collect()
        };
        for leg in free {
            let unsent = self.state.borrow().is_unsent(&leg);
            if !unsent {
                self.arrive(leg);
            }
        }
    }
}

impl State {
    /// What the rules say of a message and of its replies.
    fn judge(&mut self, parcel: &Parcel) -> Judged {
        let link = &self.links[parcel.link];
        let node = &self.nodes[parcel.node].name;
        let mut all = Judged::default();
        for command in &parcel.commands {
            let judged = self.rules.judge(&link.client, node, words(command).next().unwrap_or_default());
            all.request.extend(judged.request);
            all.reply.extend(judged.reply);
        }
        all
    }

    /// Whether a message is behind one that was lost.
    fn is_lost(&self, leg: &Leg) -> bool {
        let Parcel { link, connection, .. } = *leg.parcel();
        let link = &self.links[link];
        link.connection == connection && link.lost[leg.way()]
    }

    /// Whether a severed link loses a message. A connection that is not there yet cannot be made where either way is severed.
    fn is_severed(&mut self, leg: &Leg) -> bool {
        let Parcel { link: index, node, connection, ref caller, .. } = *leg.parcel();
        let link = &mut self.links[index];
        let (client, node) = (link.client.as_str(), self.nodes[node].name.as_str());
        let (from, to) = if leg.way() == 0 { (client, node) } else { (node, client) };
        let met = match self.severances.meets(from, to, leg.size()) {
            None if leg.way() == 0 && !link.is_accepted() => self.severances.meets(to, from, 0),
            met => met,
        };
        if met != Some(Severed::Lost) {
            return false;
        }
        link.lost[leg.way()] |= link.connection == connection;
        self.torn.push(Torn { link: index, connection, caller: caller.clone() });
        true
    }

    /// What a client had not got out before it died was never sent, and what was under way on a connection that was reset never arrives.
    fn is_unsent(&self, leg: &Leg) -> bool {
        matches!(leg, Leg::Request(parcel) if self.links[parcel.link].gone || self.was_reset(parcel))
    }

    fn was_reset(&self, parcel: &Parcel) -> bool {
        self.links[parcel.link].was_reset(parcel.connection)
    }

    fn hold(&mut self, pattern: usize, leg: Leg, judgement: Judgement) {
        let message = self.next_message;
        self.next_message += 1;
        self.held.insert(message, (leg, judgement));
        self.sightings.push_back(Sighting { pattern, message });
        if let Some(watcher) = self.watcher.take() {
            watcher.wake();
        }
    }
}
