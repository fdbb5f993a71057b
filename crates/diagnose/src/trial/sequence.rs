//! What a program asked of the allocator, from the records of blocks and captures.

use std::collections::BTreeMap;

use cgsan_model::{Call, Restricted};
use cgsan_trace::{Argument, MemoryMoment, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Run, Step};
use crate::activity::{Block, BlockId};
use crate::history::stack;
use crate::pools::{EAGER, Moment, PoolId, Pools};

/// Longer ones are not tried.
const STEPS: usize = 60_000;

/// Which blocks take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Those of private pools, which no others share.
    Graphs,
    /// All.
    All,
}

/// A step with its place in the trace.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) position: usize,
    pub(crate) step: Step,
}

/// What was asked, and what was reserved then.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    pub(crate) steps: Vec<Placed>,
    /// What was recorded at each look.
    pub(crate) recorded: Vec<u64>,
    pub(crate) scope: Scope,
    settings: String,
}

impl Sequence {
    /// Up to the last time that the allocator was asked; `None` if there is too much of it, or the allocator was not asked about
    /// its pools, or there are several devices.
    pub(crate) fn new(pools: &Pools<'_, '_>, scope: Scope) -> Option<Sequence> {
        let last = pools.moments.iter().rev().find(|it| it.pools.is_some())?;
        if last.devices.len() > 1 {
            return None;
        }
        let mut sequence = Sequence {
            steps: Vec::new(),
            recorded: Vec::new(),
            scope,
            settings: last.settings.unwrap_or_default().to_owned(),
        };
        sequence.add_captures(pools, last.position);
        sequence.add_blocks(pools, last.position);
        if scope == Scope::All {
            sequence.add_emptied(pools, last.position);
        }
        sequence.add_looks(pools);
        // Steps at one place stay in this order.
        sequence.steps.sort_by_key(|it| it.position);
        (sequence.steps.len() <= STEPS).then_some(sequence)
    }

    /// A run of it, or of these steps instead.
    pub(crate) fn run(&self, steps: Vec<Placed>) -> Run {
        Run {
            settings: self.settings.clone(),
            steps: steps.into_iter().map(|it| it.step).collect(),
        }
    }

    fn add(&mut self, position: usize, step: Step) {
        self.steps.push(Placed { position, step });
    }

    fn add_captures(&mut self, pools: &Pools<'_, '_>, last: usize) {
        let mut numbers: BTreeMap<PoolId, u64> = BTreeMap::new();
        for (capture, run) in pools.history.captures.iter().enumerate() {
            let Some(pool) = pools.of_capture(capture) else {
                continue;
            };
            let next = numbers.len() as u64;
            let pool = *numbers.entry(pool).or_insert(next);
            let number = capture as u64;
            let streams = streams_of(pools, capture);
            let begin = Step::Begin {
                capture: number,
                pool,
                streams,
            };
            // As `torch.cuda.graph` does on entry.
            let frames = pools.history.stack_of(run.began);
            let is_entry = |it| stack::is_torch_function(it, "cuda/graphs.py", "__enter__");
            if let Some(before) = pools
                .before(capture)
                .filter(|_| frames.iter().any(is_entry))
            {
                self.add(before.position, Step::EmptyCache);
            }
            self.add(run.began.position, begin);
            let ended = run.ended.map_or(last, |it| it.position);
            let is_well = run.ended.is_some_and(|it| !it.failed());
            self.add(ended, if is_well { Step::End } else { Step::Fail });
            if let Some(gone) = pools.destroyed(capture).filter(|it| *it < last) {
                self.add(gone, Step::Destroy { capture: number });
            }
        }
    }

    fn add_blocks(&mut self, pools: &Pools<'_, '_>, last: usize) {
        let waiting = waiting(pools);
        for (number, block) in pools.activity.memory.blocks.iter().enumerate() {
            let pool = pools.pool_of(block);
            let is_of_graph = pool.is_some_and(|it| it != EAGER);
            if (self.scope == Scope::Graphs && !is_of_graph)
                || block.allocated.position > last
                || is_of_capture_begin(pools, block)
            {
                continue;
            }
            let stream = pools.segment_of(block).map_or(0, |it| it.stream);
            let step = Step::Allocate {
                block: number as u64,
                bytes: requested(pools, block),
                stream,
            };
            self.add(block.allocated.position, step);
            if let Some(freed) = block.freed.filter(|it| it.position < last) {
                let step = Step::Free {
                    block: number as u64,
                    waits: waiting.contains(&number),
                };
                self.add(freed.position, step);
            }
        }
    }

