//! Fencepost: a fault-injection correctness checker for Redis locks.
//!
//! The way of the data, a module a stage:
//!
//! [`plan`] → [`world`] → [`run`] → `checker::history` → `checker::finding` → [`report`]
//!
//! [`conduct`] goes this way once, [`matrix`] many times.
#![warn(missing_docs)]

pub mod brief;
pub mod chance;
pub mod cli;
pub mod client;
pub mod conduct;
#[cfg(feature = "docker")]
pub mod docker;
pub mod folder;
pub mod judged;
pub mod lock;
pub mod matrix;
pub mod plan;
pub mod problem;
pub mod report;
pub mod resource;
pub mod run;
pub mod scenario;
pub mod slot;
pub mod wording;
pub mod world;

pub use checker::suggest;
