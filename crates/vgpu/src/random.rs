//! CUDA's random numbers: what the threads of a kernel draw from Philox, the generator of cuRAND and PyTorch.
//!
//! The generator is a function of a counter: a thread's n-th draw encrypts its own number and n with the seed (Salmon et
//! al., "Parallel random numbers: as easy as 1, 2, 3", 2011; Philox4x32-10). cuRAND's documentation of the device API says
//! how a seed, a subsequence (the thread) and an offset make the counter; four numbers of 32 bits come of each.

/// Numbers of one draw.
pub const LANES: usize = 4;
/// So many draws are made side by side, as processors can.
const SIDE: usize = 4;

const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const KEY_STEPS: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// How often cuRAND's generator, and PyTorch's, encrypts a counter.
pub const ROUNDS: u32 = 10;

/// The generator with a seed: cuRAND's goes ten rounds, that of flash attention seven.
#[derive(Clone, Copy)]
pub struct Philox {
    pub seed: u64,
    pub rounds: u32,
}

/// One draw: which of its thread's it is, and whose.
#[derive(Clone, Copy, Default)]
pub struct Draw {
    pub at: u64,
    pub thread: u64,
}

/// Which elements the numbers of a kernel's threads go to.
#[derive(Clone, Copy)]
pub struct Spread {
    /// How many draws the generator made before.
    pub draw: u64,
    /// The threads of the grid.
    pub threads: usize,
    /// How many elements that follow each other a thread takes before the next one does.
    pub at_once: usize,
    /// So many numbers at the beginning are no element's.
    pub skipped: usize,
    pub elements: usize,
}

impl Philox {
    /// Makes draws, and hands over the numbers of each with what came with it.
    pub fn draw_each<T: Copy + Default>(
        self,
        draws: impl Iterator<Item = (Draw, T)>,
        mut see: impl FnMut(T, [u32; LANES]),
    ) {
        let mut draws = draws.fuse();
        loop {
            let mut counters = [[0_u32; SIDE]; LANES];
            let mut with = [T::default(); SIDE];
            let mut count = 0;
            while count < SIDE
                && let Some((draw, it)) = draws.next()
            {
                counters[0][count] = low(draw.at);
                counters[1][count] = high(draw.at);
                counters[2][count] = low(draw.thread);
                counters[3][count] = high(draw.thread);
                with[count] = it;
                count += 1;
            }
            if count == 0 {
                return;
            }
            let numbers = self.encrypted(&counters);
            for (at, it) in with.into_iter().enumerate().take(count) {
                see(it, numbers.map(|lane| lane[at]));
            }
        }
    }

    /// Hands over each element of a kernel with its number.
    pub fn spread(self, over: Spread, mut see: impl FnMut(usize, u32)) {
        let Spread {
            threads,
            at_once,
            skipped,
            elements,
            ..
        } = over;
        // A thread that takes one element has the four numbers of a draw for elements a grid apart.
        let (step, used) = match at_once {
            1 => (threads, LANES),
            _ => (1, at_once.min(LANES)),
        };
        self.draw_each(over.draws(), |first, numbers| {
            let mut place = first;
            for number in &numbers[..used] {
                if (skipped..elements + skipped).contains(&place) {
                    see(place - skipped, *number);
                }
                place += step;
            }
        });
    }

    /// What the cipher makes of counters that lie side by side.
    #[inline]
    fn encrypted(self, counters: &[[u32; SIDE]; LANES]) -> [[u32; SIDE]; LANES] {
        let mut words = counters.map(|lane| lane.map(u64::from));
        let mut key = [low(self.seed), high(self.seed)];
        for _ in 0..self.rounds {
            words = round(&words, key.map(u64::from));
            key = [
                key[0].wrapping_add(KEY_STEPS[0]),
                key[1].wrapping_add(KEY_STEPS[1]),
            ];
        }
        words.map(|lane| lane.map(low))
    }
}

/// A round of the cipher: one step after the other for all counters, as processors do several at a time. What is above the lower half of
/// a word means nothing.
#[inline]
fn round([a, b, c, d]: &[[u64; SIDE]; LANES], key: [u64; 2]) -> [[u64; SIDE]; LANES] {
    let product = |words: &[u64; SIDE], by: u32| words.map(|it| u64::from(low(it)) * u64::from(by));
    let mixed = |product: [u64; SIDE], word: &[u64; SIDE], key: u64| {
        std::array::from_fn(|at| (product[at] >> 32) ^ word[at] ^ key)
    };
    let (one, other) = (product(a, MULTIPLIERS[0]), product(c, MULTIPLIERS[1]));
    [mixed(other, b, key[0]), other, mixed(one, d, key[1]), one]
}

