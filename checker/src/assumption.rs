//! What a run needed for a green verdict to mean something.
//!
//! A fault that was not injected, a run in which nobody had to wait, a world that was sick before the first fault: such a
//! history is neither safe nor unsafe, and must never be green (after etcd's robustness tests, where assumptions are a
//! verdict of their own).

use crate::Nanos;
use crate::finding::{BrokenAssumption, Counts};
use crate::history::{FaultEvent, Header, Moment, Phase};
use crate::judge::seconds::Seconds;
use std::collections::BTreeMap;

/// How far a step came.
#[derive(Debug, Default)]
struct Step {
    begun: bool,
    verified: bool,
    failed: Option<String>,
}

/// What was seen of the run's own conditions.
#[derive(Debug)]
pub struct Assumptions {
    steps: BTreeMap<String, Step>,
    sick: Option<String>,
    interrupted: Option<String>,
    stalled: Vec<String>,
    nothing_granted: bool,
    ended: bool,
    incoherent: u64,
    first_incoherent: Option<(Nanos, String)>,
}

impl Assumptions {
    /// For a history with this header.
    pub fn new(header: &Header) -> Self {
        Assumptions {
            steps: header.steps.iter().map(|step| (step.clone(), Step::default())).collect(),
            sick: None,
            interrupted: None,
            stalled: Vec::new(),
            nothing_granted: false,
            ended: false,
            incoherent: 0,
            first_incoherent: None,
        }
    }

    /// The nemesis did something.
    pub fn fault(&mut self, event: &FaultEvent) {
        let Some(step) = self.steps.get_mut(&event.step) else { return };
        match event.moment {
            Moment::Begin => step.begun = true,
            Moment::Verified => step.verified = true,
            Moment::Failed => step.failed = Some(event.text.clone()),
            Moment::End => {}
        }
    }

    /// The run entered a new phase.
    pub fn phase(&mut self, phase: &Phase) {
        match phase {
            Phase::Sick(why) => {
                self.sick.get_or_insert_with(|| why.clone());
            }
            Phase::Interrupted(why) => self.interrupted = Some(why.clone()),
            Phase::Stalled(why) => self.stalled.push(why.clone()),
            Phase::End => self.ended = true,
            Phase::Healthy | Phase::Quiet => {}
        }
    }

    /// Nothing is wrong, and no client was ever granted a lock.
    pub fn nothing_granted(&mut self) {
        self.nothing_granted = true;
    }

    /// A line does not fit the ones before it.
    pub fn incoherent(&mut self, at: Nanos, why: String) {
        self.incoherent += 1;
        self.first_incoherent.get_or_insert((at, why));
    }

    /// The assumptions that are broken.
    pub fn broken(&self, header: &Header, counts: &Counts, zero: Nanos) -> Vec<BrokenAssumption> {
        // A history of a run of ours says so; of another nobody knows what it was to show.
        let is_run = !header.name.is_empty() || !header.steps.is_empty();
        let mut broken = Vec::new();
        let mut say = |name: &str, sentence: String| broken.push(BrokenAssumption { name: name.into(), sentence });
        if let Some(why) = &self.sick {
            say("sick-world", format!("The world was sick, and no fault had made it so: {why}."));
        }
        if let Some(why) = &self.interrupted {
            say("interrupted", format!("The run was interrupted: {why}."));
        } else if !self.ended && is_run {
            say("unfinished", "The history ends before the run did: it was killed, or its end is lost.".into());
        }
        for why in &self.stalled {
            say("stalled", format!("The run stood still: {why}."));
        }
        for (name, step) in &self.steps {
            let sentence = match step {
                Step { failed: Some(why), .. } => format!("Step {name} failed: {why}."),
                Step { verified: true, .. } => continue,
                Step { begun: true, .. } => format!("Step {name} was begun and never seen to have worked."),
                _ => format!("Step {name} was never triggered."),
            };
            say("fault-not-injected", sentence);
        }
        if self.nothing_granted && is_run && !header.locks.is_empty() {
            say("nothing-granted", "No client was ever granted a lock, so nothing could go wrong with one.".into());
        }
        if header.contention && counts.contended == 0 {
            say("no-contention", "Nobody ever had to wait for a lock, so mutual exclusion was not tried.".into());
        }
        if !header.resources.is_empty() && counts.writes == 0 && counts.rejected_stale_writes == 0 {
            say("nothing-written", "No resource ever took or refused a write, so nothing could go wrong with the data.".into());
        }
        if let Some((at, why)) = &self.first_incoherent {
            let at = Seconds::telling_apart(zero, &[]).at(*at);
            let number = self.incoherent;
            say("incoherent", format!("{number} events do not fit the ones before them; the first, at {at}: {why}."));
        }
        broken
    }
}
