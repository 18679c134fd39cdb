//! The simulated world.

pub mod redis;
