//! Toxics in simulation: those that mean something there, by what the network has already.

use super::SimWorld;
use super::network::Slowness;
use crate::plan::Plan;
use nemesis::wire::{Occurrence, Rule, Severed, Toll, Verdict};
use nemesis::{Dose, Evidence, Fault, Moment, NotInjected, Toxic};
use std::cell::RefCell;

const MILLI: u64 = 1_000_000;

/// The toxics in force, each with what carries it out on the link of each two that it names.
#[derive(Debug, Default)]
pub struct Toxics(RefCell<Vec<(Toxic, Vec<Between>)>>);

/// What carries a toxic out on one link.
#[derive(Debug)]
struct Between {
    from: String,
    to: String,
    by: Vec<By>,
}

#[derive(Debug, Clone, Copy)]
enum By {
    Slow(usize),
    Severed(usize),
    Rule(usize),
    /// A rule that loses messages; connections are closed when it is lifted.
    Loss(usize),
    /// So many connections were reset at once.
    Reset(usize),
}

/// Why a plan cannot be simulated, if any of its toxics cannot.
///
/// # Errors
/// In words, which, and what to do.
pub fn simulated(plan: &Plan) -> Result<(), String> {
    let nodes = plan.topology.nodes();
    let clients = plan.client_names();
    for step in &plan.steps {
        let Fault::Toxic(toxic) = &step.fault else { continue };
        let kind = toxic.kind.name();
        let refuse = |what: &str| {
            Err(format!("step `{}`: the simulation has {what}; run it on real Redis, with `--world process`", step.name))
        };
        let all_known = toxic.from.iter().chain(&toxic.to).all(|party| nodes.contains(party) || clients.contains(party));
        let with_client = toxic.pairs().all(|(from, to)| clients.iter().any(|client| client == from || client == to));
        match toxic.dose() {
            Ok(Dose::Timeout { ms: 0 }) => {}
            Ok(Dose::Latency { .. } | Dose::Bandwidth { .. }) if all_known => {}
            Ok(Dose::Down | Dose::ResetPeer { ms: 0 }) if all_known && with_client => {}
            Ok(Dose::Timeout { .. } | Dose::ResetPeer { .. }) => {
                return refuse(&format!("no `{kind}` that is so long and not two nodes' own"));
            }
            Ok(Dose::Latency { .. } | Dose::Bandwidth { .. }) => {
                return refuse(&format!("no `{kind}` on the links of sentinels"));
            }
            Ok(Dose::Down) => return refuse("no `down` between nodes"),
            _ => return refuse(&format!("no `{kind}`, which changes nothing of what its messages mean")),
        }
    }
    Ok(())
}

impl Toxics {
    /// A toxic begins.
    ///
    /// # Errors
    /// The simulation has no such toxic.
    pub fn begin(&self, world: &SimWorld, toxic: &Toxic) -> Result<Evidence, NotInjected> {
        let between = |(from, to): (&str, &str)| {
            let by = by(world, toxic, from, to)?;
            Ok(Between { from: from.into(), to: to.into(), by })
        };
        let all: Vec<Between> = toxic.pairs().map(between).collect::<Result<_, NotInjected>>()?;
        let evidence = format!("{} on {} links", toxic.kind.name(), all.len());
        self.0.borrow_mut().push((toxic.clone(), all));
        Ok(Evidence(evidence))
    }

    /// What shows that a toxic has hit the link of each two that it names.
    pub fn met(&self, world: &SimWorld, toxic: &Toxic) -> Option<Evidence> {
        let in_force = self.0.borrow();
        let (_, all) = in_force.iter().find(|(known, _)| known == toxic)?;
        hits(world, all).ok().map(Evidence)
    }

