//! Two clusters that must each come before the other.

use super::cluster::Cluster;

/// The operations of two clusters that must each come before the other; none where there are none such.
pub(super) fn clash(clusters: Vec<Cluster>) -> Option<Vec<usize>> {
    let (mut forward, mut backward): (Vec<Cluster>, Vec<Cluster>) =
        clusters.into_iter().partition(|cluster| cluster.first_return < Some(cluster.last_call));
    forward.sort_unstable_by_key(|cluster| (cluster.first_return, cluster.last_call));
    if let Some(pair) = forward.windows(2).find(|pair| pair[1].first_return < Some(pair[0].last_call)) {
        return Some(proof(&pair[0], &pair[1]));
    }
    // Forward zones are disjoint here, so of those that begin before a backward zone only the last can reach over it.
    backward.sort_unstable_by_key(|cluster| cluster.last_call);
    let mut begun = 0;
    for inner in &backward {
        while begun < forward.len() && forward[begun].first_return < Some(inner.last_call) {
            begun += 1;
        }
        if let Some(outer) = begun.checked_sub(1).map(|last| &forward[last])
            && inner.first_return < Some(outer.last_call)
        {
            return Some(proof(outer, inner));
        }
    }
    None
}

fn proof(one: &Cluster, other: &Cluster) -> Vec<usize> {
    let mut operations: Vec<usize> =
        [one, other].iter().flat_map(|cluster| [cluster.write, Some(cluster.first), Some(cluster.last)]).flatten().collect();
    operations.sort_unstable();
    operations.dedup();
    operations
}
