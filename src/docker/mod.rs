//! A Docker engine: how it is found, what of ours is on it, and the image that is made for it from this machine's own programs.

mod closure;
mod context;
mod engine;
mod error;
mod image;
mod label;
mod sweep;

pub use engine::{Engine, LEAST_API};
pub use error::{EngineError, NoEngine};
pub use image::{Made, make};
pub use label::{Labels, Owner};
pub use sweep::{Left, Swept, sweep, sweep_images};
