//! One client's session: it does what it is asked, over a lock and a resource, in whatever world it is.

use super::{Answer, Clock, Do, Subscriber, Told};
use crate::lock::watchdog::Renewer;
use crate::lock::{self, Attempt, Done, Extended, Held, Impossible, Io, Lock, facts};
use crate::plan::{Fencing, LockKind, LockSpec, ResourceSpec};
use crate::resource::{Registers, Store, Unread, Written};
use checker::history::Value;
use redis::aio::ConnectionLike;
use std::time::Duration;

/// A client at work.
pub struct Session<C, K> {
    kind: LockKind,
    pub(super) lock: Box<dyn Lock<C, K>>,
    pub(super) io: Io<C, K>,
    pub(super) registers: Option<Registers<C>>,
    fence: Option<Fencing>,
}

impl<C: ConnectionLike + 'static, K: Clock + 'static> Session<C, K> {
    /// A client with its own connections, one a node. Clients of one seed draw from streams of their own, by name.
    pub fn new(
        name: &str,
        lock: &LockSpec,
        resource: Option<&ResourceSpec>,
        nodes: Vec<C>,
        store: Option<Store<C>>,
        clock: K,
        seed: u64,
    ) -> Self {
        let rng = crate::chance::stream(seed, name);
        Session {
            kind: lock.kind,
            lock: lock::of(lock),
            io: Io { nodes, clock, rng, subscriber: None },
            registers: resource.zip(store).map(|(spec, store)| Registers::new(spec, store)),
            fence: lock.fence,
        }
    }

    /// Sees to it that the server has what the lock needs; to be called once, while the world is healthy.
    ///
    /// # Errors
    /// It does not, or could not be asked.
    pub async fn prepare(&mut self) -> Result<(), Impossible> {
        if self.io.nodes.is_empty() {
            return Err(Impossible("a lock needs a node".into()));
        }
        self.lock.prepare(&mut self.io).await
    }

    /// Gives it a connection over which it hears what is published; without one it waits for nothing.
    pub fn listen_by(&mut self, subscriber: impl Subscriber + 'static) {
        self.io.subscriber = Some(Box::new(subscriber));
    }

    /// What renews the leases of this client by itself, over a connection of its own to the lock's first node, where the lock has that: whoever has the
    /// session polls it all the while.
    pub fn renewer(&self, node: C) -> Option<Renewer<C, K>>
    where
        K: Clone,
    {
        Some(Renewer::new(self.lock.watched()?, node, self.io.clock.clone()))
    }

    /// Does one thing and says how it ended.
    pub async fn answer(&mut self, what: &Do) -> Answer {
        if let Some(why) = self.senseless(what) {
            return Answer::No(because(why));
        }
        let answer = match what {
            Do::Acquire { lock, ttl_ms } => {
                let attempt = self.lock.acquire(&mut self.io, lock, ms(*ttl_ms)).await;
                acquired(if self.fence == Some(Fencing::Storage) { self.fenced(lock, attempt).await } else { attempt })
            }
            Do::Extend { lock, token, ttl_ms } => extended(self.lock.extend(&mut self.io, lock, token, ms(*ttl_ms)).await),
            Do::Release { lock, token } => released(self.lock.release(&mut self.io, lock, token).await),
            Do::Check { lock, token } => checked(self.lock.check(&mut self.io, lock, token).await),
            Do::Await { lock, for_ms } => {
                self.lock.wait(&mut self.io, lock, ms(*for_ms)).await;
                Answer::Ok(Told::default())
            }
            Do::Read { resource } => match &mut self.registers {
                Some(registers) => read(registers.read(resource).await),
                None => Answer::No(because("this client has no resource")),
            },
            Do::Write { resource, value, fence } => match &mut self.registers {
                Some(registers) => written(registers.write(resource, *value, *fence).await),
                None => Answer::No(because("this client has no resource")),
            },
        };
        self.stamped(answer)
    }

    /// Why this cannot be done by anybody.
    fn senseless(&self, what: &Do) -> Option<&'static str> {
        match what {
            Do::Acquire { .. } | Do::Extend { .. } | Do::Release { .. } | Do::Check { .. } | Do::Await { .. }
                if self.io.nodes.is_empty() =>
            {
                Some("this client has no node")
            }
            // `PEXPIRE key 0` deletes the key, and the grant would be of nothing.
            Do::Acquire { ttl_ms: 0, .. } | Do::Extend { ttl_ms: 0, .. }
                if facts::of(self.kind).expiry != facts::Expiry::Never =>
            {
                Some("a TTL of 0 ms ends before it begins")
            }
            _ => None,
        }
    }

    /// The answer with the time at which the client had it.
    fn stamped(&self, mut answer: Answer) -> Answer {
        if let Answer::Ok(told) | Answer::No(told) | Answer::Unknown(told) = &mut answer {
            told.told_at = Some(self.io.clock.monotonic());
        }
        answer
    }
}

fn acquired(attempt: Attempt) -> Answer {
    match attempt {
        Attempt::Granted(grant) => Answer::Ok(Told {
            token: Some(grant.token),
            fence: grant.fence,
            valid_for_ms: grant.validity.map(|validity| validity.left_ms),
            valid_until: grant.validity.map(|validity| validity.until),
            ..Told::default()
        }),
        Attempt::Refused { token, why } => Answer::No(Told { token: Some(token), ..because(why) }),
        Attempt::Failed { token, error } => Answer::No(Told { token: Some(token), error: Some(error), ..Told::default() }),
        Attempt::Unknown { token, why } => Answer::Unknown(Told { token: Some(token), ..because(why) }),
    }
}

fn extended(extended: Extended) -> Answer {
    match extended {
        Extended::Yes(validity) => Answer::Ok(Told {
            valid_for_ms: validity.map(|validity| validity.left_ms),
            valid_until: validity.map(|validity| validity.until),
            ..Told::default()
        }),
        Extended::No(why) => Answer::No(because(why)),
        Extended::Unknown(why) => Answer::Unknown(because(why)),
    }
}

fn released(done: Done) -> Answer {
    match done {
        Done::Yes => Answer::Ok(Told::default()),
        Done::No(why) => Answer::No(because(why)),
        Done::Unknown(why) => Answer::Unknown(because(why)),
    }
}

fn checked(held: Held) -> Answer {
    match held {
        Held::Yes => Answer::Ok(valued(Value::Bool(true))),
        Held::No => Answer::Ok(valued(Value::Bool(false))),
        Held::Unknown(why) => Answer::Unknown(because(why)),
    }
}

fn read(read: Result<Option<i64>, Unread>) -> Answer {
    match read {
        Ok(value) => Answer::Ok(valued(value.map_or(Value::Nil, Value::Int))),
        Err(Unread::No(why)) => Answer::No(because(why)),
        Err(Unread::Unknown(why)) => Answer::Unknown(because(why)),
    }
}

fn written(written: Written) -> Answer {
    match written {
        Written::Yes => Answer::Ok(Told::default()),
        Written::FencedOff(last) => {
            Answer::No(Told { fenced_by: Some(last), ..because(format!("outranked by fencing token {last}")) })
        }
        Written::No(why) => Answer::No(because(why)),
        Written::Unknown(why) => Answer::Unknown(because(why)),
    }
}

fn because(why: impl Into<String>) -> Told {
    Told { why: Some(why.into()), ..Told::default() }
}

fn valued(value: Value) -> Told {
    Told { value: Some(value), ..Told::default() }
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}
