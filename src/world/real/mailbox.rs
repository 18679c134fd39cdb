//! What a client said, for those who asked.

use crate::client::protocol::Said;
use crate::client::{Answer, Told, Unasked};
use crate::world::Announced;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

/// Who waits for what a client says.
#[derive(Debug)]
pub struct Mailbox {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    state: State,
    waiting: BTreeMap<u64, oneshot::Sender<Heard>>,
    log: File,
    name: String,
    says: UnboundedSender<Announced>,
}

#[derive(Debug)]
enum State {
    /// It has not said that it is ready; whoever started it waits for that.
    Starting(oneshot::Sender<Result<(), Refusal>>),
    Ready,
    Gone,
}

/// Why a client will not be ready.
#[derive(Debug)]
pub enum Refusal {
    /// It said that the subject cannot run here, and why.
    Impossible(String),
    /// It ended.
    Ended,
}

/// What was heard in answer to something.
#[derive(Debug)]
pub enum Heard {
    /// The answer to an ask.
    Answer(Answer),
    /// Its wall clock, in milliseconds since 1970.
    Clock(i64),
}

impl Mailbox {
    /// A client's mailbox, and what resolves when the client is ready. What it says unasked goes to `says`, and what nobody can make use of to the log.
    pub fn new(name: &str, log: File, says: UnboundedSender<Announced>) -> (Mailbox, oneshot::Receiver<Result<(), Refusal>>) {
        let (starting, ready) = oneshot::channel();
        let inner = Inner { state: State::Starting(starting), waiting: BTreeMap::new(), log, name: name.to_owned(), says };
        (Mailbox { inner: Mutex::new(inner) }, ready)
    }

    /// Resolves with what is heard under this id; fails when the client is gone.
    pub fn wait(&self, id: u64) -> oneshot::Receiver<Heard> {
        let (heard, hears) = oneshot::channel();
        let mut inner = self.lock();
        if !matches!(inner.state, State::Gone) {
            inner.waiting.insert(id, heard);
        }
        hears
    }

    /// The client printed a line.
    pub fn line(&self, line: &str) {
        let mut inner = self.lock();
        match (Said::from_line(line), &inner.state) {
            (Ok(Said::Ready(_)), State::Starting(_)) => inner.started(State::Ready, Ok(())),
            (Ok(Said::Impossible(why)), State::Starting(_)) => inner.started(State::Ready, Err(Refusal::Impossible(why))),
            (Ok(Said::Answer(id, answer)), State::Ready) => inner.answer(id, Heard::Answer(answer), line),
            (Ok(Said::Clock { id, wall_ms }), State::Ready) => inner.answer(id, Heard::Clock(wall_ms), line),
            // Programs print banners before they speak.
            (_, State::Starting(_)) => inner.note("before it was ready it printed", line),
            (Ok(Said::Unasked(what)), State::Ready) => inner.announce(what),
            (Ok(_), _) => inner.note("out of place it said", line),
            (Err(why), _) => inner.garbage(line, &why),
        }
    }

    /// The client will never say anything again.
    pub fn gone(&self) {
        let mut inner = self.lock();
        inner.started(State::Gone, Err(Refusal::Ended));
        inner.waiting.clear();
    }

    /// Whether it will never say anything again.
    pub fn is_gone(&self) -> bool {
        matches!(self.lock().state, State::Gone)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn started(&mut self, next: State, how: Result<(), Refusal>) {
        if let State::Starting(starting) = std::mem::replace(&mut self.state, next) {
            let _ = starting.send(how);
        }
    }

    fn answer(&mut self, id: u64, heard: Heard, line: &str) {
        match self.waiting.remove(&id) {
            Some(waiting) => drop(waiting.send(heard)),
            None => self.note("nobody waits for what it said", line),
        }
    }

    fn announce(&self, what: Unasked) {
        // Nobody hears it where the world is over.
        let _ = self.says.send(Announced { client: self.name.clone(), what });
    }

    /// Whoever waits cannot know whether this was meant as an answer.
    fn garbage(&mut self, line: &str, why: &str) {
        self.note(why, line);
        let why = Some(format!("the client printed what is no answer ({why}): {}", line.chars().take(200).collect::<String>()));
        for (_, waiting) in std::mem::take(&mut self.waiting) {
            let _ = waiting.send(Heard::Answer(Answer::Unknown(Told { why: why.clone(), ..Told::default() })));
        }
    }

    fn note(&mut self, what: &str, line: &str) {
        // A full disk was found before the run; a log is not worth ending it.
        let _ = writeln!(self.log, "fencepost: {what}: {line}");
    }
}
