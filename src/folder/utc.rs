//! A moment of UTC, as the name of a folder and as RFC 3339.

use std::time::{Duration, SystemTime};

const DAY: u64 = 24 * 60 * 60;

/// `2026-11-30T23-21-24Z`: sorts as time goes, and has no colon for a shell or a Windows share to stumble over.
pub fn stamp(moment: SystemTime) -> String {
    written(moment, '-')
}

/// `2026-11-30T23:21:24Z`.
pub fn rfc3339(moment: SystemTime) -> String {
    written(moment, ':')
}

fn written(moment: SystemTime, between: char) -> String {
    let seconds = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
    let (year, month, day) = date(seconds / DAY);
    let (hour, minute, second) = (seconds % DAY / 3600, seconds % 3600 / 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}{between}{minute:02}{between}{second:02}Z")
}

/// The date of a day counted from 1970. Runs once a run, so it may count years.
fn date(mut days: u64) -> (u64, u64, u64) {
    let mut year = 1970;
    while days >= year_length(year) {
        days -= year_length(year);
        year += 1;
    }
    let february = year_length(year) - 337;
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

fn year_length(year: u64) -> u64 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    if leap { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // From date(1).
        for (seconds, expected) in [
            (0, "1970-01-01T00-00-00Z"),
            (951_782_399, "2000-02-28T23-59-59Z"),
            (951_782_400, "2000-02-29T00-00-00Z"),
            (1_709_251_199, "2024-02-29T23-59-59Z"),
            (1_767_225_599, "2025-12-31T23-59-59Z"),
            (1_796_080_884, "2026-11-30T23-21-24Z"),
            (4_107_542_400, "2100-03-01T00-00-00Z"),
        ] {
            assert_eq!(stamp(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }
}
