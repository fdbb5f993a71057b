//! Which ranks of a job did the same.

use serde::Serialize;

use crate::phrase::numbers;

/// Ranks that did the same, as far as a report tells ranks apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RankGroup {
    /// The ranks, ascending.
    pub ranks: Vec<u32>,
    /// The machines that they ran on, ascending.
    pub hosts: Vec<String>,
    /// What they did in another way than the largest group; empty for that one.
    pub differs: Vec<String>,
}

/// How many machines of a group are named.
const HOSTS: usize = 4;

/// How many groups have a line.
const GROUPS: usize = 8;

impl RankGroup {
    /// What a sentence calls the ranks: `rank 517 (node-64)`, `ranks 0 to 7 (2 machines)`.
    pub fn name(&self) -> String {
        let ranks = match self.ranks.as_slice() {
            [rank] => format!("rank {rank}"),
            ranks => format!("ranks {}", numbers(ranks)),
        };
        match self.hosts.as_slice() {
            [] => ranks,
            few if few.len() <= HOSTS => format!("{ranks} ({})", few.join(", ")),
            many => format!("{ranks} ({} machines)", many.len()),
        }
    }

    /// The groups of a job, the odd ones first: a line for each of the first. Nothing if all did the same.
    pub fn in_words(groups: &[RankGroup]) -> Vec<String> {
        let Some((most, odd)) = groups.split_last().filter(|(_, odd)| !odd.is_empty()) else {
            return Vec::new();
        };
        let mut lines: Vec<String> = odd
            .iter()
            .take(GROUPS)
            .map(|group| format!("{}: {}", group.name(), group.differs.join("; ")))
            .collect();
        if odd.len() > GROUPS {
            let rest = &odd[GROUPS..];
            let ranks: usize = rest.iter().map(|group| group.ranks.len()).sum();
            lines.push(format!("{ranks} more ranks in {} groups", rest.len()));
        }
        lines.push(format!(
            "{} ranks did the same: {}",
            most.ranks.len(),
            numbers(&most.ranks)
        ));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(ranks: impl IntoIterator<Item = u32>, differs: &[&str]) -> RankGroup {
        let ranks: Vec<u32> = ranks.into_iter().collect();
        let mut hosts: Vec<String> = ranks.iter().map(|it| format!("node-{}", it / 8)).collect();
        hosts.dedup();
        RankGroup {
            ranks,
            hosts,
            differs: differs.iter().map(|it| (*it).to_owned()).collect(),
        }
    }

    #[test]
    fn the_odd_rank_is_named_before_those_that_did_the_same() {
        let others = (0..517).chain(518..1000);
        let groups = [group([517], &["CG101 at train.py:27"]), group(others, &[])];
        assert_eq!(
            RankGroup::in_words(&groups),
            [
                "rank 517 (node-64): CG101 at train.py:27",
                "999 ranks did the same: 0 to 516 and 518 to 999"
            ]
        );
        assert!(RankGroup::in_words(&groups[1..]).is_empty());
        assert!(RankGroup::in_words(&[]).is_empty());
    }

    #[test]
    fn of_many_groups_the_first_have_a_line() {
        let mut groups: Vec<RankGroup> = (0..20).map(|it| group([it], &["more"])).collect();
        groups.push(group(20..100, &[]));
        let lines = RankGroup::in_words(&groups);
        assert_eq!(lines.len(), GROUPS + 2);
        assert_eq!(lines[GROUPS], "12 more ranks in 12 groups");
        assert_eq!(group(0..80, &[]).name(), "ranks 0 to 79 (10 machines)");
    }
}
