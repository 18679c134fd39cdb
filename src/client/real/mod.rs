//! A client's clocks and connections outside of simulation.

mod clock;
mod cluster;
mod door;
mod node;
mod sentinel;
mod subscriber;

pub use clock::RealClock;
pub use cluster::{BoundConnection, cluster_connection};
pub use door::RealDoor;
pub use node::RealNode;
pub(crate) use node::{GRACE, PATIENCE};
pub use sentinel::WATCHED;
pub use subscriber::RealSubscriber;
