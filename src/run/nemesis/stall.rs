//! A run in which nothing more would happen by itself goes on all the same, and proves nothing.

use super::{Nemesis, Standing};
use crate::run::schedule::Action;
use crate::world::World;
use checker::history::{Phase, What};
use nemesis::Fault;

impl<W: World> Nemesis<'_, '_, W> {
    /// Nothing more would happen by itself, and not all is done. Ends one pause that keeps a client from going on: one that the plan names no end
    /// of before one whose end may come yet. Where there is none, lets go whoever waits for an event of the plan.
    pub async fn go_on(&self) {
        let client_pause = |step: &usize| match &self.plan.steps[*step].fault {
            Fault::Pause(member) => self.standing.borrow()[*step] == Standing::InForce && self.reins.contains_key(member),
            _ => false,
        };
        let pauses: Vec<usize> = (0..self.plan.steps.len()).rev().filter(client_pause).collect();
        let endless = pauses.iter().find(|step| self.plan.steps[**step].until.is_none());
        if let Some(step) = endless.or(pauses.first()) {
            let why = if endless.is_some() { "the plan does not say when it ends" } else { "its `until` never came" };
            self.stalled(format!("step {} ended only because nothing more happened: {why}", self.plan.steps[*step].name));
            self.carry_out(vec![Action::End(*step)]).await;
        } else {
            self.give_up_waiting();
        }
    }

    /// Opens every latch at which a client waits for an event that will not come any more.
    fn give_up_waiting(&self) {
        for (client, reins) in &self.reins {
            let waits = [
                (&reins.start, "start"),
                (&reins.extend, "extend its lease"),
                (&reins.write, "write"),
                (&reins.release, "release its lock"),
            ];
            for (latch, what) in waits {
                if !latch.is_open() {
                    self.stalled(format!("{client} was to {what} at an event of the plan that never came"));
                    latch.open();
                }
            }
        }
    }

    fn stalled(&self, why: String) {
        self.recorder.record(self.world.now(), What::Phase(Phase::Stalled(why)));
    }
}
