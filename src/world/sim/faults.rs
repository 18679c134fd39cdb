//! Every fault, done and undone.

use super::SimWorld;
use super::client::Standing;
use crate::plan::Plan;
use nemesis::{Data, Evidence, Fault, NotInjected, Stop};

impl SimWorld {
    /// Does a fault.
    pub(super) async fn hurt(&self, fault: &Fault) -> Result<Evidence, NotInjected> {
        match fault {
            Fault::Pause(member) => self.pause(member, true),
            Fault::Crash(name) => {
                self.live_client(name)?.stand(Standing::Dead);
                self.network.hang_up(name);
                Ok(Evidence(format!("{name} is dropped and its connections are closed")))
            }
            Fault::Kill { node, .. } => {
                self.kill(node)?;
                Ok(Evidence(format!("{node} is down")))
            }
            Fault::Restart { node, data, stop } => {
                let before = self.network.keys(node);
                if *stop == Stop::Clean {
                    self.network.save(node)?;
                }
                self.kill(node)?;
                self.start(node, *data)?;
                Ok(Evidence(format!("{node} is up again; keys before: {before}, after: {}", self.network.keys(node))))
            }
            Fault::Clock { of, jump_ms } => self.bend(of, |skew| Ok(skew.jumped(*jump_ms))),
            Fault::Drift { of, rate } => {
                let Evidence(shown) = self.bend(of, |skew| skew.drifting(*rate, self.universe.wall()))?;
                Ok(Evidence(format!("{shown}; it goes {rate} times as fast")))
            }
            Fault::Power { node } => {
                let before = self.network.keys(node);
                let lost = self.network.lose_power(node).ok_or_else(|| NotInjected(format!("{node} is no node that is up")))?;
                Ok(Evidence(format!(
                    "{node} is down; it had {before} keys, and what was done to {lost} after its last sync is undone"
                )))
            }
            Fault::Evict { node } => {
                let locks: Vec<String> = (1..=self.plan.workload.locks).map(Plan::lock_name).collect();
                match self.network.evict(node, &locks)?.as_slice() {
                    [] => Err(NotInjected(format!("{node} has no key of a lock that could be evicted"))),
                    evicted => Ok(Evidence(format!("{node} evicted {}", evicted.join(", ")))),
                }
            }
            Fault::ScriptFlush { node } => {
                let before = self.network.flush_scripts(node)?;
                Ok(Evidence(format!("{node} had {before} scripts before and 0 after")))
            }
            Fault::Block { node, for_ms } => self.block(node, *for_ms),
            Fault::Reset(member) => match self.network.reset(member) {
                0 => Err(NotInjected(format!("{member} has no connection that could be reset"))),
                count => Ok(Evidence(format!("{count} connections of {member} were reset"))),
            },
            Fault::Wire(fault) => Ok(self.wire_faults.begin(fault, |rule| self.network.rule(rule))),
            Fault::Partition(partition) => Ok(self.severed.part(partition, |from, to, how| self.network.sever(from, to, how))),
            Fault::Toxic(toxic) => self.toxics.begin(self, toxic),
            Fault::FreezeReplication { node } => {
                let master = match &self.cluster {
                    Some(cluster) => cluster.master_of(node).ok_or_else(|| NotInjected(format!("{node} has no master")))?,
                    None => self.master_of(node)?,
                };
                Ok(self.severed.freeze(fault, &master, node, |from, to, how| self.network.sever(from, to, how)))
            }
            Fault::Promote { node, told } => match &self.cluster {
                Some(cluster) => cluster.take_over(node),
                None => self.promote(node, told.as_deref()),
            },
            Fault::Failover { to } => {
                if let Some(cluster) = &self.cluster {
                    return cluster.hand_over(to).await;
                }
                let master = self.master_of(to)?;
                let offset = self.network.hand_over(&master, to).await?;
                let followers = self.hand_over(to, None);
                Ok(Evidence(format!("{to} is a master, at offset {offset}; {master} follows it, at {offset}; {followers}")))
            }
        }
    }

    /// Undoes a fault.
    pub(super) async fn mend(&self, fault: &Fault) -> Result<Evidence, NotInjected> {
        match fault {
            Fault::Pause(member) => self.pause(member, false),
            Fault::Kill { node, data } => {
                self.start(node, *data)?;
                Ok(Evidence(format!("{node} is up again; keys: {}", self.network.keys(node))))
            }
            Fault::Power { node } => {
                self.start(node, Data::Kept)?;
                Ok(Evidence(format!("{node} is up again; keys: {}", self.network.keys(node))))
            }
            Fault::Clock { of, jump_ms } => self.bend(of, |skew| Ok(skew.jumped(jump_ms.saturating_neg()))),
            Fault::Drift { of, .. } => self.bend(of, |skew| Ok(skew.steady())),
            Fault::Wire(fault) => {
                let (rules, ended) = self.wire_faults.end(fault, |rule| self.network.hits(rule));
                rules.into_iter().for_each(|rule| self.network.lift(rule));
                ended
            }
            Fault::Partition(_) | Fault::FreezeReplication { .. } => {
                let (links, ended) = self.severed.end(fault, |link| self.network.toll(link));
                links.into_iter().for_each(|link| self.network.mend(link));
                ended
            }
            Fault::Toxic(toxic) => self.toxics.end(self, toxic),
            Fault::Block { node, .. } => self.unblocked(node).await,
            Fault::Crash(_)
            | Fault::Restart { .. }
            | Fault::Evict { .. }
            | Fault::ScriptFlush { .. }
            | Fault::Reset(_)
            | Fault::Promote { .. }
            | Fault::Failover { .. } => Err(NotInjected(format!("{fault}: that does not last"))),
        }
    }
}
