//! When work is done, of all moments that the order of streams and events allows.

use std::str::FromStr;
use std::sync::OnceLock;

/// When work is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// When it is enqueued.
    #[default]
    Eager,
    /// When something waits for it, and what was enqueued last is done first where nothing orders it.
    Lazy,
    /// At moments and in orders that follow from a seed.
    Random(u64),
}

static SCHEDULE: OnceLock<Schedule> = OnceLock::new();

/// The schedule of this process.
pub fn current() -> Schedule {
    SCHEDULE.get().copied().unwrap_or_default()
}

/// Chooses the schedule of this process, before any work.
pub(super) fn choose(schedule: Schedule) {
    // The first choice stays: work may already follow it.
    let _ = SCHEDULE.set(schedule);
}

impl FromStr for Schedule {
    type Err = ();

    /// As the command writes it: `eager`, `lazy` or `random:SEED`.
    fn from_str(text: &str) -> Result<Schedule, ()> {
        match text {
            "eager" => Ok(Schedule::Eager),
            "lazy" => Ok(Schedule::Lazy),
            _ => {
                let seed = text.strip_prefix("random:").ok_or(())?;
                seed.parse().map(Schedule::Random).map_err(|_| ())
            }
        }
    }
}

/// Numbers that follow from a seed (`SplitMix64`).
#[derive(Debug, Default)]
pub struct Numbers(u64);

impl Numbers {
    /// The numbers of a seed.
    pub fn of(seed: u64) -> Numbers {
        Numbers(seed)
    }

    /// One of the numbers below a bound, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        number ^= number >> 31;
        usize::try_from(number % bound as u64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_read_as_the_command_writes_them() {
        assert_eq!("eager".parse(), Ok(Schedule::Eager));
        assert_eq!("lazy".parse(), Ok(Schedule::Lazy));
        assert_eq!("random:7".parse(), Ok(Schedule::Random(7)));
        for text in ["", "random", "random:", "random:x", "Lazy"] {
            assert_eq!(text.parse::<Schedule>(), Err(()));
        }
    }

    #[test]
    fn numbers_follow_from_their_seed() {
        let draw = |seed| {
            let mut numbers = Numbers::of(seed);
            [(); 8].map(|()| numbers.below(100))
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
