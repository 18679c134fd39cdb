//! Virtual time: a queue of what is due, and the loop that runs one future until it is done, jumping from one due time to the next.

use checker::Nanos;
use nemesis::Skew;
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

/// What the world's clocks say at the beginning: milliseconds since 1970.
const EPOCH_MS: i64 = 1_800_000_000_000;

/// The time of one simulated world. Everything that is due at one time happens in the order in which it was put there.
#[derive(Default)]
pub struct Universe {
    now: Cell<Nanos>,
    sequence: Cell<u64>,
    due: RefCell<BinaryHeap<Reverse<Due>>>,
    tasks: RefCell<Vec<Task>>,
}

/// What goes on beside the future that is run.
type Task = Pin<Box<dyn Future<Output = ()>>>;

struct Due {
    at: Nanos,
    sequence: u64,
    what: What,
}

enum What {
    /// Whoever sleeps, unless nobody does any more.
    Wake(Weak<RefCell<Waker>>),
    Do(Box<dyn FnOnce()>),
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.sequence == other.sequence
    }
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.sequence).cmp(&(other.at, other.sequence))
    }
}

/// Nothing is due any more, and the future that was to be run is not done: a bug of whoever made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the simulation stood still: nothing is due any more, and the run is not over")]
pub struct StoodStill;

impl Universe {
    /// Now, in nanoseconds since the world began.
    pub fn now(&self) -> Nanos {
        self.now.get()
    }

    /// What a true wall clock says now, in milliseconds since 1970.
    pub fn wall_ms(&self) -> i64 {
        EPOCH_MS + (self.now() / 1_000_000) as i64
    }

    /// What a true wall clock says now, in nanoseconds since 1970.
    pub fn wall(&self) -> i64 {
        EPOCH_MS * 1_000_000 + self.now() as i64
    }

    /// Has something done at a time; in the past means now.
    pub fn at(&self, at: Nanos, what: impl FnOnce() + 'static) {
        self.put(at, What::Do(Box::new(what)));
    }

    /// Sleeps until a time.
    pub async fn sleep_until(&self, then: Nanos) {
        // Dropped with this future: whoever has given up a sleep is not woken.
        let mut sleeper: Option<Rc<RefCell<Waker>>> = None;
        poll_fn(|context| {
            if self.now() >= then {
                return Poll::Ready(());
            }
            match &sleeper {
                Some(sleeper) => sleeper.borrow_mut().clone_from(context.waker()),
                None => {
                    let waker = sleeper.insert(Rc::new(RefCell::new(context.waker().clone())));
                    self.put(then, What::Wake(Rc::downgrade(waker)));
                }
            }
            Poll::Pending
        })
        .await
    }

    /// Has something go on beside the future that is run: whenever that was polled, so is this.
    pub fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.tasks.borrow_mut().push(Box::pin(task));
    }

    /// Drops whatever goes on, and with it what it holds of the world.
    pub fn end(&self) {
        drop(self.tasks.take());
    }

    fn poll_tasks(&self, context: &mut Context<'_>) {
        let mut tasks = self.tasks.take();
        tasks.retain_mut(|task| task.as_mut().poll(context).is_pending());
        // One may have begun another.
        tasks.append(&mut self.tasks.borrow_mut());
        self.tasks.replace(tasks);
    }

    fn put(&self, at: Nanos, what: What) {
        let sequence = self.sequence.get();
        self.sequence.set(sequence + 1);
        self.due.borrow_mut().push(Reverse(Due { at: at.max(self.now()), sequence, what }));
    }

    /// Runs a future to its end. `settle` is called whenever it has been polled, to take what it left to be done outside it; true if there was anything.
    ///
    /// # Errors
    /// [`StoodStill`]
    pub fn run<T>(&self, future: impl Future<Output = T>, mut settle: impl FnMut() -> bool) -> Result<T, StoodStill> {
        let flag = Arc::new(Flag(AtomicBool::new(true)));
        let waker = Waker::from(flag.clone());
        let mut context = Context::from_waker(&waker);
        let mut future = pin!(future);
        loop {
            while flag.0.swap(false, Ordering::Relaxed) {
                if let Poll::Ready(done) = future.as_mut().poll(&mut context) {
                    return Ok(done);
                }
                self.poll_tasks(&mut context);
            }
            if settle() {
                continue;
            }
            let Reverse(due) = self.due.borrow_mut().pop().ok_or(StoodStill)?;
            match due.what {
                What::Wake(sleeper) => {
                    let Some(sleeper) = sleeper.upgrade() else { continue };
                    self.now.set(due.at);
                    sleeper.borrow().wake_by_ref();
                }
                What::Do(what) => {
                    self.now.set(due.at);
                    what();
                }
            }
        }
    }
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The clocks of a simulated client.
#[derive(Clone)]
pub struct SimClock {
    pub(super) universe: Rc<Universe>,
    /// What its wall clock is off by.
    pub(super) skew: Rc<Cell<Skew>>,
}

impl crate::client::Clock for SimClock {
    fn monotonic(&self) -> Nanos {
        self.universe.now()
    }

    fn wall(&self) -> Nanos {
        self.skew.get().shown(self.universe.wall()).max(0) as Nanos
    }

    async fn sleep(&self, how_long: Duration) {
        let then = self.universe.now() + how_long.as_nanos() as Nanos;
        self.universe.sleep_until(then).await;
    }
}
