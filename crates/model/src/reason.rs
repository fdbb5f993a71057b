//! Why a call was refused.

use crate::Code;

/// Why a call was refused, finer than its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// An unsafe call while a capture that the calling thread began runs.
    CaptureOfThisThread,
    /// An unsafe call while another thread's capture in global mode runs.
    CaptureOfAnotherThread,
    /// The call cannot be captured, and its stream captures.
    StreamIsCapturing,
    /// The call would wait for the whole device, on which a stream captures.
    DeviceIsCapturing,
    /// The legacy stream would depend on a blocking stream that captures, or on an event of a capture.
    LegacyDependsOnCapture,
    /// The capture was broken by an earlier call.
    InvalidatedEarlier,

    /// A captured event never happens outside the graph, so it cannot be waited for, queried or timed.
    EventIsCaptured,
    /// The event was last recorded in a capture that has ended or was broken.
    EventOfPastCapture,
    /// The event was recorded outside the capture: the graph cannot depend on it.
    EventOutsideCapture,
    /// The event was recorded in another capture that is still running.
    EventOfAnotherCapture,
    /// The event belongs to another device than the stream or the event it is used with.
    EventOfAnotherDevice,
    /// The event was created without timing, or was never recorded: no time can be measured.
    EventHasNoTime,

    /// The legacy stream cannot be captured.
    LegacyCannotCapture,
    /// The stream captures already.
    AlreadyCapturing,
    /// The stream does not capture.
    NotCapturing,
    /// The external flag only makes sense on a stream that captures.
    OnlyInCapture,
    /// The capture began on another stream.
    NotTheOrigin,
    /// The capture began in another thread.
    WrongThread,
    /// Work forked to another stream was not joined back into the origin stream.
    Unjoined,

    /// A stream or event handle that names nothing.
    UnknownHandle,
    /// A graph or executable graph that is null or destroyed.
    UnknownGraph,
    /// A free in a graph of memory that no graph allocates.
    FreeOfUncapturedMemory,
    /// A second free of the same memory in one graph, or one in another graph besides that in the graph which allocates it.
    FreedTwice,
    /// A free in the graph that allocates the memory, of which an executable was made that leaves it allocated.
    FreeAfterInstantiation,
    /// A free of memory that a graph allocates, while the graph's allocation does not exist.
    FreeBeforeLaunch,
    /// A graph that can have one executable, since it allocates, frees or has a conditional node, has it already.
    MemoryNodesInUse,
    /// A launch while an allocation of the last launch was not freed.
    UnfreedAllocation,
    /// An update that changes more than an executable graph allows.
    UpdateRefused,
    /// A capture adds its nodes to the graph, which cannot be destroyed, thinned out or captured into meanwhile.
    GraphIsCapturedInto,
    /// A graph that allocates, frees or has a conditional node cannot be a node of another.
    UnsupportedChild,
    /// A graph that allocates, frees or has a conditional node cannot be cloned.
    UnsupportedClone,
    /// Nodes and edges of a graph that allocates or frees cannot be removed.
    MemoryNodesStay,
    /// Nodes of the graph, or of a graph within, wait for each other in a circle.
    GraphHasCycle,
    /// A conditional node of the graph was removed, and its condition has no node now.
    ConditionWithoutNode,
    /// A conditional node would run what it cannot: a host function, an event's record or wait, an allocation or a free.
    UnsupportedBody,
    /// An argument that no state of the driver would permit: a flag or a launch configuration that does not exist.
    InvalidArgument,
    /// The launch is refused wherever it is made, with a code of its own.
    LaunchRefused(Code),
}

