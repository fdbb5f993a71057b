//! Sizes and times for people, where the lines of the grid are, and how much is drawn.

/// How wide the picture is, in units of SVG: pixels, unless it is shown smaller.
pub(super) const WIDTH: usize = 1_120;

/// How many private pools of a process are drawn one by one; the rest is one layer.
pub(super) const PRIVATE: usize = 7;

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

/// Times since the beginning, as the labels of an axis of this length, in nanoseconds: with as many digits as suit it, and more
/// where labels of different times would be alike.
pub(super) fn times(all: &[u64], length: u64) -> Vec<String> {
    const MILLISECOND: u64 = 1_000_000;
    const SECOND: u64 = 1_000 * MILLISECOND;
    let (unit, name, few) = match length {
        0..20_000_000 => (MILLISECOND, "ms", 3),
        20_000_000..2_000_000_000 => (MILLISECOND, "ms", 0),
        2_000_000_000..200_000_000_000 => (SECOND, "s", 2),
        _ => (SECOND, "s", 0),
    };
    let most = unit.ilog10();
    let is_enough = |digits: u32| {
        let step = 10_u64.pow(most - digits);
        let differ = |pair: &[u64]| pair[0] == pair[1] || pair[0] / step != pair[1] / step;
        all.windows(2).all(differ)
    };
    let digits = (few..most).find(|it| is_enough(*it)).unwrap_or(most);
    all.iter()
        .map(|time| {
            let fraction = time % unit / 10_u64.pow(most - digits);
            match digits {
                0 => format!("{} {name}", time / unit),
                _ => format!(
                    "{}.{fraction:0width$} {name}",
                    time / unit,
                    width = digits as usize
                ),
            }
        })
        .collect()
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
        let one = |time, length| times(&[time], length).remove(0);
        assert_eq!(one(1_234_567, 5_000_000), "1.234 ms");
        assert_eq!(one(1_234_567_890, 1_500_000_000), "1234 ms");
        assert_eq!(one(1_234_567_890, 20_000_000_000), "1.23 s");
        assert_eq!(one(1_234_567_890_123, 2_000_000_000_000), "1234 s");
    }

    #[test]
    fn different_times_have_different_labels() {
        assert_eq!(
            times(
                &[0, 4_601_234_567, 4_604_345_678, 4_604_999_999],
                4_700_000_000
            ),
            ["0.0000 s", "4.6012 s", "4.6043 s", "4.6049 s"]
        );
        assert_eq!(
            times(&[5, 5, 6], 6),
            ["0.000005 ms", "0.000005 ms", "0.000006 ms"]
        );
    }
}
