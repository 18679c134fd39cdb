//! Faults as data, the triggers that time them, and the hands that inject them.
//!
//! * [`catalogue`]: every fault and every trigger, as a person picks one.
//! * [`fault`]: what can be done to a client or a node.
//! * [`wire_fault`]: what can be done to the messages between them.
//! * [`partition`]: who cannot reach whom.
//! * [`toxic`]: what becomes of whole links.
//! * [`skew`]: what the faults on one wall clock come to.
//! * [`trigger`]: the events at which it is done; never a sleep.
//! * [`step`]: a named fault with its triggers.
//! * [`wire`]: the proxy that sees and commands every message.
//! * [`hand`]: what injects the other faults.
//!
//! A fault counts only if its injection was seen to have worked: a hand returns [`Evidence`], never just "done".
#![warn(missing_docs)]

pub mod catalogue;
pub mod fault;
pub mod hand;
pub mod partition;
pub mod skew;
pub mod step;
pub mod toxic;
pub mod trigger;
pub mod wire;
pub mod wire_fault;

pub use fault::{Data, Evidence, Fault, NotInjected, Stop};
pub use partition::{Partition, Way};
pub use skew::Skew;
pub use step::Step;
pub use toxic::{Dose, Misdosed, Toxic, ToxicKind};
pub use trigger::{Moment, OpPattern, Sighting, StepMoment, StepPattern, Trigger, WirePattern};
pub use wire_fault::{WireFault, WireVerdict};
