//! When a process asked CUDA for work: a file that it maps and writes, for `cgsan perf`.
//!
//! ```text
//! 8 bytes    signature
//! 8 bytes    how many ticks there is room for
//! 8 bytes    how many there were; those that found no room took the place of the oldest
//! 40 bytes   zeros
//! tick       8 bytes: nanoseconds of `CLOCK_MONOTONIC`; 8 bytes: the kind (upper byte) and a value
//! tick       …
//! ```

/// The first bytes of the file.
pub const SIGNATURE: [u8; 8] = *b"cgsanclk";

/// The bytes before the first tick.
pub const HEADER: usize = 64;

/// The bytes of a tick.
pub const TICK: usize = 16;

/// How many ticks there is room for: 16 MiB, of which a file system keeps what is written.
pub const CAPACITY: usize = 1 << 20;

/// The bytes of the whole file.
pub const LENGTH: usize = HEADER + CAPACITY * TICK;

/// Where the number of ticks stands.
pub const COUNT_OFFSET: usize = 16;

/// The bits of a value: addresses of programs fit.
const VALUE: u64 = (1 << 56) - 1;

/// The file of a process.
pub fn file_name(pid: u32) -> String {
    format!("clock-{pid}")
}

/// What a process asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Asked {
    /// A kernel; the value is its function.
    Launch = 1,
    /// A replay; the value is the executable graph.
    Replay = 2,
    /// A copy; the value is its size in bytes.
    Copy = 3,
    /// A step began, as the program marks it.
    Step = 4,
    /// The host began to wait for the device; the value is 0.
    Wait = 5,
}

impl Asked {
    fn of(kind: u8) -> Option<Asked> {
        let all = [
            Asked::Launch,
            Asked::Replay,
            Asked::Copy,
            Asked::Step,
            Asked::Wait,
        ];
        all.into_iter().find(|asked| *asked as u8 == kind)
    }

    /// The second word of a tick.
    pub fn word(self, value: u64) -> u64 {
        u64::from(self as u8) << 56 | value & VALUE
    }
}

/// One entry of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// Nanoseconds of `CLOCK_MONOTONIC`.
    pub time_ns: u64,
    /// What was asked for.
    pub asked: Asked,
    /// More about it, by kind.
    pub value: u64,
}

/// The ticks in the bytes of a file, in the order of their times. What makes no sense is left out: a process may be killed while
/// it writes.
pub fn parse(bytes: &[u8]) -> Vec<Tick> {
    if !bytes.starts_with(&SIGNATURE) {
        return Vec::new();
    }
    let ticks = bytes.get(HEADER..).unwrap_or_default();
    let mut ticks: Vec<Tick> = ticks.chunks_exact(TICK).filter_map(tick).collect();
    ticks.sort_by_key(|tick| tick.time_ns);
    ticks
}

fn tick(bytes: &[u8]) -> Option<Tick> {
    let (time, word) = bytes.split_first_chunk::<8>()?;
    let time_ns = u64::from_le_bytes(*time);
    let word = u64::from_le_bytes(*word.first_chunk()?);
    let asked = Asked::of(u8::try_from(word >> 56).ok()?)?;
    (time_ns != 0).then_some(Tick {
        time_ns,
        asked,
        value: word & VALUE,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_read_in_the_order_of_their_times() {
        let mut bytes = vec![0; HEADER + 4 * TICK];
        bytes[..8].copy_from_slice(&SIGNATURE);
        let written = [(9, Asked::Replay, 7), (5, Asked::Launch, u64::MAX)];
        for (slot, (time, asked, value)) in written.into_iter().enumerate() {
            let tick = &mut bytes[HEADER + slot * TICK..];
            tick[..8].copy_from_slice(&u64::to_le_bytes(time));
            tick[8..16].copy_from_slice(&asked.word(value).to_le_bytes());
        }
        let told: Vec<_> = parse(&bytes)
            .iter()
            .map(|tick| (tick.time_ns, tick.asked, tick.value))
            .collect();
        assert_eq!(told, [(5, Asked::Launch, VALUE), (9, Asked::Replay, 7)]);
    }

    #[test]
    fn no_bytes_make_it_panic() {
        for bytes in [&[][..], &[0xff; HEADER + 40], &SIGNATURE] {
            assert!(parse(bytes).is_empty());
        }
    }
}
