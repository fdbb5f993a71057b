//! Which calls go into the trace, and how much of their origin.

use cgsan_model::{Call, Code, NodeKind};
use cgsan_observe::clock::{self, Asked};
use cgsan_observe::{CallSite, Detail};

use crate::api::Function;

/// Records a call with its result, if it is worth it; `capturing` while any capture runs.
#[inline]
pub fn call(function: &Function, call: &Call, result: Code, capturing: bool) {
    note(call, result);
    if !cgsan_observe::is_recording() {
        return;
    }
    let detail = match result {
        Code::SUCCESS | Code::NOT_READY
            if is_query(call) && !(capturing && tells_the_current_stream(call)) =>
        {
            return;
        }
        Code::SUCCESS | Code::NOT_READY => Detail::Stack,
        _ => Detail::StackAndNative,
    };
    cgsan_observe::record_call(&CallSite {
        function: function.driver,
        runtime: function.runtime,
        call,
        result,
        detail,
    });
}

/// Notes on the clock what a call asked for.
fn note(call: &Call, result: Code) {
    if let Call::StreamEndCapture { .. } = call {
        clock::capture_ends(result.0);
    }
    if result != Code::SUCCESS {
        return;
    }
    match call {
        Call::Work { node, .. } => match node {
            NodeKind::Kernel { function, .. } => clock::tick(Asked::Launch, function.0),
            NodeKind::Memcpy { bytes, .. } => clock::tick(Asked::Copy, *bytes),
            _ => {}
        },
        Call::GraphLaunch { exec, .. } => clock::tick(Asked::Replay, exec.0),
        Call::StreamSynchronize { .. }
        | Call::EventSynchronize { .. }
        | Call::DeviceSynchronize { .. } => clock::tick(Asked::Wait, 0),
        it if it.begins_capture() => clock::capture_begins(),
        _ => {}
    }
}

/// Whether a call only asks, so that it explains nothing unless it is refused.
fn is_query(call: &Call) -> bool {
    matches!(
        call,
        Call::StreamIsCapturing { .. }
            | Call::StreamGetCaptureInfo { .. }
            | Call::StreamGetPriority { .. }
            | Call::StreamGetFlags { .. }
            | Call::Unrestricted
    )
}

/// Whether a call shows which stream is current for PyTorch: its allocator asks whether that stream captures before it
/// allocates. While a capture runs, this tells an allocation for a stream outside the capture from any other.
fn tells_the_current_stream(call: &Call) -> bool {
    matches!(
        call,
        Call::StreamIsCapturing { .. } | Call::StreamGetCaptureInfo { .. }
    )
}
