//! What a call is answered.

use crate::{CaptureId, CaptureMode, Code, NodeIndex, Reason};

/// The driver's answer to one call: its code, and what cgsan adds to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Answer {
    /// The code the driver would return.
    pub code: Code,
    /// Why the call was refused; `None` exactly when `code` is success.
    pub reason: Option<Reason>,
    /// The capture concerned: the one that recorded the call, that refused it, or that it began or ended.
    pub capture: Option<CaptureId>,
    /// What the call returns besides its code.
    pub value: Value,
}

impl Answer {
    /// A call that did what it was asked, outside any capture.
    pub(crate) const DONE: Answer = Answer {
        code: Code::SUCCESS,
        reason: None,
        capture: None,
        value: Value::None,
    };

    /// A call that did what it was asked and returns `value`.
    pub(crate) fn with(value: Value) -> Answer {
        Answer {
            value,
            ..Answer::DONE
        }
    }

    /// A call that did what it was asked, as part of `capture`.
    pub(crate) fn captured(capture: CaptureId) -> Answer {
        Answer {
            capture: Some(capture),
            ..Answer::DONE
        }
    }
}

/// What a call returns besides its code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    #[default]
    None,
    /// The calling thread's mode before the exchange.
    CaptureMode(CaptureMode),
    /// The status of a stream (`cudaStreamIsCapturing`).
    CaptureStatus(CaptureStatus),
    /// The status, capture and dependencies of a stream (`cudaStreamGetCaptureInfo`).
    CaptureInfo(CaptureInfo),
    /// The outcome of an update (`cudaGraphExecUpdateResultInfo::result`).
    Update(UpdateResult),
}

/// Whether a stream captures (`cudaStreamCaptureStatus`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CaptureStatus {
    /// The stream does not capture.
    #[default]
    None,
    /// The stream captures.
    Active,
    /// The stream belongs to a capture that an earlier call broke; only ending it on its origin stream remains.
    Invalidated,
}

/// What `cudaStreamGetCaptureInfo` returns. A graph under capture has no [`GraphId`](crate::GraphId) yet: the call that
/// ends the capture names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureInfo {
    /// Whether the stream captures.
    pub status: CaptureStatus,
    /// The capture, while it is active.
    pub id: Option<CaptureId>,
    /// The nodes that the stream's next node will depend on, while the capture is active.
    pub dependencies: Vec<NodeIndex>,
}

/// How an update of an executable graph went (`cudaGraphExecUpdateResult`, same numbers).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum UpdateResult {
    /// The executable graph now runs the new parameters.
    Success = 0,
    /// The update failed for a reason not told apart.
    Error = 1,
    /// The graphs differ in their number of nodes or in their edges.
    TopologyChanged = 2,
    /// A pair of nodes differs in kind.
    NodeTypeChanged = 3,
    /// A kernel node's function changed in a way this driver cannot update.
    FunctionChanged = 4,
    /// A node's parameters changed in a way that cannot be updated.
    ParametersChanged = 5,
    /// Something about a node is not supported.
    NotSupported = 6,
}
