//! One object's history, decided by the two searches.

use super::board::{Answer, Board, Progress};
use super::breadth::Breadth;
use super::choices::returning;
use super::depth::Depth;
use super::helpful::Helpful;
use super::limits::{Budget, Limits};
use super::outcome::{Bound, Outcome, Stuck};
use super::space::{Interner, Space};
use super::timeline::{Role, Timeline};
use super::{Operation, Strategy};
use crate::history::Value;
use crate::model::Model;
use std::sync::atomic::{AtomicBool, Ordering};

/// Steps that the search in depth gets before the one in breadth is started beside it; most histories need less than a thousand.
const ALONE: u64 = 1 << 14;

/// One object's history, ready to be searched.
pub(super) struct Search<'a, M: Model> {
    model: &'a M,
    initial: M::State,
    line: Timeline,
    classes: Interner<&'a M::Op>,
}

/// What a search answers, with states.
struct Reply<S> {
    answer: Result<Option<Vec<u32>>, Option<Bound>>,
    event: u32,
    states: Vec<S>,
    trail: Option<Vec<u32>>,
}

impl<'a, M: Model> Search<'a, M> {
    pub(super) fn new(model: &'a M, key: Option<&Value>, history: &'a [Operation<M::Op>], members: &[usize]) -> Self {
        Self::with_optional(model, key, history, members, |_| false)
    }

    /// As `new`; the operations for which `optional` holds may have happened between their call and their return, or not at all.
    pub(super) fn with_optional(
        model: &'a M,
        key: Option<&Value>,
        history: &'a [Operation<M::Op>],
        members: &[usize],
        optional: impl Fn(usize) -> bool,
    ) -> Self {
        let mut classes = Interner::new();
        let numbers: Vec<u32> = members.iter().map(|&member| classes.number(&history[member].op)).collect();
        let mut helpful = Helpful::new(model, &classes);
        let roles = members.iter().zip(&numbers).map(|(&member, &class)| {
            let may_be = history[member].ret.is_none() || optional(member);
            match (may_be, model.observes(classes.get(class))) {
                (false, true) => Role::Read,
                (false, false) => Role::Effect,
                (true, false) if helpful.helps(class) => Role::Optional,
                (true, _) => Role::LeftOut,
            }
        });
        let roles: Vec<Role> = roles.collect();
        let line = Timeline::new(history, members, &numbers, &roles);
        Search { model, initial: model.initial(key), line, classes }
    }

    /// The answer by the strategy, within the limits.
    pub(super) fn decide(&self, strategy: Strategy, limits: &Limits) -> Outcome<M::State> {
        let reply = match strategy {
            Strategy::Depth => self.depth(Budget::new(limits)),
            Strategy::Breadth => self.breadth(Budget::new(limits)),
            Strategy::Race => self.depth_then_race(limits),
        };
        self.outcome(reply, limits)
    }

    /// Whether it is certainly not linearizable; asks for no explanation.
    pub(super) fn violates(&self, limits: &Limits) -> bool {
        matches!(self.depth_then_race(limits).answer, Err(None))
    }

    fn depth_then_race(&self, limits: &Limits) -> Reply<M::State> {
        match self.depth(Budget::new(limits).or_after(ALONE)) {
            Reply { answer: Err(Some(Bound::Cancelled)), .. } => self.race(limits),
            reply => reply,
        }
    }

    /// Both searches beside each other; the first answer ends the other.
    fn race(&self, limits: &Limits) -> Reply<M::State> {
        let over = AtomicBool::new(false);
        let run = |search: &dyn Fn(Budget<'_>) -> Reply<M::State>| {
            let reply = search(Budget::new(limits).or_when(&over));
            if !matches!(reply.answer, Err(Some(_))) {
                over.store(true, Ordering::Relaxed);
            }
            reply
        };
        let (depth, breadth) = std::thread::scope(|scope| {
            let breadth = scope.spawn(|| run(&|budget| self.breadth(budget)));
            let depth = run(&|budget| self.depth(budget));
            (depth, breadth.join().expect("a search does not panic"))
        });
        match (&depth.answer, &breadth.answer) {
            (Err(Some(_)), Err(Some(_))) if breadth.event > depth.event => breadth,
            (Err(Some(_)), Ok(_) | Err(None)) => breadth,
            _ => depth,
        }
    }

    fn depth(&self, mut budget: Budget<'_>) -> Reply<M::State> {
        let mut space = self.space();
        let mut board = Board::new(&self.line, &mut space);
        let mut depth = Depth::new(&mut board);
        let answer = depth.run(self.line.events.len() as u32, &mut budget);
        let progress = depth.progress();
        reply(answer, progress, &space)
    }

    fn breadth(&self, mut budget: Budget<'_>) -> Reply<M::State> {
        let mut space = self.space();
        let mut board = Board::new(&self.line, &mut space);
        let mut breadth = Breadth::new(&mut board);
        let answer = breadth.run(&mut budget);
        let progress = breadth.progress();
        reply(answer, progress, &space)
    }

    fn space(&self) -> Space<'_, M> {
        Space::new(self.model, &self.classes, self.initial.clone(), self.line.entries.len())
    }

    /// Entries become operations, and a stuck search gets the longest prefix that can be explained.
    fn outcome(&self, reply: Reply<M::State>, limits: &Limits) -> Outcome<M::State> {
        let order =
            |trail: Vec<u32>| trail.into_iter().map(|entry| self.line.entries[entry as usize].operation as usize).collect();
        let bound = match reply.answer {
            Ok(trail) => return Outcome::Linearizable { order: trail.map(order) },
            Err(bound) => bound,
        };
        // A search in breadth may be ended at a call; what it cannot pass is the next return.
        let event = (reply.event as usize..self.line.events.len()).find(|&at| returning(self.line.events[at]).is_some());
        let event = event.expect("every search that is not over is before a return");
        let entry = returning(self.line.events[event]).expect("a return was found");
        let prefix = reply.trail.or_else(|| self.prefix(reply.event, limits)).map(order).unwrap_or_default();
        let stuck = Stuck { operation: self.line.entries[entry as usize].operation as usize, states: reply.states, prefix };
        match bound {
            None => Outcome::Violation(stuck),
            Some(bound) => Outcome::Unknown(stuck, bound),
        }
    }

    /// How to come to this event, for a search in breadth, which does not know.
    fn prefix(&self, event: u32, limits: &Limits) -> Option<Vec<u32>> {
        let mut space = self.space();
        let mut board = Board::new(&self.line, &mut space);
        match Depth::new(&mut board).run(event, &mut Budget::new(limits)) {
            Ok(Answer::Found(trail)) => trail,
            _ => None,
        }
    }
}

fn reply<M: Model>(answer: Result<Answer, Bound>, progress: Progress, space: &Space<'_, M>) -> Reply<M::State> {
    let answer = match answer {
        Ok(Answer::Found(trail)) => Ok(trail),
        Ok(Answer::Stuck) => Err(None),
        Err(bound) => Err(Some(bound)),
    };
    let states = progress.states.into_iter().map(|state| space.state(state).clone()).collect();
    Reply { answer, event: progress.event, states, trail: progress.trail }
}
