//! Who the others waited for, and which steps took longest.
//!
//! Ranks of a job meet at their collectives, so all of them take as long as the last one: how long a step lasts says little about a rank, and
//! how long it did work of its own says much. In each step, the rank with the most of it is the last, by what it has more than the
//! median of all.

use super::ranks::Fleet;

/// Ranks that have a step, for it to have a last one.
const FEWEST: usize = 3;

/// A step across ranks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Across {
    pub(super) step: u32,
    /// The median of how long it lasted.
    pub(super) lasted: f32,
    /// The median of how long ranks did work of their own.
    pub(super) host: f32,
    /// The rank that was last, an index into the ranks.
    pub(super) last: usize,
    /// How much more work of its own that rank did.
    pub(super) late_by: f32,
}

/// How much a rank was waited for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Waited {
    pub(super) rank: usize,
    /// In how many steps it was the last.
    pub(super) steps: usize,
    /// By how much, in all of these.
    pub(super) late_by: f32,
    /// The step in which it was latest.
    pub(super) worst: u32,
    worst_by: f32,
}

/// The steps that enough ranks have, ascending.
pub(super) fn across(fleet: &Fleet) -> Vec<Across> {
    let mut all: Vec<(u32, usize, f32, f32)> = Vec::new();
    for (rank, of) in fleet.ranks.iter().enumerate() {
        let over = of.steps.iter().filter(|it| it.is_over);
        all.extend(over.map(|it| (it.step, rank, it.host, it.lasted)));
    }
    all.sort_by_key(|(step, rank, ..)| (*step, *rank));
    let steps = all.chunk_by(|one, other| one.0 == other.0);
    steps
        .filter(|step| step.len() >= FEWEST)
        .filter_map(|step| {
            let host = median(step.iter().map(|it| it.2));
            let last = step
                .iter()
                .rev()
                .max_by(|one, other| one.2.total_cmp(&other.2))?;
            Some(Across {
                step: last.0,
                lasted: median(step.iter().map(|it| it.3)),
                host,
                last: last.1,
                late_by: last.2 - host,
            })
        })
        .collect()
}

/// The ranks that were last in some step, those first that were waited for longest.
pub(super) fn waited_for(steps: &[Across], ranks: usize) -> Vec<Waited> {
    let mut all: Vec<Waited> = (0..ranks)
        .map(|rank| Waited {
            rank,
            steps: 0,
            late_by: 0.0,
            worst: 0,
            worst_by: 0.0,
        })
        .collect();
    for step in steps {
        let Some(waited) = all.get_mut(step.last).filter(|_| step.late_by > 0.0) else {
            continue;
        };
        waited.steps += 1;
        waited.late_by += step.late_by;
        if step.late_by > waited.worst_by {
            (waited.worst, waited.worst_by) = (step.step, step.late_by);
        }
    }
    all.retain(|it| it.steps > 0);
    all.sort_by(|one, other| other.late_by.total_cmp(&one.late_by));
    all
}

/// The median of some numbers: of an even count, the larger of the two in the middle. 0 if there are none.
pub(super) fn median(numbers: impl Iterator<Item = f32>) -> f32 {
    let mut all: Vec<f32> = numbers.collect();
    if all.is_empty() {
        return 0.0;
    }
    let middle = all.len() / 2;
    *all.select_nth_unstable_by(middle, f32::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::super::{FleetRank, FleetStep};
    use super::*;

    /// Ranks that each do so much work of their own in each step.
    fn fleet(work: &[&[f32]]) -> Fleet {
        let ranks = work.iter().map(|steps| FleetRank {
            steps: (1..)
                .zip(*steps)
                .map(|(step, host)| FleetStep {
                    step,
                    host: *host,
                    lasted: 10.0,
                    is_over: true,
                    ..FleetStep::default()
                })
                .collect(),
            ..FleetRank::default()
        });
        Fleet {
            ranks: ranks.collect(),
            ..Fleet::default()
        }
    }

    #[test]
    fn the_rank_with_most_work_of_its_own_is_waited_for() {
        let fleet = fleet(&[&[1.0, 1.0, 1.0], &[1.0, 4.0, 9.0], &[1.0, 2.0, 1.0]]);
        let steps = across(&fleet);
        let told: Vec<_> = steps
            .iter()
            .map(|it| (it.step, it.last, it.late_by))
            .collect();
        assert_eq!(told, [(1, 0, 0.0), (2, 1, 2.0), (3, 1, 8.0)]);
        let waited = waited_for(&steps, 3);
        assert_eq!(waited.len(), 1);
        assert_eq!(
            (waited[0].rank, waited[0].steps, waited[0].worst),
            (1, 2, 3)
        );
    }

    #[test]
    fn two_ranks_have_no_median_that_says_anything() {
        assert_eq!(across(&fleet(&[&[1.0], &[5.0]])), []);
        assert_eq!(across(&Fleet::default()), []);
    }
}
