//! Which calls go into the trace, and how much of their origin.

use cgsan_model::{Call, Code};
use cgsan_observe::{CallSite, Detail};

use crate::api::Function;

/// Records a call with its result, if it is worth it; `capturing` while any capture runs.
#[inline]
pub fn call(function: &Function, call: &Call, result: Code, capturing: bool) {
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
