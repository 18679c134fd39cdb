//! Depth first: takes the likeliest operation, goes on until it gets stuck, and comes back (Wing and Gong 1993, with
//! Lowe's just-in-time linearization and memoised configurations, 2017).

use super::board::{Answer, Board, Gate, Progress, note};
use super::choices::Sort;
use super::limits::Budget;
use super::memo::Memo;
use super::outcome::Bound;
use super::timeline::Event;

/// The choice to let the last chance of an optional operation pass.
const SKIP: u32 = u32::MAX;

/// A configuration whose choices are being tried; its words lie beside it on the stack.
struct Frame {
    event: u32,
    state: u32,
    /// Its choices lie on the stack of choices from `tried` to the next frame's.
    first: usize,
    tried: usize,
    /// Whether those that may have happened or not are still to be listed.
    may_follow: bool,
    trail: usize,
}

/// A search in depth, with what it has found out so far.
pub(super) struct Depth<'b, 'a> {
    board: &'b mut Board<'a>,
    memo: Memo,
    frames: Vec<Frame>,
    words: Vec<u64>,
    choices: Vec<u32>,
    trail: Vec<u32>,
    /// The furthest event at which the search stood, and the states that it was in there.
    furthest: u32,
    states: Vec<u32>,
    /// How it came there, once it had to turn back from there.
    best: Best,
}

/// The trail to the furthest event. It shares its beginning with the current trail, so that keeping it costs no more than turning back did.
#[derive(Default)]
struct Best {
    trail: Vec<u32>,
    event: u32,
    shared: usize,
}

impl<'b, 'a> Depth<'b, 'a> {
    pub(super) fn new(board: &'b mut Board<'a>) -> Self {
        let memo = Memo::new(board.layout.effect_words, board.layout.words);
        Depth {
            board,
            memo,
            frames: Vec::new(),
            words: Vec::new(),
            choices: Vec::new(),
            trail: Vec::new(),
            furthest: 0,
            states: Vec::new(),
            best: Best::default(),
        }
    }

    /// How far the search came.
    pub(super) fn progress(mut self) -> Progress {
        while !self.frames.is_empty() {
            self.pop();
        }
        Progress { event: self.furthest, states: self.states, trail: Some(self.best.trail) }
    }

    /// Searches for an order of everything that returns before event `end`.
    pub(super) fn run(&mut self, end: u32, budget: &mut Budget<'_>) -> Result<Answer, Bound> {
        let width = self.board.layout.words;
        let mut scratch = vec![0; width];
        if self.walk(0, false, 0, end, &mut scratch) {
            return Ok(self.found());
        }
        while let Some(frame) = self.frames.last_mut() {
            let (event, state, trail) = (frame.event, frame.state, frame.trail);
            if frame.tried == self.choices.len() {
                if std::mem::take(&mut frame.may_follow) {
                    let words = &self.words[self.words.len() - width..];
                    self.board.choose(Sort::May, state, words, self.board.line.events[event as usize], &mut self.choices);
                } else {
                    self.pop();
                }
                continue;
            }
            let entry = self.choices[frame.tried];
            frame.tried += 1;
            budget.step(|| self.memo.memory() + self.board.moves.memory() + self.words.len() * 8)?;
            self.trail.truncate(trail);
            self.best.shared = self.best.shared.min(trail);
            let top = self.words.len() - width;
            scratch.copy_from_slice(&self.words[top..]);
            let next = match entry {
                SKIP => state,
                _ => match self.board.take(state, entry, &mut scratch, &mut self.trail) {
                    Some(next) => next,
                    None => continue,
                },
            };
            if self.walk(event, entry == SKIP, next, end, &mut scratch) {
                return Ok(self.found());
            }
        }
        Ok(Answer::Stuck)
    }

    fn found(&mut self) -> Answer {
        self.frames.clear();
        Answer::Found(Some(std::mem::take(&mut self.trail)))
    }

    /// Goes on from an event as far as nothing has to be chosen, and pushes a frame there unless the configuration is known. With `skip` the
    /// first event is passed whatever its gate. True at the end of the line.
    fn walk(&mut self, from: u32, mut skip: bool, state: u32, end: u32, words: &mut [u64]) -> bool {
        let mut at = from;
        let gate = loop {
            if at == end {
                return true;
            }
            let event = self.board.line.events[at as usize];
            let gate = self.board.gate(event, words);
            if gate != Gate::Open && !std::mem::take(&mut skip) {
                break gate;
            }
            self.board.pass(event, state, words, &mut self.trail);
            self.board.window.forward(event);
            at += 1;
        };
        if at > self.furthest {
            self.furthest = at;
            self.states.clear();
        }
        if at == self.furthest {
            note(&mut self.states, state);
        }
        if self.memo.insert(at, state, words) {
            let first = self.choices.len();
            if gate == Gate::Ajar {
                self.choices.push(SKIP);
            }
            // What may have happened or not is mostly not needed, so it is listed when nothing else helped; but it may be just what explains a read.
            let event = self.board.line.events[at as usize];
            let may_follow = !matches!(event, Event::ReturnRead(_)) && self.board.line.optional_slots > 0;
            let sort = if may_follow { Sort::Must } else { Sort::All };
            self.board.choose(sort, state, words, event, &mut self.choices);
            self.words.extend_from_slice(words);
            self.frames.push(Frame { event: at, state, first, tried: first, may_follow, trail: self.trail.len() });
        } else {
            self.rewind(at, from);
        }
        false
    }

    fn pop(&mut self) {
        let frame = self.frames.pop().expect("a frame was on top");
        if frame.event == self.furthest && self.best.event < self.furthest {
            let shared = self.best.shared.min(frame.trail);
            self.best.trail.truncate(shared);
            self.best.trail.extend_from_slice(&self.trail[shared..frame.trail]);
            self.best.event = self.furthest;
            self.best.shared = frame.trail;
        }
        self.choices.truncate(frame.first);
        self.words.truncate(self.words.len() - self.board.layout.words);
        let back = self.frames.last().map_or(0, |below| below.event);
        self.rewind(frame.event, back);
    }

    fn rewind(&mut self, from: u32, to: u32) {
        for at in (to..from).rev() {
            self.board.window.backward(self.board.line.events[at as usize]);
        }
    }
}
