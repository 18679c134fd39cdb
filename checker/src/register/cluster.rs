//! The operations of one value.

use crate::Nanos;
use crate::engine::Operation;
use crate::history::Value;
use crate::model::register::RegisterOp;
use hashbrown::HashMap;

/// The operations of one value: its write and the reads that returned it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cluster {
    /// The write; none for the initial value.
    pub(super) write: Option<usize>,
    /// The first return, and whose it is: none is before everything, as for the initial value.
    pub(super) first_return: Option<Nanos>,
    pub(super) first: usize,
    /// The last call, and whose it is.
    pub(super) last_call: Nanos,
    pub(super) last: usize,
}

/// What the operations of a history are.
pub(super) enum Found {
    /// One cluster a value.
    Clusters(Vec<Cluster>),
    /// No clusters: these operations alone cannot be explained.
    Impossible(Vec<usize>),
    /// No clusters: some read cannot know its write.
    Repeated,
}

/// The clusters that had an effect on anybody: those with a write that returned, or with a read.
pub(super) fn clusters(initial: &Value, history: &[Operation<&RegisterOp>]) -> Found {
    let mut clusters: Vec<Cluster> = Vec::new();
    let mut places: HashMap<&Value, u32> = HashMap::with_capacity(history.len());
    for (index, operation) in history.iter().enumerate() {
        let RegisterOp::Write(value) = operation.op else { continue };
        let cluster = Cluster {
            write: Some(index),
            first_return: Some(operation.ret.unwrap_or(Nanos::MAX)),
            first: index,
            last_call: operation.call,
            last: index,
        };
        if value == initial || places.insert(value, clusters.len() as u32).is_some() {
            return Found::Repeated;
        }
        clusters.push(cluster);
    }
    let mut never_written: Option<Cluster> = None;
    for (index, operation) in history.iter().enumerate() {
        let (RegisterOp::Read(value), Some(ret)) = (operation.op, operation.ret) else { continue };
        let Some(&place) = places.get(value) else {
            if value != initial {
                return Found::Impossible(vec![index]);
            }
            let latest = never_written.filter(|cluster| cluster.last_call >= operation.call);
            never_written = latest.or(Some(Cluster {
                write: None,
                first_return: None,
                first: index,
                last_call: operation.call,
                last: index,
            }));
            continue;
        };
        let cluster = &mut clusters[place as usize];
        let write = cluster.write.expect("only written values have places");
        if ret < history[write].call {
            return Found::Impossible(vec![write.min(index), write.max(index)]);
        }
        if Some(ret) < cluster.first_return {
            (cluster.first_return, cluster.first) = (Some(ret), index);
        }
        if operation.call > cluster.last_call {
            (cluster.last_call, cluster.last) = (operation.call, index);
        }
    }
    // A write of unknown outcome that nobody read has no return: it comes before nothing, and so clashes with nothing.
    clusters.extend(never_written);
    Found::Clusters(clusters)
}
