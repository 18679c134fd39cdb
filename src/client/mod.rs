//! A client: what it is asked, what it answers, and the session that does it over a lock and a resource.

pub mod clock;
pub mod cluster;
pub mod protocol;
pub mod real;
pub mod session;
mod storage_fence;
pub mod subscriber;

pub use clock::Clock;
pub use protocol::{Answer, Ask, Do, Told, Unasked};
pub use session::Session;
pub use subscriber::Subscriber;
