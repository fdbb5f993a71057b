//! Dates for people.

/// A moment in seconds since the Unix epoch: `2026-03-01 09:05:07 UTC`.
pub(crate) fn date(seconds: u64) -> String {
    const DAY: u64 = 86_400;
    // The Gregorian calendar repeats itself every 400 years.
    const CYCLE: u64 = 146_097;
    let (mut days, rest) = (seconds / DAY, seconds % DAY);
    let mut year = 1970 + days / CYCLE * 400;
    days %= CYCLE;
    while days >= days_of(year) {
        days -= days_of(year);
        year += 1;
    }
    let mut month = 0;
    while days >= lengths(year)[month] {
        days -= lengths(year)[month];
        month += 1;
    }
    format!(
        "{year}-{:02}-{:02} {:02}:{:02}:{:02} UTC",
        month + 1,
        days + 1,
        rest / 3_600,
        rest / 60 % 60,
        rest % 60
    )
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of(year: u64) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

fn lengths(year: u64) -> [u64; 12] {
    let february = if is_leap(year) { 29 } else { 28 };
    [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_their_date() {
        assert_eq!(date(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(date(1_772_355_907), "2026-03-01 09:05:07 UTC");
        assert_eq!(date(4_102_444_799), "2099-12-31 23:59:59 UTC");
        assert!(date(u64::MAX).ends_with(" UTC"));
    }
}
