//! Registers whose written values are all distinct, decided in O(n log n).
//!
//! Where every value is written once, each read names its write, and the operations of one value form a *cluster* that a linearization
//! must keep together: nothing else can be written between a write and its last read. Let `f` be the first return in a cluster and `s`
//! its last call. One cluster must come before another exactly if its `f` is before the other's `s`; so the history is linearizable exactly if no
//! read returns before its write is called and no two clusters must each come before the other. (A longer circle always contains a circle of
//! two: Gibbons and Korach, *Testing shared memories*, SIAM J. Comput. 26, 1997; the same bound by another way: Lee and Mathur, *Efficient decrease-and-conquer
//! linearizability monitoring*, OOPSLA 2025.) A cluster with `f < s` is a *forward zone* `[f, s]`, else a *backward zone* `[s, f]`; two
//! clusters clash if their forward zones overlap or if a backward zone lies inside a forward one. Sorted by `f`, a sweep finds that.
//!
//! An operation of unknown outcome needs no search here: a read tells nothing; a write whose value was read took effect, and never
//! returned; a write whose value nobody read may as well never have happened.

mod cluster;
mod sweep;

use crate::engine::Operation;
use crate::history::Value;
use crate::model::Shortcut;
use crate::model::register::RegisterOp;
use cluster::Found;

/// Decides one register's history; a violation is proved by six operations at most. None where a value was written twice, or the initial one was: that is
/// for the [engine](crate::engine).
pub fn decide(initial: &Value, history: &[Operation<&RegisterOp>]) -> Option<Shortcut> {
    Some(match cluster::clusters(initial, history) {
        Found::Repeated => return None,
        Found::Impossible(operations) => Shortcut::Violation(operations),
        Found::Clusters(clusters) => sweep::clash(clusters).map_or(Shortcut::Linearizable, Shortcut::Violation),
    })
}
