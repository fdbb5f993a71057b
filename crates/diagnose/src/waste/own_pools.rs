//! Graphs that never run at once, each with a pool of its own.

use rustc_hash::{FxHashMap, FxHashSet};

use super::kind::{Change, Changes, Kind, Waste};
use super::reorder::largest_first;
use crate::history::stack;
use crate::pools::{PoolId, Pools, total};
use crate::trial::{Placed, Scope, Sequence, Step};

/// The graphs of one pool.
struct Group {
    pool: PoolId,
    captures: Vec<usize>,
}

pub(super) fn find(pools: &Pools<'_, '_>) -> Option<Waste> {
    let (moment, position) = pools.last_capture()?;
    let groups = groups(pools, position);
    if groups.len() < 2 {
        return None;
    }
    let read = ReadAfter::new(pools);
    let mut sharing: Vec<&Group> = Vec::new();
    for group in &groups {
        if sharing.iter().all(|it| may_share(pools, &read, it, group)) {
            sharing.push(group);
        }
    }
    if sharing.len() < 2 {
        return None;
    }
    let idle: Vec<u64> = sharing.iter().map(|it| moment.free(it.pool)).collect();
    let largest = idle.iter().max().copied().unwrap_or_default();
    let estimate = total(idle).saturating_sub(largest);
    let captures: Vec<usize> = sharing
        .iter()
        .flat_map(|it| &it.captures)
        .copied()
        .collect();
    Some(Waste {
        estimate,
        kind: Kind::OwnPools {
            at: sharing[1].captures[0],
            pools: sharing.len(),
            captures,
        },
    })
}

/// The pools whose graphs are there after the last capture, in the order of their first captures. Graphs of Inductor's and of
/// `make_graphed_callables` are left out: the order of their replays is not the program's choice.
fn groups(pools: &Pools<'_, '_>, position: usize) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (capture, run) in pools.history.captures.iter().enumerate() {
        let Some(pool) = pools.of_capture(capture) else {
            continue;
        };
        let frames = pools.history.stack_of(run.began);
        let is_made_by_torch = pools.history.is_of_inductor(run)
            || frames.iter().any(|frame| {
                stack::is_torch_function(frame, "cuda/graphs.py", "make_graphed_callables")
            });
        if is_made_by_torch || !pools.is_alive(capture, position) {
            continue;
        }
        match groups.iter_mut().find(|it| it.pool == pool) {
            Some(group) => group.captures.push(capture),
            None => groups.push(Group {
                pool,
                captures: vec![capture],
            }),
        }
    }
    groups
}

/// Whether two groups can use one pool: never at once, and no output is read when a replay of the other may have written there.
fn may_share(pools: &Pools<'_, '_>, read: &ReadAfter, one: &Group, other: &Group) -> bool {
    let mut pairs = one
        .captures
        .iter()
        .flat_map(|a| other.captures.iter().map(move |b| (*a, *b)));
    pairs.all(|(a, b)| {
        !pools.activity.concurrent.contains(&(a.min(b), a.max(b)))
            && !read.0.contains(&(a, b))
            && !read.0.contains(&(b, a))
    })
}

/// Pairs of graphs: something reads memory of the first after the second was replayed, which might have been given that memory if
/// they shared a pool.
struct ReadAfter(FxHashSet<(usize, usize)>);

impl ReadAfter {
    fn new(pools: &Pools<'_, '_>) -> ReadAfter {
        let memory = &pools.activity.memory;
        let mut found = FxHashSet::default();
        // The last replay of each graph so far.
        let mut last: FxHashMap<usize, usize> = FxHashMap::default();
        let mut replays = pools.activity.replays.iter().peekable();
        let mut reads = |last: &FxHashMap<usize, usize>,
                         block: crate::activity::BlockId,
                         reader: Option<usize>| {
            let block = memory[block];
            let Some(owner) = block.capture else {
                return;
            };
            let Some(written) = last.get(&owner) else {
                return;
            };
            for (other, replayed) in last {
                // A block that was held when the other was captured is never given to it.
                let began = pools.run(*other).began.position;
                let is_given = pools.run(owner).began.position > began || !block.is_held_at(began);
                if replayed > written && *other != owner && Some(*other) != reader && is_given {
                    found.insert((owner, *other));
                }
            }
        };
        for operation in &pools.activity.operations {
            while let Some(replay) = replays.next_if(|it| it.position < operation.position) {
                for access in pools.activity.graphs[replay.graph].first_accesses() {
                    // What it does not write whole is there from before.
                    if access.does.may_read() || access.leaves_rest {
                        reads(&last, access.block, Some(replay.graph));
                    }
                }
                last.insert(replay.graph, replay.position);
            }
            if operation.capture.is_none() && !last.is_empty() {
                for (block, writes) in &operation.touched {
                    if !writes {
                        reads(&last, *block, None);
                    }
                }
            }
        }
        ReadAfter(found)
    }
}

/// All of them in the pool of the first.
pub(super) fn changes(pools: &Pools<'_, '_>, captures: &[usize]) -> Option<Changes> {
    let sequence = Sequence::new(pools, Scope::Graphs)?;
    let mut shared = sequence.steps.clone();
    let mut first = None;
    for placed in &mut shared {
        if let Step::Begin { capture, pool, .. } = &mut placed.step
            && captures.iter().any(|it| *it as u64 == *capture)
        {
            *pool = *first.get_or_insert(*pool);
        }
    }
    let ordered: Vec<Placed> = largest_first(pools, &shared, captures);
    Some(Changes {
        sequence,
        changed: vec![(Change::Plain, shared), (Change::LargestFirst, ordered)],
        at_end: false,
    })
}
