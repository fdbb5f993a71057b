//! Sequences that repeat.

/// The longest part that is looked for.
const LONGEST: usize = 256;
/// How many blocks a fold has to save.
const WORTH: usize = 2;

/// A part of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A block, by its place.
    Block(usize),
    /// What is there several times, one after the other: the first time, and how often.
    Repeat { body: Vec<Entry>, times: usize },
}

/// A sequence with its repetitions folded.
#[derive(Debug)]
pub(super) struct Folded {
    pub(super) entries: Vec<Entry>,
    /// For each block, the one that stands for it.
    pub(super) shown: Vec<usize>,
}

/// A sequence of so many blocks as it is.
pub(super) fn unfolded(blocks: usize) -> Folded {
    Folded {
        entries: (0..blocks).map(Entry::Block).collect(),
        shown: (0..blocks).collect(),
    }
}

/// Folds blocks that look as these numbers say. At each block, the repetition that covers most is taken; and within what repeats,
/// again.
pub(super) fn folded(signatures: &[usize]) -> Folded {
    let mut folded = Folded {
        entries: Vec::new(),
        shown: (0..signatures.len()).collect(),
    };
    folded.entries = entries(signatures, 0, LONGEST, &mut folded.shown);
    folded
}

/// Those of a part of the sequence that begins at `first`, with repetitions of parts no longer than `longest`.
fn entries(part: &[usize], first: usize, longest: usize, shown: &mut [usize]) -> Vec<Entry> {
    let repeats = best_repeats(part, longest);
    let mut entries = Vec::new();
    let mut at = 0;
    while at < part.len() {
        let Repeat { period, times } = repeats[at];
        if times < 2 || period * (times - 1) < WORTH {
            entries.push(Entry::Block(first + at));
            at += 1;
            continue;
        }
        let begins = first + at;
        // A part within is shorter, so this ends.
        let body = &part[at..at + period];
        let body = self::entries(body, begins, period - 1, shown);
        for block in begins + period..begins + period * times {
            shown[block] = shown[begins + (block - begins) % period];
        }
        entries.push(Entry::Repeat { body, times });
        at += period * times;
    }
    entries
}

#[derive(Clone, Copy)]
struct Repeat {
    period: usize,
    times: usize,
}

/// For each place, the repetition that begins there and covers most; of equal ones, that of the shortest part.
fn best_repeats(part: &[usize], longest: usize) -> Vec<Repeat> {
    let once = Repeat {
        period: 1,
        times: 1,
    };
    let mut best = vec![once; part.len()];
    for period in 1..=longest.min(part.len() / 2) {
        let mut alike = 0;
        for at in (0..part.len() - period).rev() {
            alike = if part[at] == part[at + period] {
                alike + 1
            } else {
                0
            };
            if alike < period {
                continue;
            }
            let times = alike / period + 1;
            if times * period > best[at].times * best[at].period {
                best[at] = Repeat { period, times };
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A sequence as text: blocks as letters, repetitions in brackets.
    fn shown(sequence: &str) -> String {
        fn write(entries: &[Entry], names: &[u8], out: &mut String) {
            for entry in entries {
                match entry {
                    Entry::Block(block) => out.push(char::from(names[*block])),
                    Entry::Repeat { body, times } => {
                        out.push('(');
                        write(body, names, out);
                        out.push(')');
                        *out += &times.to_string();
                    }
                }
            }
        }
        let names = sequence.as_bytes();
        let signatures: Vec<usize> = names.iter().map(|it| usize::from(*it)).collect();
        let mut out = String::new();
        write(&folded(&signatures).entries, names, &mut out);
        out
    }

    #[test]
    fn what_repeats_is_there_once() {
        assert_eq!(shown("xabababy"), "x(ab)3y");
        assert_eq!(shown("aaaa"), "(a)4");
        assert_eq!(shown("abc"), "abc");
        assert_eq!(shown("aabb"), "aabb");
    }

    #[test]
    fn within_what_repeats_things_may_repeat() {
        assert_eq!(shown("aaabaaabaaab"), "((a)3b)3");
    }

    fn unfold(entries: &[Entry], signatures: &[usize], out: &mut Vec<usize>) {
        for entry in entries {
            match entry {
                Entry::Block(block) => out.push(signatures[*block]),
                Entry::Repeat { body, times } => {
                    (0..*times).for_each(|_| unfold(body, signatures, out));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn nothing_is_lost(signatures in proptest::collection::vec(0_usize..3, 0..60)) {
            let folded = folded(&signatures);
            let mut unfolded = Vec::new();
            unfold(&folded.entries, &signatures, &mut unfolded);
            prop_assert_eq!(&unfolded, &signatures);
            for (block, stands_for) in folded.shown.iter().enumerate() {
                prop_assert_eq!(signatures[block], signatures[*stands_for]);
                prop_assert_eq!(folded.shown[*stands_for], *stands_for);
            }
        }
    }
}
