//! Wall clocks, bent and seen to show what they should.

use super::RealWorld;
use super::client::{Client, Shown};
use super::faults::{Injected, Member, dead};
use nemesis::{Evidence, Fault, NotInjected, Skew};
use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// How long a clock may take to be told from what it was: a drift of a thousandth shows after some milliseconds.
const PATIENCE: Duration = Duration::from_secs(2);
/// A clock that was asked how late it is before and after a jump may be off by the time that asking takes.
const ASKING_MS: i64 = 50;

/// Which way a clock is bent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toward {
    /// Into a fault; it must be seen to differ.
    Fault,
    /// Back out of it; it may have been so short that nobody can tell.
    Truth,
}

/// Puts a fault of a wall clock in force or ends it, and sees that the clock shows what it should.
pub async fn bend(world: &RealWorld, fault: &Fault, toward: Toward) -> Injected {
    let (Fault::Clock { of, .. } | Fault::Drift { of, .. }) = fault else {
        return Err(NotInjected(format!("a {} is no fault of a clock", fault.kind())));
    };
    let member = world.member(of)?;
    let leash = member.leash();
    let old = leash.skew();
    let new = bent(old, fault, toward)?;
    let Some(pid) = member.pid() else {
        return match (&member, toward) {
            (Member::Node(node), Toward::Truth) => {
                node.leash.bend(new);
                Ok(Evidence(format!("{of} is dead; its clock is so when it is started again")))
            }
            _ => Err(dead(of)),
        };
    };
    match (leash.reaches(pid), &member, fault) {
        (Ok(()), ..) => {}
        // Ours shift a clock of their own when they are told to, and others may.
        (Err(_), Member::Client(client), Fault::Clock { jump_ms, .. }) => {
            let jump_ms = if toward == Toward::Fault { *jump_ms } else { jump_ms.saturating_neg() };
            return by_request(client, jump_ms).await;
        }
        (Err(why), ..) => return Err(why),
    }
    let before = match member.reading().await {
        Err(why) if toward == Toward::Truth => {
            leash.bend(new);
            return Err(why);
        }
        before => before?,
    };
    if let Ok(before) = &before
        && !before.fits(old)
    {
        return Err(NotInjected(format!(
            "the clock of {of} was {before} and not {}, before anything was done to it",
            now_by(old)
        )));
    }
    leash.bend(new);
    let seen = see(&member, before, old, new, toward).await;
    if seen.is_err() && toward == Toward::Fault {
        leash.bend(old);
    }
    seen
}

fn bent(old: Skew, fault: &Fault, toward: Toward) -> Result<Skew, NotInjected> {
    match (fault, toward) {
        (Fault::Clock { jump_ms, .. }, Toward::Fault) => Ok(old.jumped(*jump_ms)),
        (Fault::Clock { jump_ms, .. }, Toward::Truth) => Ok(old.jumped(jump_ms.saturating_neg())),
        (Fault::Drift { rate, .. }, Toward::Fault) => old.drifting(*rate, true_time()),
        _ => Ok(old.steady()),
    }
}

/// Reads the bent clock until it shows that it was bent.
async fn see(member: &Member<'_>, before: Result<Reading, String>, old: Skew, new: Skew, toward: Toward) -> Injected {
    let begun = Instant::now();
    loop {
        let (before, after) = match (&before, member.reading().await?) {
            (Ok(before), Ok(after)) => (before, after),
            (Err(why), _) => {
                let what =
                    "the library that bends its clock is in each of its processes, and it could not say what its clock shows";
                return Ok(Evidence(format!("{what}: {why}")));
            }
            (_, Err(why)) => return Err(NotInjected(why)),
        };
        if !after.fits(new) {
            return Err(NotInjected(format!("its clock was {before} before and {after} after, and should be {}", now_by(new))));
        }
        if toward == Toward::Truth || !after.fits(old) {
            let later = (after.until - before.from) as f64 / 1e6;
            return Ok(Evidence(format!("{} was {before} before and, at most {later:.1} ms later, {after}", member.clock())));
        }
        if begun.elapsed() > PATIENCE {
            return Err(NotInjected(format!(
                "its clock was {before} before and {after} after, which is as if nothing was done to it"
            )));
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// What a clock that is so far off shows now.
fn now_by(skew: Skew) -> String {
    seconds(skew.shown(true_time()))
}

/// What a wall clock showed, at some moment between two of true time; nanoseconds since 1970.
#[derive(Debug)]
pub struct Reading {
    from: i64,
    until: i64,
    wall: i64,
    /// The clock showed at least `wall`, and less than that and this.
    resolution: i64,
}

impl Reading {
    /// Whether a clock that is so far off can have shown this.
    fn fits(&self, skew: Skew) -> bool {
        skew.shown(self.from) < self.wall.saturating_add(self.resolution) && self.wall <= skew.shown(self.until)
    }
}

impl std::fmt::Display for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&seconds(self.wall))
    }
}

fn seconds(wall: i64) -> String {
    let micros = wall.div_euclid(1_000);
    format!("{}.{:06} s", micros.div_euclid(1_000_000), micros.rem_euclid(1_000_000))
}

impl Member<'_> {
    /// What its clock is called.
    fn clock(&self) -> String {
        match self {
            Member::Node(node) => format!("TIME on {}", node.name),
            Member::Client(client) => format!("the wall clock of {}", client.name()),
        }
    }

    /// Reads its wall clock; what a client says that cannot tell is no error.
    async fn reading(&self) -> Result<Result<Reading, String>, NotInjected> {
        let from = true_time();
        let (wall, resolution) = match self {
            Member::Node(node) => {
                let time: Option<(i64, i64)> = node.ask("TIME").await;
                let not = || NotInjected(format!("{} is paused, or does not say what time it is", node.name));
                let (seconds, micros) = time.ok_or_else(not)?;
                (seconds.saturating_mul(1_000_000_000).saturating_add(micros * 1_000), 1_000)
            }
            Member::Client(client) => {
                let not = |why: String| NotInjected(format!("{} {why}", client.name()));
                if client.paused() {
                    return Err(not("is paused and cannot be told".into()));
                }
                match client.clock(0).await.map_err(not)? {
                    Shown::At(wall_ms) => (wall_ms.saturating_mul(1_000_000), 1_000_000),
                    Shown::Nothing(why) => return Ok(Err(why)),
                }
            }
        };
        Ok(Ok(Reading { from, until: true_time(), wall, resolution }))
    }
}

/// Has a client that no library reaches shift its clock by itself.
async fn by_request(client: &Client, jump_ms: i64) -> Injected {
    let not = |why: String| NotInjected(format!("{} {why}", client.name()));
    if client.paused() {
        return Err(not("is paused and cannot be told".into()));
    }
    let begun = Instant::now();
    let shift = async |by_ms| match client.clock(by_ms).await.map_err(not)? {
        Shown::At(wall_ms) => Ok(wall_ms),
        Shown::Nothing(why) => Err(not(format!("did not shift its clock: {why}"))),
    };
    let (before, after) = (shift(0).await?, shift(jump_ms).await?);
    let took = i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX);
    let off = after.saturating_sub(before).saturating_sub(jump_ms);
    if off < -ASKING_MS || off > took.saturating_add(ASKING_MS) {
        return Err(not(format!("was to shift its wall clock by {jump_ms} ms and shows {after} ms after {before} ms")));
    }
    Ok(Evidence(format!("by its own word its wall clock was {before} ms before and is {after} ms")))
}

/// The true time: nobody bends the runner's clock.
fn true_time() -> i64 {
    let now = clock_gettime(ClockId::Realtime);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}
