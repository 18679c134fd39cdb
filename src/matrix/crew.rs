//! Runs cells side by side, each on a thread of its own, and tells of each as it ends.

use super::attempt::{Attempt, CameOut, Place, attempt};
use super::outcome::{ASK_AGAIN, Outcome};
use super::{Cell, State};
use crate::run::Progress;
use std::future::Future;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

/// How often, how many at once, and until when.
#[derive(Debug, Clone, Copy)]
pub struct Orders {
    /// How many cells at once.
    pub jobs: NonZeroUsize,
    /// How often each is run, each time with the next seed.
    pub repeat: u32,
    /// How often a world that cannot start is tried again.
    pub retry_environment: u32,
    /// After this no cell is begun.
    pub until: Option<Instant>,
}

/// What the crew says.
#[derive(Debug)]
pub enum News {
    /// A cell is begun.
    Begun(usize),
    /// A cell is over.
    Over(usize, Box<Outcome>),
}

/// Runs cells; `stop` gives what resolves when the user wants out, `tell` hears of each on the caller's thread. Those that are not run any more, for lack of time or
/// since the user wants out, are not told of.
pub fn run<S: Future<Output = ()>>(
    cells: &[Cell],
    orders: Orders,
    place: Place<'_>,
    stop: impl Fn() -> S + Sync,
    stopped: impl Fn() -> bool + Sync,
    mut tell: impl FnMut(News),
) {
    let next = Mutex::new(0..cells.len());
    let take = || next.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
    let (says, hears) = channel();
    std::thread::scope(|scope| {
        for _ in 0..orders.jobs.get().min(cells.len()) {
            let (says, take, stop, stopped) = (says.clone(), &take, &stop, &stopped);
            // A run's future is large where nothing is optimised.
            let thread = std::thread::Builder::new().stack_size(16 << 20);
            let work = move || work(cells, orders, place, take, stop, stopped, &says);
            thread.spawn_scoped(scope, work).expect("a thread can be started");
        }
        drop(says);
        hears.iter().for_each(&mut tell);
    });
}

fn work<S: Future<Output = ()>>(
    cells: &[Cell],
    orders: Orders,
    place: Place<'_>,
    take: &(impl Fn() -> Option<usize> + Sync),
    stop: &impl Fn() -> S,
    stopped: &impl Fn() -> bool,
    says: &Sender<News>,
) {
    let time_is_up = || orders.until.is_some_and(|until| Instant::now() >= until);
    while !stopped() && !time_is_up() {
        let Some(index) = take() else { return };
        let cell = &cells[index];
        // Nobody listens any more only where the whole is over.
        let _ = says.send(News::Begun(index));
        let once = |higher| attempt(cell, higher, place, &mut |_: &Progress| {}, stop());
        let attempts = until_known(orders, once, stopped);
        let outcome = Outcome::new(cell.facts.clone(), attempts);
        let _ = says.send(News::Over(index, Box::new(outcome)));
    }
}

/// Runs a cell as often as was asked for, and again where its verdict is not the expected one, to see whether that is steady.
fn until_known(orders: Orders, once: impl Fn(u64) -> Attempt, stopped: &impl Fn() -> bool) -> Vec<Attempt> {
    let mut attempts = Vec::new();
    let mut retries = orders.retry_environment;
    let mut higher = 0;
    let mut left = orders.repeat;
    let mut asked_again = false;
    while left > 0 && !stopped() {
        let attempt = once(higher);
        let came_out = attempt.came_out.clone();
        attempts.push(attempt);
        match came_out {
            CameOut::Environment if retries > 0 => retries -= 1,
            CameOut::Environment | CameOut::Interrupted | CameOut::Impossible => break,
            CameOut::AsExpected => {
                left -= 1;
                higher += u64::from(!asked_again);
            }
            // The same run again: another seed would be another question.
            _ if !asked_again => {
                asked_again = true;
                left = ASK_AGAIN;
            }
            _ => left -= 1,
        }
    }
    attempts
}

/// What a cell comes to that was not run.
pub fn not_run(cell: &Cell, interrupted: bool) -> Outcome {
    let state = if interrupted { State::Interrupted } else { State::NotRun };
    Outcome { facts: cell.facts.clone(), state, attempts: Vec::new() }
}
