//! The captures of a sequence in another order.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::pools::Pools;
use crate::trial::{Placed, Step};

/// The sequence with these captures brought together, that with the highest peak first.
pub(super) fn largest_first(
    pools: &Pools<'_, '_>,
    steps: &[Placed],
    captures: &[usize],
) -> Vec<Placed> {
    let mut parts: FxHashMap<u64, Vec<Placed>> = FxHashMap::default();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut open = None;
    for placed in steps {
        if let Step::Begin { capture, .. } = placed.step {
            open = captures
                .iter()
                .any(|it| *it as u64 == capture)
                .then_some(capture);
        }
        match open {
            Some(capture) => parts.entry(capture).or_default().push(placed.clone()),
            None if parts.is_empty() => before.push(placed.clone()),
            None => after.push(placed.clone()),
        }
        if matches!(placed.step, Step::End | Step::Fail) {
            open = None;
        }
    }
    let mut order = captures.to_vec();
    order.sort_by_key(|capture| std::cmp::Reverse(pools.peak_of(*capture)));
    let mut there = FxHashSet::default();
    let mut freed_early = FxHashSet::default();
    let parts = order.iter().filter_map(|it| parts.remove(&(*it as u64)));
    let mut ordered = before;
    for placed in parts.flatten().chain(after) {
        match placed.step {
            Step::Allocate { block, .. } => {
                there.insert(block);
            }
            // What a later capture freed of an earlier one, which comes after it now.
            Step::Free { block, .. } if !there.contains(&block) => {
                freed_early.insert(block);
                continue;
            }
            _ => {}
        }
        let is_end = matches!(placed.step, Step::End | Step::Fail);
        let position = placed.position;
        ordered.push(placed);
        if is_end {
            let mut ended: Vec<u64> = freed_early.intersection(&there).copied().collect();
            ended.sort_unstable();
            for block in ended {
                freed_early.remove(&block);
                let step = Step::Free {
                    block,
                    waits: false,
                };
                ordered.push(Placed { position, step });
            }
        }
    }
    ordered
}
