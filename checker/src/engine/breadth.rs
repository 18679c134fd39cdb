//! Breadth first: carries every configuration that is still possible along the line, event by event (Lowe 2017). It
//! remembers one event only, so it needs little memory where few configurations are alive; it finds no order.

use super::board::{Answer, Board, Gate, Progress, note};
use super::choices::Sort;
use super::limits::Budget;
use super::memo::Memo;
use super::outcome::Bound;

/// Configurations that stand at the same event.
#[derive(Default)]
struct Crowd {
    states: Vec<u32>,
    words: Vec<u64>,
}

impl Crowd {
    fn push(&mut self, state: u32, words: &[u64]) {
        self.states.push(state);
        self.words.extend_from_slice(words);
    }

    fn clear(&mut self) {
        self.states.clear();
        self.words.clear();
    }
}

/// A search in breadth, with how far it has come.
pub(super) struct Breadth<'b, 'a> {
    board: &'b mut Board<'a>,
    alive: Crowd,
    at: u32,
    /// The states that were reached at the event that nothing passes.
    tried: Vec<u32>,
}

impl<'b, 'a> Breadth<'b, 'a> {
    pub(super) fn new(board: &'b mut Board<'a>) -> Self {
        let mut alive = Crowd::default();
        alive.push(0, &vec![0; board.layout.words]);
        Breadth { board, alive, at: 0, tried: Vec::new() }
    }

    /// How far the search came.
    pub(super) fn progress(self) -> Progress {
        let mut states = Vec::new();
        self.alive.states.iter().chain(&self.tried).for_each(|&state| note(&mut states, state));
        Progress { event: self.at, states, trail: None }
    }

    /// Searches the whole line.
    pub(super) fn run(&mut self, budget: &mut Budget<'_>) -> Result<Answer, Bound> {
        let (effect_words, width) = (self.board.layout.effect_words, self.board.layout.words);
        let (mut met, mut passed) = (Memo::new(effect_words, width), Memo::new(effect_words, width));
        let (mut next, mut waiting) = (Crowd::default(), Crowd::default());
        let (mut choices, mut trail, mut scratch) = (Vec::new(), Vec::new(), vec![0; width]);
        while (self.at as usize) < self.board.line.events.len() {
            let event = self.board.line.events[self.at as usize];
            met.clear();
            passed.clear();
            next.clear();
            waiting.clear();
            for (n, &state) in self.alive.states.iter().enumerate() {
                scratch.copy_from_slice(&self.alive.words[n * width..(n + 1) * width]);
                let gate = self.board.gate(event, &scratch);
                if gate != Gate::Open && met.insert(0, state, &scratch) {
                    waiting.push(state, &scratch);
                }
                if gate != Gate::Shut {
                    self.board.pass(event, state, &mut scratch, &mut trail);
                    if passed.insert(0, state, &scratch) {
                        next.push(state, &scratch);
                    }
                }
            }
            let mut served = 0;
            while served < waiting.states.len() {
                let state = waiting.states[served];
                let words = served * width;
                served += 1;
                choices.clear();
                trail.clear();
                self.board.choose(Sort::All, state, &waiting.words[words..words + width], event, &mut choices);
                for &entry in &choices {
                    let memory = || {
                        met.memory() + passed.memory() + self.board.moves.memory() + (waiting.words.len() + next.words.len()) * 8
                    };
                    budget.step(memory)?;
                    scratch.copy_from_slice(&waiting.words[words..words + width]);
                    let Some(state) = self.board.take(state, entry, &mut scratch, &mut trail) else { continue };
                    if self.board.gate(event, &scratch) == Gate::Open {
                        self.board.pass(event, state, &mut scratch, &mut trail);
                        if passed.insert(0, state, &scratch) {
                            next.push(state, &scratch);
                        }
                    } else if met.insert(0, state, &scratch) {
                        waiting.push(state, &scratch);
                    }
                }
            }
            if next.states.is_empty() {
                self.tried = waiting.states;
                return Ok(Answer::Stuck);
            }
            self.board.window.forward(event);
            std::mem::swap(&mut self.alive, &mut next);
            self.at += 1;
        }
        Ok(Answer::Found(None))
    }
}
