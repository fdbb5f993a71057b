//! Failure modes that what was seen points to, without being enough for a finding.

use std::collections::BTreeSet;

use cgsan_finding::Process;

use crate::inside::Inside;
use crate::looked::Looked;

/// The function that shuts process groups down, and its file.
const DESTROYS: (&str, &str) = ("destroy_process_group", "/torch/distributed/");

/// The least memory that is worth telling, and the part of what is reserved, in hundredths.
const LEAST: u64 = 64 << 20;
const PART: u64 = 10;

/// What the stacks of processes that stand still point to.
pub fn of_stacks(all: &[Looked]) -> Vec<String> {
    let mut notes = Vec::new();
    let destroys = |looked: &&Looked| {
        let mut frames = looked.look.threads.iter().flat_map(|it| &it.python);
        frames.any(|it| it.function == DESTROYS.0 && it.file.contains(DESTROYS.1))
    };
    let graphs = |looked: &Looked| looked.objects.as_ref().map_or(0, |it| it.graphs.len());
    let destroying: Vec<&Looked> = all.iter().filter(destroys).collect();
    let living: usize = destroying.iter().map(|it| graphs(it)).sum();
    if living > 0 {
        let processes: Vec<Process> = destroying.iter().map(|it| it.process()).collect();
        notes.push(format!(
            "in {}, `destroy_process_group` does not return while {living} graphs live; if they hold collectives of the group, that is CG401 (`cgsan explain CG401`)",
            Process::names(&processes)
        ));
    }
    let calls = |looked: &Looked| {
        let first = looked.threads.first()?;
        Some(first.call.as_ref()?.function.clone())
    };
    let functions: BTreeSet<String> = all.iter().filter_map(calls).collect();
    let lines: BTreeSet<_> = all
        .iter()
        .filter_map(|it| it.look.threads.first()?.python.first())
        .map(|it| (it.file.clone(), it.line))
        .collect();
    if all.len() > 1 && !functions.is_empty() && lines.len() > 1 {
        notes.push(format!(
            "the ranks wait at {} different lines; if they ask for different collectives, that is CG403 (`cgsan explain CG403`)",
            lines.len()
        ));
    }
    notes
}

/// What the memory of a process points to, by its own account.
pub fn of_memory(inside: &Inside) -> Vec<String> {
    let (Some(memory), Some(graphs)) = (&inside.memory, &inside.graphs) else {
        return Vec::new();
    };
    let reserved: u64 = memory.pools.iter().map(|it| it.reserved).sum();
    let is_much = |bytes: u64| bytes >= LEAST && bytes * 100 >= reserved * PART;
    let of_graphs = || memory.pools.iter().filter(|it| it.pool != (0, 0));
    let mut notes = Vec::new();
    let free = of_graphs().map(|it| (it.reserved - it.allocated.min(it.reserved), it));
    let free: Vec<_> = free.filter(|(free, _)| *free > 0).collect();
    let sum: u64 = free.iter().map(|(free, _)| free).sum();
    if free.len() > 1 && is_much(sum) {
        notes.push(format!(
            "{} pools of graphs have {} MiB free; graphs that never run at once can share one pool: CG303 (`cgsan explain CG303`)",
            free.len(),
            sum >> 20
        ));
    }
    let has_graph = |pool: (u64, u64)| graphs.iter().any(|it| it.pool == Some(pool));
    let orphans: u64 = of_graphs()
        .filter(|it| !has_graph(it.pool))
        .map(|it| it.reserved)
        .sum();
    if is_much(orphans) {
        notes.push(format!(
            "{} MiB are reserved in pools of which no living graph is; after a failed capture, that is CG309 (`cgsan explain CG309`)",
            orphans >> 20
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inside::{GraphInside, Memory, PoolInside};

    fn pool(pool: (u64, u64), reserved: u64, allocated: u64) -> PoolInside {
        PoolInside {
            pool,
            reserved: reserved << 20,
            allocated: allocated << 20,
            ..PoolInside::default()
        }
    }

    fn notes(pools: Vec<PoolInside>) -> Vec<String> {
        let graph = |pool| GraphInside {
            pool: Some(pool),
            names: Vec::new(),
        };
        of_memory(&Inside {
            graphs: Some(vec![graph((0, 1)), graph((0, 2))]),
            memory: Some(Memory {
                pools,
                lines: Vec::new(),
            }),
            ..Inside::default()
        })
    }

    #[test]
    fn free_memory_of_several_pools_counts_if_it_is_much() {
        let both = notes(vec![pool((0, 1), 80, 20), pool((0, 2), 60, 10)]);
        assert!(both.len() == 1 && both[0].contains("2 pools of graphs have 110 MiB free"));
        assert!(notes(vec![pool((0, 1), 200, 20), pool((0, 0), 900, 10)]).is_empty());
        assert!(notes(vec![pool((0, 1), 30, 20), pool((0, 2), 20, 10)]).is_empty());
        let beside = vec![
            pool((0, 1), 80, 20),
            pool((0, 2), 60, 10),
            pool((0, 0), 4000, 0),
        ];
        assert!(notes(beside).is_empty());
    }

    #[test]
    fn a_pool_without_a_graph_is_told() {
        let told = notes(vec![pool((0, 3), 100, 90)]);
        assert!(told.len() == 1 && told[0].contains("CG309"), "{told:?}");
        assert!(notes(vec![pool((0, 1), 100, 90)]).is_empty());
    }
}
