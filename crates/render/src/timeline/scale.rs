//! Sizes and times for people, and where the lines of the grid are.

/// A size: `512 B`, `1.5 MiB`, `80 GiB`.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut unit = 0;
    while unit + 1 < UNITS.len() && bytes >> (10 * (unit + 1)) > 0 {
        unit += 1;
    }
    let one = 1_u128 << (10 * unit);
    let tenths = (u128::from(bytes) * 10 + one / 2) / one;
    // From 100 on, and where it is whole, a decimal says nothing.
    if tenths >= 1_000 || tenths.is_multiple_of(10) {
        format!("{} {}", (tenths + 5) / 10, UNITS[unit])
    } else {
        format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
    }
}

/// The sizes at which lines are drawn up to a largest one: multiples of a power of two, of which there are at most eight.
pub(super) fn sizes_up_to(most: u64) -> Vec<u64> {
    let mut step = 1_u64;
    while most / step > 8 {
        step *= 2;
    }
    (0..=most / step).map(|it| it * step).collect()
}

/// A time since the beginning, with as many digits as tell times of a course of this length apart.
pub(super) fn time(nanoseconds: u64, length: u64) -> String {
    const MILLISECOND: u64 = 1_000_000;
    const SECOND: u64 = 1_000 * MILLISECOND;
    if length < 20 * MILLISECOND {
        let microseconds = nanoseconds / 1_000;
        format!("{}.{:03} ms", microseconds / 1_000, microseconds % 1_000)
    } else if length < 2 * SECOND {
        format!("{} ms", nanoseconds / MILLISECOND)
    } else if length < 200 * SECOND {
        let hundredths = nanoseconds / (10 * MILLISECOND);
        format!("{}.{:02} s", hundredths / 100, hundredths % 100)
    } else {
        format!("{} s", nanoseconds / SECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_unit_that_makes_them_short() {
        assert_eq!(size(0), "0 B");
        assert_eq!(size(512), "512 B");
        assert_eq!(size(3 << 19), "1.5 MiB");
        assert_eq!(size(258 << 20), "258 MiB");
        assert_eq!(size(1794 << 20), "1.8 GiB");
        assert_eq!(size(80 << 30), "80 GiB");
        assert_eq!(size(u64::MAX), "16384 PiB");
    }

    #[test]
    fn the_lines_of_the_grid_are_at_round_sizes() {
        assert_eq!(sizes_up_to(0), [0]);
        assert_eq!(
            sizes_up_to(300 << 20),
            [0, 64 << 20, 128 << 20, 192 << 20, 256 << 20]
        );
        assert!(sizes_up_to(u64::MAX).len() <= 9);
    }

    #[test]
    fn times_are_as_fine_as_the_course_is_long() {
        assert_eq!(time(1_234_567, 5_000_000), "1.234 ms");
        assert_eq!(time(1_234_567_890, 1_500_000_000), "1234 ms");
        assert_eq!(time(1_234_567_890, 20_000_000_000), "1.23 s");
        assert_eq!(time(1_234_567_890_123, 2_000_000_000_000), "1234 s");
    }
}
