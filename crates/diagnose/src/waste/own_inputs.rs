//! Graphs that run in turn, each with static inputs of its own.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::kind::{Kind, Waste};
use crate::activity::BlockId;
use crate::pools::{EAGER, Pools, total};

pub(super) fn find(pools: &Pools<'_, '_>) -> Vec<Waste> {
    let mut lines: BTreeMap<_, Vec<BlockId>> = BTreeMap::new();
    for (id, _) in inputs(pools) {
        let block = &pools.activity.memory[id];
        if let Some(line) = pools.location_of(block) {
            lines.entry((line.file, line.line)).or_default().push(id);
        }
    }
    let owners: FxHashMap<BlockId, usize> = inputs(pools).into_iter().collect();
    let groups = lines.into_values().filter(|blocks| {
        let graphs: FxHashSet<usize> = blocks.iter().map(|it| owners[it]).collect();
        graphs.len() == blocks.len() && blocks.len() > 1 && are_used_in_turn(pools, blocks, &owners)
    });
    groups.filter_map(|blocks| waste(pools, blocks)).collect()
}

fn waste(pools: &Pools<'_, '_>, mut blocks: Vec<BlockId>) -> Option<Waste> {
    let memory = &pools.activity.memory;
    blocks.sort_by_key(|it| std::cmp::Reverse(memory[*it].bytes));
    let (_, others) = blocks.split_first()?;
    Some(Waste {
        estimate: total(others.iter().map(|it| memory[*it].bytes)),
        kind: Kind::OwnInputs { blocks },
    })
}

/// Blocks of the eager pool that exactly one graph uses, and only reads, each with that graph.
fn inputs(pools: &Pools<'_, '_>) -> Vec<(BlockId, usize)> {
    let Some((_, position)) = pools.last_capture() else {
        return Vec::new();
    };
    let memory = &pools.activity.memory;
    let mut owners: BTreeMap<BlockId, Option<usize>> = BTreeMap::new();
    for (graph, it) in pools.activity.graphs.iter().enumerate() {
        let is_judged =
            pools.is_alive(graph, position) && !pools.history.is_of_inductor(pools.run(graph));
        for access in &it.accesses {
            let block = &memory[access.block];
            let is_from_outside = block.capture.is_none() && pools.pool_of(block) == Some(EAGER);
            if !is_from_outside || !block.is_held_at(position) {
                continue;
            }
            let owner = (is_judged && access.does.reads()).then_some(graph);
            owners
                .entry(access.block)
                .and_modify(|known| *known = known.filter(|it| Some(*it) == owner))
                .or_insert(owner);
        }
    }
    let owned = owners.into_iter();
    owned
        .filter_map(|(block, graph)| Some((block, graph?)))
        .collect()
}

/// Whether the program fills the inputs, and each replay comes right after its own input was filled: so one would do for all.
fn are_used_in_turn(
    pools: &Pools<'_, '_>,
    blocks: &[BlockId],
    owners: &FxHashMap<BlockId, usize>,
) -> bool {
    let of_graph: FxHashMap<usize, BlockId> = blocks.iter().map(|it| (owners[it], *it)).collect();
    let group: FxHashSet<BlockId> = blocks.iter().copied().collect();
    let graphs: Vec<usize> = of_graph.keys().copied().collect();
    let at_once = graphs.iter().any(|a| {
        graphs
            .iter()
            .any(|b| pools.activity.concurrent.contains(&(*a, *b)))
    });
    let began = graphs.iter().map(|it| pools.run(*it).began.position).max();
    let Some(began) = began.filter(|_| !at_once) else {
        return false;
    };
    // Whose data one input for all would hold.
    let mut holds: Option<BlockId> = None;
    let mut replays = pools.activity.replays.iter().peekable();
    let end = std::iter::once(None);
    for operation in pools.activity.operations.iter().map(Some).chain(end) {
        let position = operation.map_or(usize::MAX, |it| it.position);
        while let Some(replay) = replays.next_if(|it| it.position < position) {
            if let Some(own) = of_graph.get(&replay.graph)
                && holds.is_some_and(|it| it != *own)
            {
                return false;
            }
        }
        let Some(operation) = operation.filter(|it| it.position > began && it.capture.is_none())
        else {
            continue;
        };
        for (block, writes) in operation
            .touched
            .iter()
            .filter(|(it, _)| group.contains(it))
        {
            if *writes {
                holds = Some(*block);
            } else if holds.is_some_and(|it| it != *block) {
                return false;
            }
        }
    }
    holds.is_some()
}
