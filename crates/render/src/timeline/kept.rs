//! The steps that are kept: of each part of the width, those at which the most and the least was held and the most was
//! reserved, and the highest points of each pool. So thinning out loses no peak, and every state that is drawn was there.

use cgsan_finding::{MemoryTimeline, PoolChange};

use super::scale::PRIVATE;

/// Into how many parts the width is cut.
const PARTS: usize = 500;

/// What a pool holds, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) reserved: u64,
    pub(super) held: u64,
}

/// Calls `see` for each step, in order, with what each pool holds from it on, and what all hold.
pub(super) fn walk(timeline: &MemoryTimeline, mut see: impl FnMut(usize, &[Sums], Sums)) {
    let mut pools = vec![Sums::default(); timeline.pools.len()];
    let (mut reserved, mut held) = (0_u128, 0_u128);
    let mut changes = timeline.changes.iter().peekable();
    for step in 0..timeline.steps.len() {
        while let Some(change) = changes.next_if(|it| it.step <= step) {
            if let Some(pool) = pools.get_mut(change.pool) {
                let before = std::mem::replace(pool, sums(change));
                reserved = reserved + u128::from(pool.reserved) - u128::from(before.reserved);
                held = held + u128::from(pool.held) - u128::from(before.held);
            }
        }
        let all = Sums {
            reserved: u64::try_from(reserved).unwrap_or(u64::MAX),
            held: u64::try_from(held).unwrap_or(u64::MAX),
        };
        see(step, &pools, all);
    }
}

/// What a pool holds after a change.
fn sums(change: &PoolChange) -> Sums {
    Sums {
        reserved: change.reserved.max(change.held),
        held: change.held,
    }
}

/// The steps that are kept, ascending, and the highest sums of each pool and of all.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) steps: Vec<usize>,
    /// By the pools of the timeline.
    pub(super) most: Vec<Sums>,
    pub(super) most_of_all: Sums,
}

impl Kept {
    pub(super) fn of(timeline: &MemoryTimeline) -> Kept {
        let count = timeline.steps.len();
        let mut kept = Kept::highest(timeline);
        let mut part = Part::default();
        let part_of = |step: usize| step * PARTS / count.max(1);
        let mut current = 0;
        walk(timeline, |step, _, all| {
            if part_of(step) != current {
                kept.steps.extend(part.take());
                current = part_of(step);
            }
            part.add(step, all);
            let most = &mut kept.most_of_all;
            most.reserved = most.reserved.max(all.reserved);
            most.held = most.held.max(all.held);
        });
        kept.steps.extend(part.take());
        kept.steps.extend(count.checked_sub(1));
        kept.steps.sort_unstable();
        kept.steps.dedup();
        kept
    }

    /// The highest sums of each pool, and the steps at which the largest pools have theirs.
    fn highest(timeline: &MemoryTimeline) -> Kept {
        let mut most = vec![Sums::default(); timeline.pools.len()];
        let mut steps = vec![[0; 2]; timeline.pools.len()];
        for change in &timeline.changes {
            let Some(most) = most.get_mut(change.pool) else {
                continue;
            };
            let now = sums(change);
            if now.reserved > most.reserved {
                most.reserved = now.reserved;
                steps[change.pool][0] = change.step;
            }
            if now.held > most.held {
                most.held = now.held;
                steps[change.pool][1] = change.step;
            }
        }
        // Those of the pools that are drawn one by one are among the largest.
        let mut largest: Vec<usize> = (0..most.len()).collect();
        largest.sort_by_key(|pool| std::cmp::Reverse(most[*pool].reserved));
        Kept {
            steps: largest
                .iter()
                .take(PRIVATE + 1)
                .flat_map(|it| steps[*it])
                .collect(),
            most,
            most_of_all: Sums::default(),
        }
    }
}

/// The steps that count among those of one part of the width, with what all pools held.
#[derive(Default)]
struct Part {
    most_reserved: Option<(usize, u64)>,
    most_held: Option<(usize, u64)>,
    least_held: Option<(usize, u64)>,
}

impl Part {
    fn add(&mut self, step: usize, all: Sums) {
        let keep =
            |known: &mut Option<(usize, u64)>, value: u64, is_better: fn(u64, u64) -> bool| {
                if known.is_none_or(|(_, known)| is_better(value, known)) {
                    *known = Some((step, value));
                }
            };
        keep(&mut self.most_reserved, all.reserved, |new, old| new > old);
        keep(&mut self.most_held, all.held, |new, old| new > old);
        keep(&mut self.least_held, all.held, |new, old| new < old);
    }

    fn take(&mut self) -> impl Iterator<Item = usize> + use<> {
        let Part {
            most_reserved,
            most_held,
            least_held,
        } = std::mem::take(self);
        let all = [most_reserved, most_held, least_held];
        all.into_iter().flatten().map(|(step, _)| step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pool that holds these sizes, step by step.
    fn timeline(held: impl Iterator<Item = u64>) -> MemoryTimeline {
        let changes: Vec<PoolChange> = held
            .enumerate()
            .map(|(step, held)| PoolChange {
                step,
                pool: 0,
                reserved: 10,
                held,
            })
            .collect();
        MemoryTimeline {
            pools: vec![(0, 0)],
            steps: (0..changes.len() as u64).collect(),
            changes,
            ..MemoryTimeline::default()
        }
    }

    #[test]
    fn few_steps_are_all_kept() {
        let kept = Kept::of(&timeline([3, 1, 2].into_iter()));
        assert_eq!(kept.steps, [0, 1, 2]);
        assert_eq!(kept.most_of_all.held, 3);
        assert_eq!(kept.most[0].reserved, 10);
        assert!(Kept::of(&MemoryTimeline::default()).steps.is_empty());
    }

    #[test]
    fn of_many_steps_the_peaks_and_the_troughs_are_kept() {
        let spike = |step: u64| match step {
            123_456 => 900,
            123_457 => 1,
            _ => 100,
        };
        let kept = Kept::of(&timeline((0..300_000).map(spike)));
        assert!(kept.steps.len() <= 3 * PARTS + 3, "{}", kept.steps.len());
        assert!(kept.steps.contains(&123_456) && kept.steps.contains(&123_457));
        assert!(kept.steps.is_sorted());
        assert_eq!(
            kept.most_of_all,
            Sums {
                reserved: 900,
                held: 900
            }
        );
    }
}
