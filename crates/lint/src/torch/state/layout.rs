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

    /// The tensors of a graph that lie where an earlier one of its pool had others, and where those were made. Empty where
    /// that is not certain.
    pub(crate) fn laid_over(&self, earlier: CaptureId, later: CaptureId) -> Vec<(CellId, Site)> {
        let captures = &self.library.captures;
        let last = &captures[later.0];
        let shares = |it: &Capture<'_>| {
            it.kind == CaptureKind::Graph && it.pool == last.pool && it.origin == last.origin
        };
        if last.pool.is_none() || !shares(&captures[earlier.0]) {
            return Vec::new();
        }
        let all = captures[..=later.0].iter().enumerate();
        let chain: Vec<_> = all.filter(|(_, it)| shares(it)).collect();
        let mut blocks: Vec<Block> = Vec::new();
        for (index, (at, capture)) in chain.iter().enumerate() {
            if capture.opaque || !capture.requests.are_known() {
                return Vec::new();
            }
            let ended = match chain.get(index + 1) {
                Some((_, next)) => next.lent.iter().map(|it| it.tensor).collect(),
                None => self.unreferred(capture.made().collect()),
            };
            let lent: Vec<_> = capture.lent.iter().map(|it| it.tensor).collect();
            free(&mut blocks, |it| lent.contains(&it));
            for made in &capture.requests.made {
                free(&mut blocks, |it| {
                    made.gone.contains(&it) && ended.contains(&it)
                });
                self.take(&mut blocks, CaptureId(*at), made.tensor);
            }
        }
        let over = blocks.iter().filter_map(|block| {
            let now = block.now.filter(|it| last.made().any(|made| made == *it))?;
            let mut before = block.before.iter();
            let (_, under) = before.find(|(of, _)| *of == earlier)?;
            Some((now, self.heap.tensor(*under)?.made))
        });
        over.collect()
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