    /// Where the program emptied the cache, and that gave something back.
    fn add_emptied(&mut self, pools: &Pools<'_, '_>, last: usize) {
        let trace = pools.history.trace;
        let mut known = FxHashMap::default();
        let mut before = false;
        for (position, entry) in trace.entries().iter().enumerate().take(last) {
            let Record::Call(record) = &entry.record else {
                before = false;
                continue;
            };
            let is_free = matches!(record.call, Call::Restricted(Restricted::Free));
            let Some(frame) = record.stack.filter(|_| is_free) else {
                continue;
            };
            let is_asked = *known.entry(frame).or_insert_with(|| {
                let frames = trace.stack(frame);
                let called = |file, function| {
                    frames
                        .iter()
                        .any(|it| stack::is_torch_function(it, file, function))
                };
                called("cuda/memory.py", "empty_cache") && !called("cuda/graphs.py", "__enter__")
            });
            if is_asked && !before {
                self.add(position, Step::EmptyCache);
            }
            before = is_asked;
        }
    }

    fn add_looks(&mut self, pools: &Pools<'_, '_>) {
        for moment in pools.moments.iter().filter(|it| is_looked_at(it)) {
            self.add(moment.position, Step::Look);
            self.recorded.push(match self.scope {
                Scope::Graphs => moment.reserved_by_graphs(),
                Scope::All => moment.reserved(),
            });
        }
    }
}

fn is_looked_at(moment: &Moment<'_>) -> bool {
    moment.pools.is_some() && moment.kind != MemoryMoment::BeforeCapture
}

/// The streams on which a capture allocated, that of most of its blocks first.
fn streams_of(pools: &Pools<'_, '_>, capture: usize) -> Vec<u64> {
    let mut blocks: BTreeMap<u64, usize> = BTreeMap::new();
    for block in pools.blocks_of(capture) {
        if let Some(segment) = pools.segment_of(block).filter(|it| it.pool != EAGER) {
            *blocks.entry(segment.stream).or_default() += 1;
        }
    }
    let mut streams: Vec<(usize, u64)> = blocks
        .into_iter()
        .map(|(stream, it)| (it, stream))
        .collect();
    streams.sort_unstable_by(|a, b| b.cmp(a));
    streams.into_iter().map(|(_, stream)| stream).collect()
}

/// The blocks that waited for another stream after they were freed, by their numbers.
fn waiting(pools: &Pools<'_, '_>) -> FxHashSet<usize> {
    let blocks = &pools.activity.memory.blocks;
    let mut by_address: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (number, block) in blocks.iter().enumerate() {
        by_address.entry(block.address).or_default().push(number);
    }
    let mut waiting = FxHashSet::default();
    for moment in &pools.moments {
        for (address, _) in moment.pending {
            let numbers = by_address.get(address).into_iter().flatten().rev();
            let mut freed = numbers.filter(|it| {
                let freed = blocks[**it].freed;
                freed.is_some_and(|it| it.position < moment.position)
            });
            waiting.extend(freed.next());
        }
    }
    waiting
}

/// What the program asked for, where an operator tells; else what it was given, which may be a little more.
fn requested(pools: &Pools<'_, '_>, block: &Block) -> u64 {
    let mut operators = block
        .operation
        .into_iter()
        .flat_map(|it| pools.activity.callers(it));
    let asked = operators.find_map(|operation| size_at(operation.results, block.address));
    asked
        .filter(|bytes| *bytes > 0 && *bytes <= block.bytes)
        .unwrap_or(block.bytes)
}

fn size_at(results: &[Argument], address: u64) -> Option<u64> {
    results.iter().find_map(|result| match result {
        Argument::Tensor(tensor) if tensor.address == address => Some(tensor.bytes),
        Argument::List(elements) => size_at(elements, address),
        _ => None,
    })
}

/// The state of the random generators, which every first capture allocates.
fn is_of_capture_begin(pools: &Pools<'_, '_>, block: &Block) -> bool {
    let frame = block
        .allocated
        .stack
        .and_then(|it| pools.history.trace.resolved(it));
    frame.is_some_and(|it| stack::is_torch_function(&it, "cuda/graphs.py", "capture_begin"))
}

/// The number of a block in a sequence.
pub(crate) fn number(block: BlockId) -> u64 {
    block.index() as u64
}
