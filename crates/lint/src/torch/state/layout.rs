//! Which tensors of the graphs of a pool lie where others lay. PyTorch's allocator gives the smallest block that is free and
//! large enough (`get_free_block` in `c10/cuda/CUDACachingAllocator.cpp`), and new memory where there is none.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::capture::{Capture, CaptureId, CaptureKind};
use super::pools;
use crate::interp::value::{CellId, Value};
use crate::site::Site;
use crate::torch::{Cell, Interp};

/// How many tensors a graph makes at most whose memory is followed.
const MOST: usize = 32;

/// How many graphs share a pool at most that is followed.
const MOST_GRAPHS: usize = 16;

/// What a capture has asked for, in order.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// The tensors of the device that it certainly made on its origin stream.
    pub(super) made: Vec<Made>,
    /// How often it asked for memory, also for what is not known.
    pub(super) count: usize,
    /// The last operation that read each of these tensors.
    last_read: BTreeMap<CellId, u32>,
}

/// A tensor that a capture made.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) tensor: CellId,
    /// The earlier ones that nothing in use referred to any more by then.
    gone: Vec<CellId>,
}

impl Requests {
    /// An operation, by its number in the capture, reads one of these.
    pub(super) fn read(&mut self, tensor: CellId, operation: u32) {
        self.last_read.insert(tensor, operation);
    }

    /// Whether all that was asked for is known.
    fn are_known(&self) -> bool {
        self.count == self.made.len() && self.count <= MOST
    }
}

/// A tensor of a graph that lies where an earlier graph of its pool had another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaidOver {
    pub(crate) output: CellId,
    /// The graph that writes it.
    pub(crate) of: CaptureId,
    /// Where that of the earlier graph was made.
    pub(crate) under: Site,
    /// Whether the sizes of both are known.
    pub(crate) is_sized: bool,
}

/// Memory that one tensor has after the other.
#[derive(Debug, Default)]
struct Block {
    bytes: Option<i64>,
    now: Option<CellId>,
    before: Vec<(CaptureId, CellId)>,
}

impl<'p> Interp<'p> {
    /// Notes a tensor that a capture certainly made, by its operation that was followed last.
    pub(super) fn note_made(&mut self, id: CaptureId, tensor: CellId) {
        let capture = &self.library.captures[id.0];
        let (requests, now) = (&capture.requests, capture.operations);
        let is_read = |it: &CellId| requests.last_read.get(it).is_some_and(|at| *at < now);
        let made = requests.made.iter().map(|it| it.tensor);
        let mut gone: Vec<CellId> = match requests.made.len() {
            0..MOST => made.filter(is_read).collect(),
            _ => Vec::new(),
        };
        if !gone.is_empty() {
            let named = self.named_tensors();
            gone.retain(|it| !named.contains(it));
        }
        let requests = &mut self.library.captures[id.0].requests;
        requests.made.push(Made { tensor, gone });
    }

    /// The tensors that the functions which are followed have names for, by themselves or as a part of something.
    fn named_tensors(&self) -> FxHashSet<CellId> {
        let mut found = FxHashSet::default();
        for frame in self.frames() {
            let Cell::Scope(names, _) = self.heap.get(frame.scope) else {
                continue;
            };
            self.spend_cells(names.len());
            for value in names.values() {
                self.name_tensors(value, &mut found);
                if let Value::Object(cell) = value
                    && let Some(object) = self.heap.object(*cell)
                {
                    let fields = object.fields.values();
                    fields.for_each(|it| self.name_tensors(it, &mut found));
                }
            }
        }
        found
    }

    fn name_tensors(&self, value: &Value<'p>, found: &mut FxHashSet<CellId>) {
        let tensors = self.tensors_of(value).into_iter();
        found.extend(tensors.map(|it| self.root(it)));
    }

    /// The tensors of later graphs that lie where this one has others. Empty where that is not certain.
    pub(crate) fn laid_over(&self, id: CaptureId) -> Vec<LaidOver> {
        let chain = self.sharing_pool(id);
        let is_lender = chain
            .iter()
            .any(|(_, it)| it.lent.iter().any(|it| it.by == id));
        let is_known = |it: &(CaptureId, &Capture<'p>)| !it.1.opaque && it.1.requests.are_known();
        if !is_lender || chain.len() > MOST_GRAPHS || !chain.iter().all(is_known) {
            return Vec::new();
        }
        let mut blocks: Vec<Block> = Vec::new();
        let mut found = Vec::new();
        for (index, (of, capture)) in chain.iter().enumerate() {
            let ended: Vec<CellId> = match chain.get(index + 1) {
                Some((_, next)) => next.lent.iter().map(|it| it.tensor).collect(),
                None => self.unreferred(capture.made().collect()),
            };
            self.spend_cells(blocks.len() * capture.requests.count);
            free(&mut blocks, |block| {
                capture.lent.iter().any(|it| it.tensor == block)
            });
            for made in &capture.requests.made {
                free(&mut blocks, |it| {
                    made.gone.contains(&it) && ended.contains(&it)
                });
                self.take(&mut blocks, *of, made.tensor);
            }
            if *of > id {
                found.extend(blocks.iter().filter_map(|it| self.over(it, id, *of)));
            }
        }
        found
    }

    /// The captures of one pool that give each other memory.
    fn sharing_pool(&self, id: CaptureId) -> Vec<(CaptureId, &Capture<'p>)> {
        let this = &self.library.captures[id.0];
        let shares = |it: &Capture<'_>| {
            it.kind == CaptureKind::Graph && it.pool == this.pool && it.origin == this.origin
        };
        if this.pool.is_none() || !shares(this) {
            return Vec::new();
        }
        let all = self.library.captures.iter().enumerate();
        let all = all.map(|(at, it)| (CaptureId(at), it));
        all.filter(|(_, it)| shares(it)).collect()
    }

    /// What a later graph has in a block where this one had something.
    fn over(&self, block: &Block, id: CaptureId, later: CaptureId) -> Option<LaidOver> {
        let (of, output) = block.before.last().filter(|it| Some(it.1) == block.now)?;
        let (_, under) = block.before.iter().find(|(of, _)| *of == id)?;
        let (above, under) = (self.heap.tensor(*output)?, self.heap.tensor(*under)?);
        (*of == later).then_some(LaidOver {
            output: *output,
            of: later,
            under: under.made,
            is_sized: above.bytes.is_some() && under.bytes.is_some(),
        })
    }

    /// Gives a tensor a block.
    fn take(&self, blocks: &mut Vec<Block>, of: CaptureId, tensor: CellId) {
        let bytes = self.heap.tensor(tensor).and_then(|it| it.bytes);
        let fits = |it: &&mut Block| it.now.is_none() && pools::has_room(it.bytes, bytes);
        let free = blocks.iter_mut().filter(fits);
        if let Some(block) = free.min_by_key(|it| it.bytes.unwrap_or(i64::MAX)) {
            block.now = Some(tensor);
            block.before.push((of, tensor));
            return;
        }
        blocks.push(Block {
            bytes,
            now: Some(tensor),
            before: vec![(of, tensor)],
        });
    }
}

/// Frees the blocks of these tensors.
fn free(blocks: &mut [Block], is_freed: impl Fn(CellId) -> bool) {
    for block in blocks {
        block.now = block.now.filter(|it| !is_freed(*it));
    }
}