impl Reason {
    /// The code that calls refused for this reason return.
    pub fn code(self) -> Code {
        match self {
            Reason::CaptureOfThisThread
            | Reason::CaptureOfAnotherThread
            | Reason::StreamIsCapturing
            | Reason::DeviceIsCapturing
            | Reason::LegacyCannotCapture => Code::STREAM_CAPTURE_UNSUPPORTED,
            Reason::InvalidatedEarlier => Code::STREAM_CAPTURE_INVALIDATED,
            Reason::EventOfAnotherCapture => Code::STREAM_CAPTURE_MERGE,
            Reason::NotTheOrigin => Code::STREAM_CAPTURE_UNMATCHED,
            Reason::Unjoined => Code::STREAM_CAPTURE_UNJOINED,
            Reason::EventOutsideCapture => Code::STREAM_CAPTURE_ISOLATION,
            Reason::LegacyDependsOnCapture => Code::STREAM_CAPTURE_IMPLICIT,
            Reason::EventIsCaptured => Code::CAPTURED_EVENT,
            Reason::WrongThread => Code::STREAM_CAPTURE_WRONG_THREAD,
            Reason::AlreadyCapturing
            | Reason::NotCapturing
            | Reason::OnlyInCapture
            | Reason::GraphIsCapturedInto => Code::ILLEGAL_STATE,
            Reason::UnknownHandle | Reason::EventHasNoTime | Reason::EventOfAnotherDevice => {
                Code::INVALID_HANDLE
            }
            Reason::EventOfPastCapture
            | Reason::UnknownGraph
            | Reason::FreeOfUncapturedMemory
            | Reason::FreedTwice
            | Reason::FreeAfterInstantiation
            | Reason::FreeBeforeLaunch
            | Reason::UnfreedAllocation
            | Reason::GraphHasCycle
            | Reason::ConditionWithoutNode
            | Reason::UnsupportedBody
            | Reason::InvalidArgument => Code::INVALID_VALUE,
            Reason::MemoryNodesInUse
            | Reason::UnsupportedChild
            | Reason::UnsupportedClone
            | Reason::MemoryNodesStay => Code::NOT_SUPPORTED,
            Reason::LaunchRefused(code) => code,
            Reason::UpdateRefused => Code::GRAPH_EXEC_UPDATE_FAILURE,
        }
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Reason::CaptureOfThisThread => {
                "the call conflicts with a capture that this thread began"
            }
            Reason::CaptureOfAnotherThread => {
                "the call conflicts with a capture in global mode that another thread began"
            }
            Reason::StreamIsCapturing => "the call cannot be captured, and its stream is capturing",
            Reason::DeviceIsCapturing => {
                "the call would wait for the whole device, on which a stream is capturing"
            }
            Reason::LegacyDependsOnCapture => {
                "the legacy stream would depend on a stream that is capturing"
            }
            Reason::InvalidatedEarlier => "an earlier call invalidated the capture",
            Reason::EventIsCaptured => {
                "the event was last recorded in a capture, so it does not happen outside the graph"
            }
            Reason::EventOfPastCapture => {
                "the event was last recorded in a capture that has ended or was invalidated"
            }
            Reason::EventOutsideCapture => {
                "the event was last recorded outside the capture, so the graph cannot depend on it"
            }
            Reason::EventOfAnotherCapture => "the event was last recorded in another capture",
            Reason::EventOfAnotherDevice => "the event belongs to another device",
            Reason::EventHasNoTime => "the event was created without timing or never recorded",
            Reason::LegacyCannotCapture => "the legacy stream cannot be captured",
            Reason::AlreadyCapturing => "the stream is capturing already",
            Reason::NotCapturing => "the stream is not capturing",
            Reason::OnlyInCapture => "the external flag needs a stream that is capturing",
            Reason::NotTheOrigin => "the capture began on another stream",
            Reason::WrongThread => "the capture began in another thread and is not relaxed",
            Reason::Unjoined => {
                "work on a forked stream was not joined back into the origin stream"
            }
            Reason::UnknownHandle => "the handle names no stream or event",
            Reason::UnknownGraph => "the handle names no graph",
            Reason::FreeOfUncapturedMemory => "the freed memory was not allocated in a capture or a graph",
            Reason::FreedTwice => "a graph frees the memory already",
            Reason::FreeAfterInstantiation => {
                "an executable graph was made that leaves the memory allocated, so its graph can no longer free it"
            }
            Reason::FreeBeforeLaunch => {
                "the freed memory belongs to a graph that has not allocated it"
            }
            Reason::MemoryNodesInUse => {
                "the graph has allocations, frees or conditional nodes, so it can have one executable at a time"
            }
            Reason::UnfreedAllocation => {
                "memory that the graph's last launch allocated has not been freed"
            }
            Reason::UpdateRefused => "the update changes more than an executable graph allows",
            Reason::GraphIsCapturedInto => "a capture is adding its nodes to the graph",
            Reason::UnsupportedChild => {
                "a graph with allocations, frees or conditional nodes cannot be a node of another"
            }
            Reason::UnsupportedClone => {
                "a graph with allocations, frees or conditional nodes cannot be cloned"
            }
            Reason::MemoryNodesStay => {
                "nodes and edges of a graph with allocations or frees cannot be removed"
            }
            Reason::GraphHasCycle => "nodes of the graph wait for each other in a cycle",
            Reason::ConditionWithoutNode => {
                "a conditional node of the graph was removed, so its condition has no node"
            }
            Reason::UnsupportedBody => {
                "a conditional node cannot run host functions, event records or waits, allocations or frees"
            }
            Reason::InvalidArgument => "an argument has a value that does not exist",
            Reason::LaunchRefused(_) => "the launch asks for what the device does not have",
        })
    }
}
