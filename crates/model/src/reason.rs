//! Why a call was refused.

/// Why a call was refused, finer than its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The call conflicts with a capture that the calling thread began.
    CaptureOfThisThread,
    /// The call conflicts with a capture in global mode that another thread began.
    CaptureOfAnotherThread,
    /// The call waits for or replays on a stream that captures.
    StreamIsCapturing,
    /// The device, and with it a capturing stream, would be waited for.
    DeviceIsCapturing,
    /// The event was recorded in a capture, which has not run: it cannot be waited for or queried.
    EventWasCaptured,
    /// The event was recorded before the capture, or outside it: the graph cannot depend on it.
    EventOutsideCapture,
    /// The event belongs to another capture.
    EventOfAnotherCapture,
    /// The capture was broken by an earlier call.
    InvalidatedEarlier,
    /// The capture must be ended on its origin stream.
    NotTheOrigin,
    /// Work forked to another stream was not joined back into the origin stream.
    Unjoined,
    /// The capture must be ended by the thread that began it.
    WrongThread,
    /// The legacy stream would depend on a blocking stream that captures.
    LegacyDependsOnCapture,
    /// The legacy stream cannot be captured.
    LegacyCannotCapture,
    /// The stream captures already.
    AlreadyCapturing,
    /// The stream does not capture.
    NotCapturing,
    /// The call only makes sense on a stream that captures.
    OnlyInCapture,
    /// The handle names nothing that exists.
    UnknownHandle,
    /// The event was created without timing, so no time can be measured with it.
    NoTiming,
    /// The event was never recorded.
    NeverRecorded,
    /// A graph with memory nodes has one executable at a time.
    MemoryNodesInUse,
    /// The graph allocates memory that its last launch has not freed yet.
    UnfreedAllocation,
    /// The update changes more than an executable graph allows.
    UpdateRefused,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Reason::CaptureOfThisThread => {
                "the call conflicts with a capture that the calling thread began"
            }
            Reason::CaptureOfAnotherThread => {
                "the call conflicts with a capture in global mode that another thread began"
            }
            Reason::StreamIsCapturing => "the call is not permitted on a stream that captures",
            Reason::DeviceIsCapturing => "the call would wait for a stream that captures",
            Reason::EventWasCaptured => {
                "the event was last recorded in a capture, so it never happens outside the graph"
            }
            Reason::EventOutsideCapture => {
                "the event was recorded outside the capture, so the graph cannot depend on it"
            }
            Reason::EventOfAnotherCapture => "the event was recorded in another capture",
            Reason::InvalidatedEarlier => "an earlier call invalidated the capture",
            Reason::NotTheOrigin => "a capture ends on the stream it began on, and this is another",
            Reason::Unjoined => "work forked to another stream was not joined back",
            Reason::WrongThread => {
                "a capture that is not relaxed ends in the thread that began it, and this is another"
            }
            Reason::LegacyDependsOnCapture => {
                "the legacy stream would depend on a blocking stream that captures"
            }
            Reason::LegacyCannotCapture => "the legacy stream cannot be captured",
            Reason::AlreadyCapturing => "the stream captures already",
            Reason::NotCapturing => "the stream does not capture",
            Reason::OnlyInCapture => "the external flag is for streams that capture",
            Reason::UnknownHandle => "the handle names nothing that exists",
            Reason::NoTiming => "the event was created without timing",
            Reason::NeverRecorded => "the event was never recorded",
            Reason::MemoryNodesInUse => {
                "a graph that allocates memory has one executable at a time"
            }
            Reason::UnfreedAllocation => {
                "the graph's allocation from its last launch has not been freed"
            }
            Reason::UpdateRefused => "the update changes more than an executable graph allows",
        })
    }
}
