//! How far a wall clock is from the true time.

use crate::NotInjected;

/// What the faults on one wall clock come to: jumps add up, and it drifts at one rate at a time. Times are nanoseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Skew {
    jumped: i64,
    drift: Option<Drift>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Drift {
    rate: f64,
    since: i64,
}

impl Skew {
    /// The true time and what the clock shows then: from there it goes at [`Skew::rate`].
    pub fn anchor(&self) -> (i64, i64) {
        let real = self.drift.map_or(0, |drift| drift.since);
        (real, real.saturating_add(self.jumped))
    }

    /// How fast it goes; 1 is true.
    pub fn rate(&self) -> f64 {
        self.drift.map_or(1.0, |drift| drift.rate)
    }

    /// What it shows at a true time.
    pub fn shown(&self, now: i64) -> i64 {
        let (real, fake) = self.anchor();
        let since = now.saturating_sub(real);
        fake.saturating_add(if self.drift.is_some() { (since as f64 * self.rate()) as i64 } else { since })
    }

    /// After a jump by so many milliseconds; negative is back.
    #[must_use]
    pub fn jumped(self, by_ms: i64) -> Skew {
        Skew { jumped: self.jumped.saturating_add(by_ms.saturating_mul(1_000_000)), ..self }
    }

    /// Going at another rate from now on.
    ///
    /// # Errors
    /// It drifts already.
    pub fn drifting(self, rate: f64, now: i64) -> Result<Skew, NotInjected> {
        match self.drift {
            None => Ok(Skew { drift: Some(Drift { rate, since: now }), ..self }),
            Some(drift) => Err(NotInjected(format!("that clock already goes {} times as fast as true time", drift.rate))),
        }
    }

    /// Without its drift, and without what the drift had come to.
    #[must_use]
    pub fn steady(self) -> Skew {
        Skew { drift: None, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000_000_000_000;
    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn jumps_add_up_and_are_taken_back() {
        let skew = Skew::default().jumped(30_000).jumped(-5_000);
        assert_eq!(skew.shown(NOW), NOW + 25 * SECOND);
        assert_eq!(skew.jumped(5_000).jumped(-30_000), Skew::default());
        let far = Skew::default().jumped(i64::MAX).jumped(i64::MAX);
        assert_eq!(far.shown(NOW), i64::MAX, "no jump overflows");
    }

    #[test]
    fn a_drift_grows_with_time_and_its_end_is_true_time() {
        let skew = Skew::default().jumped(-1_000).drifting(2.0, NOW).expect("the first drift");
        assert_eq!(skew.shown(NOW), NOW - SECOND, "nothing jumps when it begins");
        assert_eq!(skew.shown(NOW + 10 * SECOND), NOW + 19 * SECOND);
        let slow = Skew::default().drifting(0.5, NOW).expect("the first drift");
        assert_eq!(slow.shown(NOW + 10 * SECOND), NOW + 5 * SECOND);
        assert!(skew.drifting(3.0, NOW).is_err());
        assert_eq!(skew.steady(), Skew::default().jumped(-1_000));
    }
}
