//! What PyTorch does in a program while it is evaluated. Whether that is wrong is for others to say.

use super::capture::{CaptureId, CaptureKind, Meets};
use super::object::{Compiled, Optimizer, Recorded};
use super::tensor::Answer;
use crate::interp::Args;
use crate::interp::value::{CellId, LoopId, Value};
use crate::site::Site;
use crate::syntax::ast::{self, TextRange};

/// What happens.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<'e, 'p> {
    /// The language does something.
    Python(crate::interp::Event<'e, 'p>),
    /// A number that outlives the function, or the capture, is moved on, inside a capture or outside. That of an entry of a
    /// list or a dictionary has no keeper.
    NumberChanged {
        kept: Option<(CellId, &'p str)>,
        /// Whether it was 0, or may become it.
        meets_zero: bool,
        range: TextRange,
    },
    /// The program waits for something that other threads do.
    ThreadsMeet,
    /// Something is given to other threads, by a queue or as a task.
    Handed {
        by: CellId,
        value: &'e Value<'p>,
        range: TextRange,
    },
    /// A capture begins.
    CaptureBegins {
        kind: CaptureKind,
        meets: Option<Meets>,
        range: TextRange,
    },
    /// `make_graphed_callables(...)`.
    CallablesGraphed {
        meets: Option<Meets>,
        range: TextRange,
    },
    /// `capture_end` is called by the thread that captures.
    EndCalled {
        capture: CaptureId,
        range: TextRange,
    },
    /// `capture_end` is called by another thread.
    EndCalledElsewhere {
        capture: CaptureId,
        range: TextRange,
    },
    /// PyTorch's own function has captured a callable, with these arguments and this result.
    CallableGraphed {
        callable: &'e Value<'p>,
        sample: &'e Args<'p>,
        /// Whether outputs need not depend on all inputs, where known.
        allows_unused: Option<bool>,
        capture: CaptureId,
        range: TextRange,
    },
    /// A callable is called that PyTorch's own function graphed; whether it runs itself, in another mode than it was
    /// graphed in.
    GraphedCalled {
        graphed: CellId,
        args: &'e Args<'p>,
        is_eager: bool,
        range: TextRange,
    },
    /// Such a callable gave this: gradients flow to its parameters, and it has no graph for the backward pass.
    GraphedWithoutBackward { output: CellId, graphed: Site },
    /// The graphed function is dropped that the call at this range gave.
    GraphedDropped { range: TextRange },
    /// A graph is replayed that has nothing to replay.
    EmptyReplayed { graph: CellId, range: TextRange },
    /// The host sends or receives a message.
    Message { what: &'e str, range: TextRange },
    /// The host reads what is in its own memory.
    HostRead { tensor: CellId, range: TextRange },
    /// The capture of a graph ends.
    CaptureEnds { capture: CaptureId },
    /// A graph is launched by something with this description, perhaps inside a capture.
    GraphLaunched { by: &'e str, range: TextRange },
    /// A graph is replayed outside captures, after so many copies into what it reads; `before` are the loops around
    /// the replay before.
    Replayed {
        graph: CellId,
        before: Option<&'e [LoopId]>,
        copies: u32,
        range: TextRange,
    },
    /// A graph is destroyed that a capture refuses to release.
    GraphDestroyed { site: Site },
    /// What a graph wrote is kept beside what an earlier replay wrote.
    OutputKept { tensor: CellId, range: TextRange },
    /// What a graph wrote is used beside what an earlier replay wrote.
    OutputUsedLate {
        tensor: CellId,
        answer: Answer,
        range: TextRange,
    },
    /// What a graph has made is read outside captures.
    OutputRead { tensor: CellId, range: TextRange },
    /// The host waits, or reads a number; `unknown` says whether that is not certain.
    HostWaits {
        wait: Wait,
        unknown: bool,
        range: TextRange,
    },
    /// Memory is copied between the device and memory of the host that is not pinned.
    Copied {
        what: Pageable<'e, 'p>,
        range: TextRange,
    },
    /// The same, if the tensor is one of the device.
    MayCopy { what: &'e str, range: TextRange },
    /// Captured code copies from pinned memory that was made in the capture.
    TemporaryCopied { range: TextRange },
    /// PyTorch allocates or frees pinned memory.
    Pinned { what: &'e str, range: TextRange },
    /// Another library allocates or frees pinned memory.
    PinnedByLibrary { function: &'e str, range: TextRange },
    /// Work of the device is enqueued while a capture runs.
    Works {
        operands: &'e [Value<'p>],
        allocates: bool,
        range: TextRange,
    },
    /// Memory of the device is allocated, and no work enqueued.
    Allocates { range: TextRange },
    /// A tensor of the device is made, of these sizes.
    Created {
        sizes: &'e [Value<'p>],
        bytes: Option<i64>,
        range: TextRange,
    },
    /// Sizes are passed to an operator, or the ends of a slice.
    Sized {
        sizes: &'e [Value<'p>],
        range: TextRange,
    },
    /// An operator is called with these arguments.
    Arguments {
        call: Option<&'p ast::ExprCall>,
        range: TextRange,
    },
    /// An operation passes tensors without dimensions as numbers.
    Numbers {
        operands: &'e [Value<'p>],
        range: TextRange,
    },
    /// An operator runs, by its name without `torch.`.
    Operator {
        name: &'e str,
        operands: &'e [Value<'p>],
        range: TextRange,
    },
    /// A tensor is written in place.
    Written {
        target: &'e Value<'p>,
        range: TextRange,
    },
    /// `tensor.record_stream(...)`.
    StreamRecorded { tensor: CellId, range: TextRange },
    /// In a capture, a stream waits for another, whose work belongs to `capture`, and may not.
    WaitRefused {
        awaited: CellId,
        capture: Option<CaptureId>,
        range: TextRange,
    },
    /// A stream waits for an event that was recorded.
    StreamAwaits {
        waiter: CellId,
        event: CellId,
        recorded: &'e Recorded,
        range: TextRange,
    },
    /// The time of an event is asked for.
    TimeAsked { event: CellId, range: TextRange },
    /// `event.synchronize()`.
    HostAwaits { event: CellId, range: TextRange },
    /// The host asks whether a stream or an event is done.
    Queried { object: CellId, range: TextRange },
    /// A backward pass is about to run.
    Backward {
        loss: &'e Value<'p>,
        inputs: Option<&'e Value<'p>>,
        range: TextRange,
    },
    /// A captured backward pass wrote this gradient.
    GradientMade { gradient: CellId },
    /// `torch.utils.checkpoint` is called.
    Checkpointed {
        args: &'e Args<'p>,
        range: TextRange,
    },
    /// A compiled function is called.
    CompiledCalled {
        compiled: &'e Compiled<'p>,
        range: TextRange,
    },
    /// Something is done that a compiler cannot put into a graph.
    GraphBreak { what: &'e str, range: TextRange },
    /// Random numbers are drawn from a generator.
    Drawn {
        generator: &'e Value<'p>,
        range: TextRange,
    },
    /// The default generator is seeded.
    Seeded { function: &'e str, range: TextRange },
    /// The state of the default generator is read or set.
    RandomStateTouched { function: &'e str, range: TextRange },
    /// A module is called.
    ModuleCalled { module: CellId },
    /// What a module of PyTorch's computes depends on its mode.
    ModeUsed { module: CellId, range: TextRange },
    /// A module is about to get this mode.
    ModeSet {
        module: CellId,
        training: Option<bool>,
    },
    /// `optimizer.step()`.
    OptimizerSteps {
        cell: CellId,
        optimizer: &'e Optimizer,
        range: TextRange,
    },
    /// The step of an optimizer computes with a number of one of its groups.
    GroupNumberUsed {
        group: CellId,
        name: &'e str,
        range: TextRange,
    },
    /// A graphed callable, or a part of one, gets a hook.
    Hooked {
        object: CellId,
        graphed: Site,
        range: TextRange,
    },
    /// A collective runs, of this group or of the default one; `is_new` says whether it is the group's first.
    Collective {
        group: Option<CellId>,
        is_new: bool,
        range: TextRange,
    },
    /// `destroy_process_group()`.
    GroupsDestroyed { range: TextRange },
}

impl<'e, 'p> From<crate::interp::Event<'e, 'p>> for Event<'e, 'p> {
    fn from(event: crate::interp::Event<'e, 'p>) -> Self {
        Self::Python(event)
    }
}

/// What is copied between the device and host memory that is not pinned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pageable<'e, 'p> {
    /// A tensor of the host.
    IntoDevice,
    /// A tensor of the device, by something with this description.
    OutOfDevice(&'e str),
    /// The values of a new tensor, by the function of this name.
    Built(&'e str, Option<&'p ast::ExprCall>),
    /// The count of an averaged model's updates.
    Count,
    /// The numbers of an index, which is of this kind.
    Index(&'e str),
    /// A number that is written to elements.
    Element,
}

/// What the host waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wait {
    /// The host wants a number of a tensor.
    Read(&'static str),
    /// The shape of a result depends on numbers of a tensor.
    Shape(&'static str),
    /// `torch.cuda.synchronize()`.
    Device,
    /// `stream.synchronize()`.
    Stream(CellId),
    /// A copy of pinned memory without `non_blocking=True`.
    Copy,
    /// Something else that waits.
    Check(&'static str),
}
