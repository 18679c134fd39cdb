//! Decides whether a concurrent history is linearizable, for any [`Model`](crate::model::Model).
//!
//! A history is linearizable if every operation can be given one instant between its call and its return so that, taken in
//! the order of those instants, the operations give the results that were seen (Herlihy and Wing 1990). The question is NP-complete in general; the
//! searches here (Wing and Gong 1993; Lowe 2017) answer it quickly for the histories that are met:
//!
//! * operations are taken just in time: only when one must return is an order of the pending ones looked for;
//! * a step that cannot change the state is taken as soon as it fits: it is never in the way;
//! * an operation of unknown outcome is taken only where it changes the state, and of two configurations that are alike but for the
//!   unknown operations that they have used up and the reads that they have explained, the one that can do less is dropped;
//! * of equal operations that are pending together only the one that must return first is tried;
//! * a configuration is a state and a few bits for what is pending, not for the whole history; none is searched twice;
//! * objects (keys) are checked apart, on all cores; a hard one is searched in depth and in breadth at once.
//!
//! ```
//! use checker::engine::{self, Limits, Operation};
//! use checker::model::register::{Register, RegisterOp};
//! # use checker::history::Value;
//! let register = Register { initial: Value::Int(0) };
//! let history = [
//!     Operation::known(RegisterOp::Write(Value::Int(1)), 10, 20),
//!     Operation::known(RegisterOp::Read(Value::Int(0)), 30, 40),
//! ];
//! let parts = engine::check(&register, &history, &Limits::default());
//! let stuck = parts[0].outcome.stuck().expect("the read returned what had been overwritten");
//! assert_eq!((stuck.operation, &stuck.states[..]), (1, &[Value::Int(1)][..]));
//! ```

mod board;
mod breadth;
mod choices;
mod depth;
mod helpful;
mod limits;
mod memo;
mod minimal;
mod operation;
mod outcome;
mod parts;
mod search;
mod space;
mod timeline;
mod window;

pub use limits::Limits;
pub use minimal::minimal;
pub use operation::Operation;
pub use outcome::{Bound, Outcome, Part, Stuck};
pub use parts::{check, check_by};

/// How one object's history is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Strategy {
    /// By the model's shortcut where it has one; else in depth, and where that takes long, in depth and in breadth at once.
    #[default]
    Race,
    /// In depth only.
    Depth,
    /// In breadth only.
    Breadth,
}
