//! What clients say without being asked: their locks renew leases by themselves, or tell them that they have lost them.

use super::driver::completion;
use super::nemesis::Nemesis;
use super::occurrence::Occurrence;
use super::recorder::Recorder;
use crate::client::{Answer, Unasked};
use crate::plan::Plan;
use crate::world::{Announced, World};
use checker::history::{Op, OpId, OpKind, What};
use std::collections::BTreeMap;

/// Hears it and records it, for as long as it is polled. What is said of other locks than the plan's is no part of the run.
pub async fn listen<W: World>(world: &W, plan: &Plan, recorder: &Recorder<'_>, nemesis: &Nemesis<'_, '_, W>) {
    let locks: Vec<String> = (1..=plan.workload.locks).map(Plan::lock_name).collect();
    let mut under_way = BTreeMap::<(String, u64), OpId>::new();
    loop {
        let Announced { client, what } = world.announced().await;
        match what {
            Unasked::Lost(lock) if locks.contains(&lock) => {
                nemesis.lost(&client, &lock);
                recorder.record(world.now(), What::Lost { client, lock });
            }
            Unasked::Extending { number, lock, ttl_ms } if locks.contains(&lock) => {
                let id = recorder.next_id();
                under_way.insert((client.clone(), number), id);
                let op = Op::Extend { lock, grant: None, ttl_ms: Some(ttl_ms) };
                recorder.record(world.now(), What::Invoke { client: client.clone(), id, op });
                nemesis.happened(Occurrence::Invoked { client, op: OpKind::Extend }).await;
            }
            Unasked::Extended { number, answer } => {
                let Some(id) = under_way.remove(&(client.clone(), number)) else { continue };
                let done = completion(&client, id, &answer);
                let outcome = done.outcome;
                recorder.done(world.now(), done);
                if answer != Answer::Gone {
                    nemesis.happened(Occurrence::Completed { client, op: OpKind::Extend, outcome }).await;
                }
            }
            Unasked::Lost(_) | Unasked::Extending { .. } => {}
        }
    }
}