impl Spread {
    /// The draws of its threads, each with the place of its first number.
    fn draws(self) -> Draws {
        // What a grid takes before its threads draw again.
        let of_thread = if self.at_once == 1 {
            LANES
        } else {
            self.at_once
        };
        let mut draws = Draws {
            over: self,
            of_pass: self.threads * of_thread,
            of_thread: self.at_once.div_ceil(LANES),
            begin: 0,
            at: self.draw,
            used: 0,
            thread: 0,
            part: 0,
        };
        draws.begin_pass();
        draws
    }
}

/// Draws of a kernel's threads, in the order of their elements.
struct Draws {
    over: Spread,
    /// Places of a pass over all threads, and the draws that a thread makes for it.
    of_pass: usize,
    of_thread: usize,
    /// The first place and the first draw of this pass, and how many threads have a part in it.
    begin: usize,
    at: u64,
    used: usize,
    /// What comes next.
    thread: usize,
    part: usize,
}

impl Draws {
    fn begin_pass(&mut self) {
        let places = self.over.elements + self.over.skipped;
        let left = places.saturating_sub(self.begin);
        let used = left.div_ceil(self.over.at_once.max(1));
        self.used = used.min(self.over.threads);
    }
}

impl Iterator for Draws {
    type Item = (Draw, usize);

    #[inline]
    fn next(&mut self) -> Option<(Draw, usize)> {
        if self.thread == self.used {
            if self.used == 0 {
                return None;
            }
            self.thread = 0;
            self.begin += self.of_pass;
            self.at = self.at.wrapping_add(self.of_thread as u64);
            self.begin_pass();
            if self.used == 0 {
                return None;
            }
        }
        let draw = Draw {
            at: self.at.wrapping_add(self.part as u64),
            thread: self.thread as u64,
        };
        let place = self.begin + self.thread * self.over.at_once + self.part * LANES;
        self.part += 1;
        if self.part == self.of_thread {
            self.part = 0;
            self.thread += 1;
        }
        Some((draw, place))
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
    use super::{Draw, LANES, Philox, SIDE, Spread};

    /// Known answers of Random123, the authors' own library (`kat_vectors`, philox4x32).
    #[test]
    fn numbers_are_those_of_the_authors() {
        let encrypted = |seed, rounds, counter| {
            let numbers = Philox { seed, rounds }.encrypted(&[[counter; SIDE]; LANES]);
            numbers.map(|lane| lane[SIDE - 1])
        };
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

    const GENERATOR: Philox = Philox {
        seed: 0x0123_4567_89ab_cdef,
        rounds: 10,
    };

    /// A number of a draw by itself.
    fn number(at: usize, thread: usize, lane: usize) -> u32 {
        let draw = Draw {
            at: at as u64,
            thread: thread as u64,
        };
        let mut found = 0;
        GENERATOR.draw_each([(draw, ())].into_iter(), |(), numbers| {
            found = numbers[lane];
        });
        found
    }

    /// What each element gets; those of no thread get none.
    fn spread(threads: usize, at_once: usize, skipped: usize, elements: usize) -> Vec<Option<u32>> {
        let mut found = vec![None; elements];
        let over = Spread {
            draw: 7,
            threads,
            at_once,
            skipped,
            elements,
        };
        GENERATOR.spread(over, |at, number| {
            let before = found[at].replace(number);
            assert_eq!(before, None, "an element has one number");
        });
        found
    }

    #[test]
    fn draws_are_handed_over_in_their_order() {
        let draws = (0..21_usize).map(|at| {
            let of = Draw {
                at: at as u64,
                thread: 3,
            };
            (of, at)
        });
        let mut found = Vec::new();
        GENERATOR.draw_each(draws, |at, numbers| found.push((at, numbers[2])));
        let expected: Vec<_> = (0..21).map(|at| (at, number(at, 3, 2))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn elements_of_one_thread_lie_a_grid_apart() {
        let expected = |at: usize| Some(number(7 + at / 20, at % 5, at / 5 % 4));
        assert_eq!(
            spread(5, 1, 0, 48),
            (0..48).map(expected).collect::<Vec<_>>()
        );
        assert_eq!(spread(5, 1, 0, 3), (0..3).map(expected).collect::<Vec<_>>());
    }

    #[test]
    fn a_thread_takes_elements_that_follow_each_other() {
        for at_once in [2, 4, 8] {
            let expected = |at: usize| {
                let (pass, rest) = (at / (3 * at_once), at % (3 * at_once));
                let (thread, own) = (rest / at_once, rest % at_once);
                let draw = 7 + pass * at_once.div_ceil(4) + own / 4;
                Some(number(draw, thread, own % 4))
            };
            let expected: Vec<_> = (0..61).map(expected).collect();
            assert_eq!(spread(3, at_once, 0, 61), expected, "{at_once} at once");
        }
    }

    #[test]
    fn numbers_at_the_beginning_are_left_out() {
        let expected = |at: usize| Some(number(7 + at.div_ceil(4), 0, (at + 3) % 4));
        assert_eq!(
            spread(1, 4, 3, 30),
            (0..30).map(expected).collect::<Vec<_>>()
        );
    }
}
