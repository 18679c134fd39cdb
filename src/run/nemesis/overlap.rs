//! Faults that meet on one member: one may keep another in force, end it, or come too late.

use super::{Life, Nemesis, Standing};
use crate::world::World;
use checker::history::Moment;
use nemesis::Fault;

impl<W: World> Nemesis<'_, '_, W> {
    /// The client that a fault would hit in vain: it does nothing any more.
    pub(super) fn idle_target(&self, fault: &Fault) -> Option<String> {
        let targets = if matches!(fault, Fault::Wire(_)) { vec![] } else { fault.targets() };
        let done = |client: &&str| self.reins.get(*client).is_some_and(|reins| reins.life.get() == Life::Done);
        targets.into_iter().find(done).map(String::from)
    }

    /// Marks the faults as over that ended with the life which a step took: those pauses and, of a client that does not come back, those bends
    /// of its clock.
    pub(super) fn cut_short(&self, step: usize) -> Vec<usize> {
        let killer = &self.plan.steps[step].fault;
        let ends_with = |fault: &Fault| match (killer, fault) {
            (Fault::Crash(dead), Fault::Pause(of) | Fault::Clock { of, .. } | Fault::Drift { of, .. })
            | (
                Fault::Kill { node: dead, .. } | Fault::Restart { node: dead, .. } | Fault::Power { node: dead },
                Fault::Pause(of),
            ) => dead == of,
            _ => false,
        };
        let over =
            |other: &usize| self.standing.borrow()[*other] == Standing::InForce && ends_with(&self.plan.steps[*other].fault);
        let over: Vec<usize> = (0..self.plan.steps.len()).filter(over).collect();
        for other in &over {
            self.standing.borrow_mut()[*other] = Standing::Over;
            self.record(*other, Moment::End, format!("it ended when {killer}"));
        }
        over
    }

    /// The step that pauses the same member as this one, and goes on doing so.
    pub(super) fn also_paused_by(&self, step: usize) -> Option<usize> {
        let paused = |step: usize| match &self.plan.steps[step].fault {
            Fault::Pause(member) => Some(member),
            _ => None,
        };
        let member = paused(step)?;
        let standing = self.standing.borrow();
        (0..self.plan.steps.len())
            .find(|other| *other != step && standing[*other] == Standing::InForce && paused(*other) == Some(member))
    }
}
