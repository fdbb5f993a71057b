//! What is known of a tensor.

use std::rc::Rc;

use super::capture::CaptureId;
use crate::interp::value::{CellId, LoopId};
use crate::site::Site;
use crate::torch::Heap;

/// Where a tensor lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Device {
    /// On a GPU.
    Cuda,
    /// Elsewhere: on the host.
    Host,
    /// Not known.
    #[default]
    Unknown,
}

impl Device {
    /// The device of what is computed from both.
    pub(crate) fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Cuda, _) | (_, Self::Cuda) => Self::Cuda,
            (Self::Host, Self::Host) => Self::Host,
            _ => Self::Unknown,
        }
    }

    /// What is known where it is one of both.
    pub(crate) fn or(self, other: Self) -> Self {
        if self == other { self } else { Self::Unknown }
    }
}

/// The kind of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elements {
    /// `torch.bool`.
    Bool,
    /// `torch.float16` or `torch.bfloat16`.
    Half,
    /// Any other type.
    Other,
    /// Not known.
    Unknown,
}

/// A tensor.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each says another thing that may hold of it"
)]
pub(crate) struct Tensor {
    /// Where it lives.
    pub(crate) device: Device,
    /// Of what it is made.
    pub(crate) elements: Elements,
    /// Whether its memory is pinned; `None` where that is not known.
    pub(crate) pinned: Option<bool>,
    /// Whether gradients flow through it.
    pub(crate) requires_grad: bool,
    /// Whether it is a leaf of the autograd graph.
    pub(crate) leaf: bool,
    /// The line that made the first node of its autograd graph that is not a leaf, on the default stream, outside captures.
    pub(crate) history: Option<Site>,
    /// The line that built the `DistributedDataParallel` it went through, on the default stream.
    pub(crate) ddp: Option<Site>,
    /// The tensors that a backward pass goes on to from here.
    pub(crate) parents: Rc<[CellId]>,
    /// The line that made it.
    pub(crate) made: Site,
    /// The loops around that line.
    pub(crate) loops: Rc<[LoopId]>,
    /// The capture in which it was made.
    pub(crate) captured: Option<CaptureId>,
    /// Whether it shares the memory of another one: a view.
    pub(crate) view_of: Option<CellId>,
    /// A tensor that it is, a view of it, or a copy: which of these, is not known.
    pub(crate) may_be: Option<CellId>,
    /// Whether it got other memory after captures that may read what it had.
    pub(crate) swapped: Option<Swapped>,
    /// Whether it may be known to code that is not seen.
    pub(crate) escaped: bool,
    /// Bytes, where they are known.
    pub(crate) bytes: Option<i64>,
    /// Bytes at most, where that is known: the loop around it goes through known sizes.
    pub(crate) at_most: Option<i64>,
    /// How many dimensions it has, where that is known.
    pub(crate) rank: Option<usize>,
    /// The depth of the call stack where it was made.
    pub(crate) depth: usize,
    /// Whether it was certainly made in inference mode.
    pub(crate) inference: bool,
    /// The last replay that copies into it from the device, with how often the host had waited by then.
    pub(crate) arriving: Option<(Site, u32)>,
    /// The replay that may still read it, as the source of a captured copy, and how many cells there were by then.
    pub(crate) in_flight: Option<(Site, u32)>,
    /// How many cells there were when the host last waited for such a replay.
    pub(crate) landed: u32,
    /// Its `.grad`, once asked for.
    pub(crate) grad: Option<CellId>,
    /// Of a reference to another tensor, which a graph writes: what the program means by it.
    pub(crate) answer: Option<Answer>,
}

/// What a program means by a reference to something that a graph writes: what it was when the reference was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The last replay before, by its number among all.
    pub(crate) replay: u32,
    /// Where the reference was made.
    pub(crate) site: Site,
    /// Whether it is what a call gave that made the replay itself.
    pub(crate) by_call: bool,
}

/// That a tensor got other memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swapped {
    /// Where.
    pub(crate) at: Site,
    /// How many captures there were by then.
    pub(crate) captures: usize,
    pub(crate) how: Swap,
}

/// How a tensor gets other memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Swap {
    /// `tensor.data = other`, `tensor.set_(other)`.
    Data,
    /// `module.weight = parameter`.
    Parameter,
    /// `module.load_state_dict(..., assign=True)`.
    Loaded,
    /// `module.to(...)` and its kin.
    Moved,
    /// `vector_to_parameters(...)`.
    Vector,
}

/// What is known of a tensor that is as the one or as the other says.
pub(super) fn join_tensors(left: &Tensor, right: &Tensor) -> Tensor {
    let mut joined = left.clone();
    joined.device = left.device.or(right.device);
    if left.elements != right.elements {
        joined.elements = Elements::Unknown;
    }
    if left.pinned != right.pinned {
        joined.pinned = None;
    }
    joined.leaf &= right.leaf;
    joined.requires_grad |= right.requires_grad;
    joined.history = left.history.or(right.history);
    joined.ddp = left.ddp.or(right.ddp);
    joined.add_parents(&right.parents);
    joined.captured = left.captured.or(right.captured);
    joined.escaped |= right.escaped;
    // Who waits on one way only, such as `if busy: event.synchronize()`, knows that there is nothing to wait for on the other.
    joined.landed = left.landed.max(right.landed);
    joined.in_flight = left.in_flight.or(right.in_flight);
    if left.in_flight.is_none() || right.in_flight.is_none() {
        joined.in_flight = joined.in_flight.filter(|it| it.1 > joined.landed);
    }
    joined.inference &= right.inference;
    joined.arriving = left.arriving.or(right.arriving);
    joined.swapped = left.swapped.filter(|_| right.swapped.is_some());
    if left.bytes != right.bytes {
        joined.bytes = None;
    }
    joined.at_most = left.at_most.zip(right.at_most).map(|(a, b)| a.max(b));
    if left.rank != right.rank {
        joined.rank = None;
    }
    if joined.device == Device::Unknown {
        joined.history = None;
    }
    joined
}

impl Heap<'_> {
    /// The tensor of a cell.
    pub(crate) fn tensor(&self, id: CellId) -> Option<&Tensor> {
        self.extension(id)
    }

    /// The tensor of a cell, to be changed.
    pub(crate) fn tensor_mut(&mut self, id: CellId) -> Option<&mut Tensor> {
        self.extension_mut(id)
    }

    /// What a reference to a tensor refers to; any other tensor itself.
    pub(crate) fn referent(&self, tensor: CellId) -> CellId {
        let of = self.tensor(tensor).filter(|it| it.answer.is_some());
        of.and_then(|it| it.view_of).unwrap_or(tensor)
    }
}
