//! The one place that events of a run go to: stamped, written, judged, counted.

use super::Progress;
use checker::Nanos;
use checker::finding::Judgement;
use checker::history::jsonl::Writer;
use checker::history::{Completion, Event, Header, OpId, What};
use checker::judge::Judge;
use std::cell::RefCell;
use std::io;

/// Writes each event as it happens and lets the checker see it. A history that cannot be written any more stops the run, and is reported when it ends.
pub struct Recorder<'a> {
    inner: RefCell<Inner<'a>>,
}

struct Inner<'a> {
    history: Option<Writer<&'a mut dyn io::Write>>,
    judge: Judge,
    failure: Option<io::Error>,
    next_id: OpId,
    last: Nanos,
    progress: Progress,
    on_progress: &'a mut dyn FnMut(&Progress),
}

impl<'a> Recorder<'a> {
    /// Begins a history with its header; without a `history` the events are judged and forgotten.
    ///
    /// # Errors
    /// The header could not be written.
    pub fn begin(
        header: &Header,
        history: Option<&'a mut dyn io::Write>,
        on_progress: &'a mut dyn FnMut(&Progress),
    ) -> io::Result<Self> {
        let history = history.map(|to| Writer::new(to, header)).transpose()?;
        let judge = Judge::new(header);
        let inner = Inner { history, judge, failure: None, next_id: 1, last: 0, progress: Progress::default(), on_progress };
        Ok(Recorder { inner: RefCell::new(inner) })
    }

    /// A name for a new operation.
    pub fn next_id(&self) -> OpId {
        let mut inner = self.inner.borrow_mut();
        let id = inner.next_id;
        inner.next_id += 1;
        id
    }

    /// The stamp of something that happens at `now`, after everything that was recorded. The order in which things are recorded is the order in
    /// which they happened, and a simulation's clock stands still between two of them: so each stamp is later than the one before, by a nanosecond
    /// where the clock does not tell them apart.
    pub fn stamp(&self, now: Nanos) -> Nanos {
        now.max(self.inner.borrow().last + 1)
    }

    /// Records what happens now.
    pub fn record(&self, now: Nanos, what: What) {
        let at = self.stamp(now);
        let inner = &mut *self.inner.borrow_mut();
        inner.last = at;
        if matches!(what, What::Done(_)) {
            inner.progress.operations += 1;
            (inner.on_progress)(&inner.progress);
        }
        let event = Event { at, what };
        if let Some(history) = &mut inner.history
            && let Err(error) = history.write(&event)
        {
            inner.failure.get_or_insert(error);
        }
        inner.judge.see(&event);
    }

    /// Records now how an operation ended. A client that was told at this very tick of the clock was told at the stamp that this tick is given.
    pub fn done(&self, now: Nanos, mut done: Completion) {
        done.told_at = done.told_at.map(|told| if told >= now { self.stamp(now) } else { told });
        self.record(now, What::Done(done));
    }

    /// Says in a few words what is going on.
    pub fn say(&self, doing: impl Into<String>) {
        let inner = &mut *self.inner.borrow_mut();
        inner.progress.doing = doing.into();
        (inner.on_progress)(&inner.progress);
    }

    /// Whether the history could not be written at some point.
    pub fn has_failed(&self) -> bool {
        self.inner.borrow().failure.is_some()
    }

    /// Ends the history and judges it.
    ///
    /// # Errors
    /// The first write that failed.
    pub fn end(self) -> io::Result<Judgement> {
        let inner = self.inner.into_inner();
        match inner.failure {
            Some(error) => Err(error),
            None => Ok(inner.judge.finish()),
        }
    }
}
