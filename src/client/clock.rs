//! Time as a client sees it.

use checker::Nanos;
use std::time::Duration;

/// The clocks of one client. A lock takes its time from nowhere else, so that a world can shift it.
pub trait Clock {
    /// Nanoseconds on the machine's monotonic clock, which no fault shifts; the history's own clock.
    fn monotonic(&self) -> Nanos;

    /// Nanoseconds since 1970 on the wall clock of this client, which a fault may shift.
    fn wall(&self) -> Nanos;

    /// Sleeps on the monotonic clock.
    fn sleep(&self, how_long: Duration) -> impl Future<Output = ()>;
}