    /// A toxic is over.
    ///
    /// # Errors
    /// It hit nothing on some link, and so was not injected.
    pub fn end(&self, world: &SimWorld, toxic: &Toxic) -> Result<Evidence, NotInjected> {
        let mut in_force = self.0.borrow_mut();
        let place = in_force.iter().position(|(known, _)| known == toxic);
        let (_, all) = in_force.remove(place.ok_or_else(|| NotInjected("the network was never told".into()))?);
        let ended = hits(world, &all);
        for between in &all {
            for by in &between.by {
                match *by {
                    By::Slow(slow) => world.network.quicken(slow),
                    By::Severed(link) => world.network.mend(link),
                    By::Rule(rule) | By::Loss(rule) => world.network.lift(rule),
                    By::Reset(_) => {}
                }
            }
            if between.by.iter().any(|by| matches!(by, By::Loss(_))) {
                let (client, node) = dialled(world, &between.from, &between.to);
                world.network.reset_between(client, node);
            }
        }
        ended.map(|told| Evidence(format!("everything passes as before; {told}"))).map_err(NotInjected)
    }
}

/// Carries a toxic out on one link.
fn by(world: &SimWorld, toxic: &Toxic, from: &str, to: &str) -> Result<Vec<By>, NotInjected> {
    let network = &world.network;
    let there = toxic.way.there().then_some((from, to));
    let ways = there.into_iter().chain(toxic.way.back().then_some((to, from)));
    let (client, node) = dialled(world, from, to);
    let rule = |moment, verdict| {
        let (from, to) = (Some(client.into()), Some(node.into()));
        network.rule(Rule { from, to, command: None, moment, occurrence: Occurrence::From(1), verdict })
    };
    let moment = |sender: &str| if sender == client { Moment::Request } else { Moment::Reply };
    let slow = |how| ways.clone().map(|(from, to)| By::Slow(network.slow(from, to, how))).collect();
    Ok(match toxic.dose() {
        Ok(Dose::Latency { ms, jitter_ms }) => slow(Slowness::Latency { by: ms * MILLI, jitter: jitter_ms * MILLI }),
        Ok(Dose::Bandwidth { kb_per_s }) => slow(Slowness::Bandwidth { kb_per_s }),
        // Where a client calls, a connection can be made all the same.
        Ok(Dose::Timeout { ms: 0 }) if world.client(client).is_some() => {
            ways.map(|(sender, _)| By::Loss(rule(moment(sender), Verdict::Drop))).collect()
        }
        Ok(Dose::Timeout { ms: 0 }) => ways.map(|(from, to)| By::Severed(network.sever(from, to, Severed::Lost))).collect(),
        Ok(Dose::Down) => vec![By::Reset(network.reset_between(client, node)), By::Rule(rule(Moment::Request, Verdict::Reset))],
        Ok(Dose::ResetPeer { ms: 0 }) => ways.map(|(sender, _)| By::Rule(rule(moment(sender), Verdict::Reset))).collect(),
        _ => return Err(NotInjected(format!("the simulation has no such {}", toxic.kind.name()))),
    })
}

/// Who calls whom: a client a node, where one of the two is a client.
fn dialled<'a>(world: &SimWorld, from: &'a str, to: &'a str) -> (&'a str, &'a str) {
    if world.client(to).is_some() { (to, from) } else { (from, to) }
}

/// What was hit on each link.
///
/// # Errors
/// The same, where nothing was hit on one of them.
fn hits(world: &SimWorld, all: &[Between]) -> Result<String, String> {
    let hit = |by: &By| match *by {
        By::Slow(slow) => u64::from(world.network.slowed(slow)),
        By::Rule(rule) | By::Loss(rule) => u64::from(world.network.hits(rule)),
        By::Severed(link) => {
            let Toll { bytes, calls } = world.network.toll(link);
            bytes + calls
        }
        By::Reset(count) => count as u64,
    };
    let counts: Vec<u64> = all.iter().map(|between| between.by.iter().map(hit).sum()).collect();
    let each = all.iter().zip(&counts).map(|(between, count)| format!("{count} between {} and {}", between.from, between.to));
    let told = format!("messages, bytes or connections that it hit: {}", each.collect::<Vec<_>>().join("; "));
    if counts.contains(&0) { Err(format!("nothing was sent that it could have hit ({told})")) } else { Ok(told) }
}
