//! Times and shares as a person reads them.

use crate::Bounds;
use crate::bounds::float;

/// A time in nanoseconds, with three digits: `1.92 ms`.
pub fn time(nanoseconds: f64) -> String {
    let (divisor, unit) = unit(nanoseconds);
    format!("{} {unit}", digits(nanoseconds / divisor))
}

/// A time that is not known exactly: `0.73 to 1.25 ms`.
pub fn times(bounds: Bounds) -> String {
    let (divisor, unit) = unit(bounds.high);
    let [low, high] = [bounds.low, bounds.high].map(|it| digits(it / divisor));
    if low == high {
        format!("{low} {unit}")
    } else {
        format!("{low} to {high} {unit}")
    }
}

/// A share: `32 %`; a small one that is not nothing is `<1 %`.
pub fn share(part: f64) -> String {
    let percent = part * 100.0;
    if percent > 0.0 && percent < 0.5 {
        return "<1 %".to_owned();
    }
    format!("{} %", whole(percent))
}

/// The share of a time in another: `32 %`.
pub fn share_of(part: u64, whole: u64) -> String {
    share(float(part) / float(whole.max(1)))
}

/// `1 replay`, `2 replays`.
pub fn count(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// A share that is not known exactly: `35 to 62 %`.
pub fn shares(bounds: Bounds) -> String {
    let [low, high] = [bounds.low, bounds.high].map(|it| whole(it * 100.0));
    if low == high {
        format!("{low} %")
    } else {
        format!("{low} to {high} %")
    }
}

/// A count of nanoseconds: `1.92 ms`.
pub fn nanoseconds(count: u64) -> String {
    time(float(count))
}

fn unit(nanoseconds: f64) -> (f64, &'static str) {
    match nanoseconds.abs() {
        it if it < 1e3 => (1.0, "ns"),
        it if it < 1e6 => (1e3, "µs"),
        it if it < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    }
}

/// Three digits.
fn digits(number: f64) -> String {
    let decimals = match number.abs() {
        it if it < 9.995 => 2,
        it if it < 99.95 => 1,
        _ => 0,
    };
    let digits = format!("{number:.decimals$}");
    let is_zero = digits.trim_matches(['-', '0', '.']).is_empty();
    if is_zero { "0".to_owned() } else { digits }
}

/// Without decimals, and without a minus where that is nothing.
fn whole(number: f64) -> String {
    let digits = format!("{number:.0}");
    if digits == "-0" {
        "0".to_owned()
    } else {
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_a_fitting_unit() {
        assert_eq!(time(0.0), "0 ns");
        assert_eq!(time(-2500.0), "-2.50 µs");
        assert_eq!(time(1_920_000.0), "1.92 ms");
        assert_eq!(time(123_456_789.0), "123 ms");
        assert_eq!(time(2.5e9), "2.50 s");
        assert_eq!(
            times(Bounds::new(730_000.0, 1_250_000.0)),
            "0.73 to 1.25 ms"
        );
        assert_eq!(times(Bounds::exactly(5000.0)), "5.00 µs");
    }

    #[test]
    fn shares_are_whole_percents() {
        assert_eq!(share(0.324), "32 %");
        assert_eq!(share(0.001), "<1 %");
        assert_eq!(share(0.0), "0 %");
        assert_eq!(shares(Bounds::new(-0.001, 0.62)), "0 to 62 %");
        assert_eq!(shares(Bounds::exactly(0.5)), "50 %");
    }
}
