//! What a call is answered.

use crate::{CaptureId, CaptureMode, Code, Dependencies, Reason};

/// The driver's answer to one call: its code, and what the model adds to it.
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

/// Whether a stream captures (`cudaStreamCaptureStatus`, same numbers).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum CaptureStatus {
    /// The stream does not capture.
    #[default]
    None = 0,
    /// The stream captures.
    Active = 1,
    /// The stream belongs to a capture that an earlier call broke; only ending it on its origin stream remains.
    Invalidated = 2,
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
    pub dependencies: Dependencies,
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

/// A call that was not permitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal {
    reason: Reason,
    capture: Option<CaptureId>,
}

/// How a rule ends: the call was done, or refused.
pub(crate) type Outcome = Result<Answer, Refusal>;

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

    /// A call that did what it was asked, within `capture` if there is one.
    pub(crate) fn within(capture: impl Into<Option<CaptureId>>) -> Answer {
        Answer {
            capture: capture.into(),
            ..Answer::DONE
        }
    }
}

impl Reason {
    /// A refusal for this reason, by this capture.
    pub(crate) fn by(self, capture: impl Into<Option<CaptureId>>) -> Refusal {
        Refusal {
            reason: self,
            capture: capture.into(),
        }
    }
}

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Refusal {
        reason.by(None)
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Answer {
        Answer {
            code: refusal.reason.code(),
            reason: Some(refusal.reason),
            capture: refusal.capture,
            value: Value::None,
        }
    }
}
