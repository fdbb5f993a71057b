//! The private pools of graphs, and which memory in them serves more than one graph.

use super::capture::{Capture, CaptureId, CaptureKind};
use super::object::Own;
use super::tensor::Device;
use crate::interp::value::{CellId, Value};
use crate::site::Site;
use crate::torch::{Interp, Kind};

/// A pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PoolId {
    /// The one that `graph_pool_handle()` has given.
    Handle(CellId),
    /// The one that a capture made, since it was given none.
    Of(CaptureId),
}

/// Where a capture begins: PyTorch gives memory that was freed again to the stream alone that it was first given to
/// (`get_free_block` in `c10/cuda/CUDACachingAllocator.cpp`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// On the stream that `torch.cuda.graph` keeps for captures that name none.
    Kept,
    /// On this stream.
    Stream(CellId),
    /// Not known.
    Unknown,
}

/// Memory that one graph had no use for any more, when another one of its pool was captured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lent {
    pub(crate) by: CaptureId,
    /// What had it.
    pub(super) tensor: CellId,
    /// Where the tensor was made that had it.
    pub(crate) made: Site,
    bytes: Option<i64>,
}

/// The allocator gives no less, and multiples of it (`kMinBlockSize` in `c10/core/AllocatorConfig.h`).
const BLOCK: i64 = 512;
/// What is larger comes from other segments (`kSmallSize`, ibid.).
const SMALL: i64 = 1 << 20;

/// Whether a tensor of so many bytes may lie where one of `lent` bytes was, as far as is known.
pub(super) fn has_room(lent: Option<i64>, bytes: Option<i64>) -> bool {
    let (Some(lent), Some(bytes)) = (lent, bytes) else {
        return true;
    };
    let blocks = |it: i64| (it.max(1) - 1) / BLOCK;
    blocks(bytes) <= blocks(lent) && (lent <= SMALL) == (bytes <= SMALL)
}

impl<'p> Interp<'p> {
    /// The pool that a capture allocates from, if that is known.
    pub(super) fn pool_for(&self, id: CaptureId, given: Option<&Value<'p>>) -> Option<PoolId> {
        match given {
            None | Some(Value::None) => Some(PoolId::Of(id)),
            Some(Value::Object(cell)) => match self.heap.object(*cell)?.kind {
                Kind::Library(Own::Pool(of)) => of.or(Some(PoolId::Handle(*cell))),
                _ => None,
            },
            Some(_) => None,
        }
    }

    /// `graph.pool()`.
    pub(crate) fn pool_of(&self, graph: CellId) -> Option<PoolId> {
        let mut captures = self.library.captures.iter().rev();
        captures.find(|it| it.graph == Some(graph))?.pool
    }

    /// Notes that the result of an operation certainly has memory of its own.
    pub(crate) fn owns_memory(&mut self, result: &Value<'p>) {
        let (Some(id), Value::Extension(cell)) = (self.graph_capture(), result) else {
            return;
        };
        let is_here = self.flow.stream == self.library.captures[id.0].stream;
        let tensor = self.heap.tensor(*cell);
        if is_here && !self.is_doubtful() && tensor.is_some_and(|it| it.device == Device::Cuda) {
            self.note_made(id, *cell);
        }
    }

    /// The memory that earlier graphs of a pool have no use for any more, where a capture of it begins.
    pub(super) fn lent_to(&self, pool: Option<PoolId>, origin: Origin) -> Vec<Lent> {
        let may_lend = |it: &Capture<'_>| {
            it.kind == CaptureKind::Graph
                && it.pool == pool
                && it.origin == origin
                && it.doubt <= self.doubt()
        };
        if pool.is_none() || origin == Origin::Unknown {
            return Vec::new();
        }
        let all = self.library.captures.iter().enumerate();
        let lenders: Vec<_> = all.filter(|(_, it)| may_lend(it)).collect();
        let tensors = lenders.iter().flat_map(|(_, it)| it.made());
        let tensors = tensors.filter(|it| self.is_let_go(*it));
        let free = self.unreferred(tensors.collect());
        let lent = |at: usize, lender: &Capture<'_>| {
            let lent = lender.made().filter(|it| free.contains(it));
            let lent = lent.filter_map(|cell| {
                let tensor = self.heap.tensor(cell)?;
                Some(Lent {
                    by: CaptureId(at),
                    tensor: cell,
                    made: tensor.made,
                    bytes: tensor.bytes,
                })
            });
            lent.collect::<Vec<_>>()
        };
        let lenders = lenders.into_iter();
        lenders.flat_map(|(at, it)| lent(at, it)).collect()
    }

    /// Whether the program frees a tensor by letting go of it, as far as its own code goes.
    fn is_let_go(&self, tensor: CellId) -> bool {
        let tensor = self.heap.tensor(tensor);
        tensor.is_some_and(|it| !it.escaped && !it.requires_grad)
    }

    /// The memory that two graphs both use: the later one was given what the earlier one had freed.
    pub(crate) fn shared_memory(&self, one: CaptureId, other: CaptureId) -> Option<Lent> {
        let (earlier, later) = (one.min(other), one.max(other));
        let later = &self.library.captures[later.0];
        let takes = |lent: &&Lent| {
            later.made().any(|it| {
                let tensor = self.heap.tensor(it);
                tensor.is_some_and(|it| has_room(lent.bytes, it.bytes))
            })
        };
        let mut lent = later.lent.iter().filter(|it| it.by == earlier);
        lent.find(takes).copied()
    }
}
