//! What a replay does that the program cannot have meant.

use std::mem::{Discriminant, discriminant};

use cgsan_trace::FrameId;

use super::memory::BlockId;
use super::order::Ticket;

/// One launch of a graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replay {
    /// The capture that the graph came from: an index into [`History::captures`](crate::history::History::captures).
    pub(crate) graph: usize,
    /// Where it stands in the trace.
    pub(crate) position: usize,
    pub(crate) ticket: Ticket,
}

/// A replay and an eager operator on another stream that nothing orders, one of which writes what the other reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unordered {
    /// Of all replays, which.
    pub(crate) replay: usize,
    /// The operator that writes.
    pub(crate) writer: usize,
    /// The operator that reads.
    pub(crate) reader: usize,
    pub(crate) race: Race,
}

/// Which of a replay and an eager operator should have waited for the other.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Race {
    /// The replay, for the operator that writes its input.
    InputNotWritten,
    /// The operator, which writes an input of the replay before it.
    InputOverwritten,
    /// The operator, which reads a result of the replay before it.
    ResultNotWritten,
}

/// Something that goes wrong at a replay; operations and replays are indices into the activity's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Harm {
    /// The graph reads or writes a block that was freed.
    Freed {
        block: BlockId,
        /// The operator that was captured with it.
        operation: usize,
        /// Whose the memory is now, if somebody's.
        owner: Option<BlockId>,
    },
    /// The graph reads a block whose memory went and came back, and whose contents nobody has written again.
    ContentsLost {
        block: BlockId,
        /// The operator that was captured with it.
        operation: usize,
        /// Where the memory was given up.
        gone: Option<FrameId>,
        /// Where it was taken again.
        back: Option<FrameId>,
    },
    /// A tensor of the capture is gone whose address others were given, and the pool has given its memory to another one.
    SharedOutside {
        block: BlockId,
        /// The other one.
        owner: BlockId,
        /// Where in the trace the address was given, and the Python stack there.
        position: usize,
        stack: Option<FrameId>,
    },
    /// Something reads a block that another graph's replay has written meanwhile.
    Overwritten {
        block: BlockId,
        /// The replay that wrote it.
        by: usize,
        reader: Reader,
    },
    /// Two graphs use the same memory, and their replays may run at the same time.
    Concurrent {
        /// The earlier replay.
        other: usize,
        block: BlockId,
    },
    /// The host writes what a captured copy reads, and the replay may not have read it yet.
    SourceWritten {
        /// The operator that writes it; `None` if something else does, such as NumPy.
        writer: Option<usize>,
        /// Which of the graph's sources.
        source: usize,
    },
    /// The host reads what a captured copy writes, and the replay may not have written it yet.
    ResultReadEarly {
        /// The operator that reads it.
        reader: usize,
        /// Which of the graph's results in the memory of the host.
        result: usize,
    },
    /// What a captured copy reads was freed, and belongs to another tensor.
    SourceFreed {
        /// The operator that made the other tensor there.
        owner: usize,
        source: usize,
    },
    /// An operator ran during the capture on a stream that is not part of it.
    LeftOut {
        operation: usize,
        /// A block that captured work touches, too; `None` where the capture is empty.
        block: Option<BlockId>,
    },
    /// The gradient that autograd adds to is the memory that the graph writes its gradients to.
    GradientAliased { operation: usize, block: BlockId },
    /// The graph writes its gradient anew where the program means it to be added.
    GradientReplaced { block: BlockId },
    /// An eager operator reads what the capture was to compute, and the graph was not replayed yet.
    NotComputed { operation: usize, block: BlockId },
    /// The graph reads what another graph computes, which was not replayed yet.
    NotReplayed {
        block: BlockId,
        /// The operator that reads it.
        operation: usize,
    },
    /// The graph reads what only another graph wrote, which is gone, and a new one in its place writes elsewhere.
    WriterReplaced {
        block: BlockId,
        /// The operator that reads it.
        operation: usize,
        /// The last replay of the new one.
        successor: usize,
    },
    /// The graph writes where an index says, of which a batch replaced the beginning: the rest is of an earlier, larger batch.
    WrittenThroughOldRows {
        /// Where the index lies.
        block: BlockId,
        /// The captured operator that writes.
        operation: usize,
        /// The operator that copied the batch.
        batch: usize,
        /// The one that copied the earlier batch.
        earlier: usize,
    },
    /// The graph makes one number of all rows of an input, of which a batch replaced the first: the rest is of an earlier, larger batch.
    OldRowsReduced {
        /// Where the input lies.
        block: BlockId,
        /// The captured operator that makes one number of them.
        operation: usize,
        /// The operator that copied the batch.
        batch: usize,
        /// The one that copied the earlier batch.
        earlier: usize,
    },
    /// The graph goes on from what eager steps left in a block, though other blocks that they changed were put back.
    LeftByWarmUp {
        block: BlockId,
        /// The eager operator that changed it last.
        writer: usize,
        /// The one that put the first other block back.
        put_back: usize,
        /// How many more blocks it goes on from.
        more: usize,
    },
    /// An eager operator takes the difference of what the graph wrote and the same memory.
    SubtractedFromItself { operation: usize, block: BlockId },
    /// An eager operator adds what the graph wrote to the same memory.
    AddedToItself { operation: usize, block: BlockId },
    /// An eager operator is given, as several results of the graph, the same memory several times.
    GivenAsSeveral { operation: usize, block: BlockId },
    /// Two branches of the graph, with no edge between them, use the same memory for different tensors.
    SharedAcrossBranches {
        /// The earlier tensor's.
        block: BlockId,
        /// The operator that uses it.
        other: usize,
        /// The one that uses the later tensor.
        operation: usize,
    },
    /// Two branches of the graph, with no edge between them, use the same tensor, and one writes it.
    UnorderedInBranches {
        /// The tensor's.
        block: BlockId,
        /// The operator that was captured first.
        other: usize,
        operation: usize,
    },
    /// The graph's own temporary lies where a tensor of its capture lives on.
    TemporaryOverLive { block: BlockId, reader: Reader },
    /// The graph fills a tensor of its capture that the program has written meanwhile, and reads it.
    FilledAnew {
        block: BlockId,
        /// The eager operator that wrote it.
        writer: usize,
    },
}

