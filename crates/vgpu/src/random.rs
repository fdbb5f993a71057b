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
const ROUNDS: u32 = 10;

/// What so many threads, beginning with `first`, draw: all of them once, then all of them again, without end.
///
/// `draw` counts the draws that the generator made before. A number of 32 bits takes 64, as for tensors.
pub fn numbers(seed: u64, draw: u64, first: u64, threads: NonZeroU64) -> impl Iterator<Item = i64> {
    (0_u64..).flat_map(move |at| {
        let draw = draw.wrapping_add(at / threads);
        let thread = first.wrapping_add(at % threads);
        let counter = [low(draw), high(draw), low(thread), high(thread)];
        philox(counter, [low(seed), high(seed)]).map(i64::from)
    })
}

fn philox(mut counter: [u32; LANES], mut key: [u32; 2]) -> [u32; LANES] {
    for _ in 0..ROUNDS {
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

    use super::{numbers, philox};

    /// Known answers of Random123, the authors' own library (`kat_vectors`, philox4x32 with 10 rounds).
    #[test]
    fn numbers_are_those_of_the_authors() {
        let zeros = philox([0; 4], [0; 2]);
        assert_eq!(zeros, [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let ones = philox([u32::MAX; 4], [u32::MAX; 2]);
        assert_eq!(ones, [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    }

    #[test]
    fn threads_draw_in_turns() {
        let seed = 0x0123_4567_89ab_cdef;
        let three = NonZeroU64::MIN.saturating_add(2);
        let sixth = numbers(seed, 7, 100, three).skip(4 * 5).take(4);
        let alone = numbers(seed, 8, 102, NonZeroU64::MIN).take(4);
        assert!(sixth.eq(alone));
    }
}
