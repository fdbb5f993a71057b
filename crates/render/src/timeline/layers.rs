//! Which pools are drawn, from the lowest layer to the highest, and what each held at the steps that are kept.

use cgsan_finding::MemoryTimeline;

use super::kept::{Kept, Sums, walk};
use super::scale::PRIVATE;

/// A layer of the picture.
#[derive(Debug)]
pub(super) struct Layer {
    /// The pools, as indices into the timeline's: one, or all that are not drawn one by one.
    pub(super) pools: Vec<usize>,
    /// Which colours it has: 0 for eager work, then one after the other, and the last ones for the rest.
    pub(super) color: usize,
    /// The most that it had reserved and that was held of it, in bytes.
    pub(super) most: Sums,
    /// What it held at the steps that are kept.
    pub(super) course: Vec<Sums>,
}

impl Layer {
    /// Whether it stands for several pools.
    pub(super) fn is_rest(&self) -> bool {
        self.color > PRIVATE
    }
}

/// The layers of a timeline: eager work, the largest private pools in the order in which they came, and the rest.
pub(super) fn layers(timeline: &MemoryTimeline, kept: &Kept) -> Vec<Layer> {
    let mut layers: Vec<Layer> = choose(kept)
        .into_iter()
        .map(|(color, pools)| Layer {
            pools,
            color,
            most: Sums::default(),
            course: Vec::with_capacity(kept.steps.len()),
        })
        .collect();
    let mut steps = kept.steps.iter().copied().peekable();
    walk(timeline, |step, pools, _| {
        if steps.next_if_eq(&step).is_none() {
            return;
        }
        for layer in &mut layers {
            let now =
                layer
                    .pools
                    .iter()
                    .map(|pool| pools[*pool])
                    .fold(Sums::default(), |sum, pool| Sums {
                        reserved: sum.reserved.saturating_add(pool.reserved),
                        held: sum.held.saturating_add(pool.held),
                    });
            layer.most.reserved = layer.most.reserved.max(now.reserved);
            layer.most.held = layer.most.held.max(now.held);
            layer.course.push(now);
        }
    });
    layers
}

/// The pools of each layer, with its colour.
fn choose(kept: &Kept) -> Vec<(usize, Vec<usize>)> {
    let Some(private) = kept.most.len().checked_sub(1) else {
        return Vec::new();
    };
    let mut largest: Vec<usize> = (1..=private).collect();
    largest.sort_by_key(|pool| std::cmp::Reverse(kept.most[*pool].reserved));
    let rest = largest.split_off(largest.len().min(PRIVATE));
    largest.sort_unstable();
    let alone = std::iter::once(0).chain(largest).map(|pool| vec![pool]);
    let mut chosen: Vec<(usize, Vec<usize>)> = alone.enumerate().collect();
    if !rest.is_empty() {
        chosen.push((PRIVATE + 1, rest));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use cgsan_finding::PoolChange;

    use super::*;

    #[test]
    fn the_smallest_of_many_pools_are_one_layer() {
        let pools = 12;
        let timeline = MemoryTimeline {
            pools: (0..pools).map(|it| (0, it)).collect(),
            steps: (0..pools).collect(),
            changes: (0..12)
                .map(|it| PoolChange {
                    step: it,
                    pool: it,
                    // The later ones are smaller.
                    reserved: 100 - it as u64,
                    held: 1,
                })
                .collect(),
            ..MemoryTimeline::default()
        };
        let layers = layers(&timeline, &Kept::of(&timeline));
        let drawn: Vec<&[usize]> = layers.iter().map(|it| it.pools.as_slice()).collect();
        assert_eq!(drawn.len(), 9);
        assert_eq!(drawn[..3], [&[0], &[1], &[2]]);
        assert_eq!(drawn[8], [8, 9, 10, 11]);
        assert!(layers[8].is_rest() && !layers[7].is_rest());
        assert_eq!(
            layers[8].most,
            Sums {
                reserved: 92 + 91 + 90 + 89,
                held: 4
            }
        );
        assert_eq!(layers[8].course.len(), 12);
    }
}