/// What makes two harms of one graph the same: the kind, the block, and the copy or operator. Which operator read, or whose
/// the memory is now, does not.
pub(crate) type Key = (Discriminant<Harm>, Option<BlockId>, usize);

/// The line that a harm points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// That of an operator.
    Operation(usize),
    /// That of a record: its place in the trace, and its Python stack.
    Record(usize, Option<FrameId>),
    /// That of the replay; where it is known before any replay, the beginning of the capture.
    Replay,
}

impl Harm {
    /// What it counts as once.
    pub(crate) fn key(self) -> Key {
        let (block, part) = match self {
            Harm::Freed { block, .. }
            | Harm::ContentsLost { block, .. }
            | Harm::SharedOutside { block, .. }
            | Harm::Overwritten { block, .. }
            | Harm::TemporaryOverLive { block, .. }
            | Harm::FilledAnew { block, .. }
            | Harm::Concurrent { block, .. }
            | Harm::SharedAcrossBranches { block, .. }
            | Harm::UnorderedInBranches { block, .. }
            | Harm::NotComputed { block, .. }
            | Harm::NotReplayed { block, .. }
            | Harm::WriterReplaced { block, .. }
            | Harm::WrittenThroughOldRows { block, .. }
            | Harm::OldRowsReduced { block, .. }
            | Harm::AddedToItself { block, .. }
            | Harm::GivenAsSeveral { block, .. }
            | Harm::SubtractedFromItself { block, .. } => (Some(block), 0),
            Harm::LeftOut { operation, .. } => (None, operation),
            Harm::SourceWritten { source, .. } | Harm::SourceFreed { source, .. } => (None, source),
            Harm::ResultReadEarly { result, .. } => (None, result),
            Harm::GradientAliased { .. }
            | Harm::GradientReplaced { .. }
            | Harm::LeftByWarmUp { .. } => (None, 0),
        };
        (discriminant(&self), block, part)
    }

    /// Which line shows it.
    pub(crate) fn place(self) -> Place {
        match self {
            Harm::LeftOut { operation, .. }
            | Harm::NotComputed { operation, .. }
            | Harm::AddedToItself { operation, .. }
            | Harm::GivenAsSeveral { operation, .. }
            | Harm::SubtractedFromItself { operation, .. }
            | Harm::SharedAcrossBranches { operation, .. }
            | Harm::UnorderedInBranches { operation, .. }
            | Harm::SourceWritten {
                writer: Some(operation),
                ..
            }
            | Harm::ResultReadEarly {
                reader: operation, ..
            } => Place::Operation(operation),
            Harm::SharedOutside {
                position, stack, ..
            } => Place::Record(position, stack),
            Harm::Freed { .. }
            | Harm::ContentsLost { .. }
            | Harm::Overwritten { .. }
            | Harm::Concurrent { .. }
            | Harm::SourceFreed { .. }
            | Harm::SourceWritten { writer: None, .. }
            | Harm::GradientAliased { .. }
            | Harm::GradientReplaced { .. }
            | Harm::TemporaryOverLive { .. }
            | Harm::WrittenThroughOldRows { .. }
            | Harm::OldRowsReduced { .. }
            | Harm::NotReplayed { .. }
            | Harm::WriterReplaced { .. }
            | Harm::LeftByWarmUp { .. }
            | Harm::FilledAnew { .. } => Place::Replay,
        }
    }
}

/// Who reads what was overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reader {
    /// An operator that runs eagerly.
    Operation(usize),
    /// A replay, of this graph.
    Graph(usize),
}

/// A harm with the replay that does it.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) harm: Harm,
    /// The graph that is replayed.
    pub(crate) graph: usize,
    /// The first replay that does it; `None` if it is known before any.
    pub(crate) replay: Option<usize>,
    /// How many replays did it.
    pub(crate) count: usize,
}
