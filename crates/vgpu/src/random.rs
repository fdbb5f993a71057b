//! CUDA's random numbers: what the threads of a kernel draw from Philox, the generator of cuRAND and PyTorch.
//!
//! The generator is a function of a counter: a thread's n-th draw encrypts its own number and n with the seed (Salmon et
//! al., "Parallel random numbers: as easy as 1, 2, 3", 2011; Philox4x32-10). cuRAND's documentation of the device API says
//! how a seed, a subsequence (the thread) and an offset make the counter; four numbers of 32 bits come of each.

use std::num::NonZeroU64;

/// Numbers of one draw.
const LANES: usize = 4;

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const KEY_STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// The generator with a seed: cuRAND's goes ten rounds, that of flash attention seven.
#[derive(Clone, Copy)]
pub struct Philox {
    pub seed: u64,
    pub rounds: u32,
}

impl Philox {
    /// What so many threads, beginning with `first`, draw: all of them once, then all of them again, without end.
    ///
    /// `draw` counts the draws that the generator made before. A number of 32 bits takes 64, as for tensors.
    pub fn numbers(self, draw: u64, first: u64, threads: NonZeroU64) -> impl Iterator<Item = i64> {
        (0_u64..).flat_map(move |at| {
            let draw = draw.wrapping_add(at / threads);
            let thread = first.wrapping_add(at % threads);
            self.encrypted([low(draw), high(draw), low(thread), high(thread)])
                .map(i64::from)
        })
    }

    fn encrypted(self, mut counter: [u32; LANES]) -> [u32; LANES] {
        let mut key = [low(self.seed), high(self.seed)];
        for _ in 0..self.rounds {
            let a = u64::from(counter[0]) * u64::from(MULTIPLIERS[0]);
            let b = u64::from(counter[2]) * u64::from(MULTIPLIERS[1]);
            counter = [
                high(b) ^ counter[1] ^ key[0],
                low(b),
                high(a) ^ counter[3] ^ key[1],
                low(a),
            ];
            key = [
                key[0].wrapping_add(KEY_STEPS[0]),
                key[1].wrapping_add(KEY_STEPS[1]),
            ];
        }
        counter
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is wanted")]
fn low(number: u64) -> u32 {
    number as u32
}

fn high(number: u64) -> u32 {
    low(number >> 32)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::Philox;

    /// Known answers of Random123, the authors' own library (`kat_vectors`, philox4x32).
    #[test]
    fn numbers_are_those_of_the_authors() {
        let encrypted = |seed, rounds, counter| Philox { seed, rounds }.encrypted([counter; 4]);
        assert_eq!(
            encrypted(0, 10, 0),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            encrypted(u64::MAX, 10, u32::MAX),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            encrypted(0, 7, 0),
            [0x5f6f_b709, 0x0d89_3f64, 0x4f12_1f81, 0x4f73_0a48]
        );
    }

    #[test]
    fn threads_draw_in_turns() {
        let generator = Philox {
            seed: 0x0123_4567_89ab_cdef,
            rounds: 10,
        };
        let three = NonZeroU64::MIN.saturating_add(2);
        let sixth = generator.numbers(7, 100, three).skip(4 * 5).take(4);
        let alone = generator.numbers(8, 102, NonZeroU64::MIN).take(4);
        assert!(sixth.eq(alone));
    }
}
