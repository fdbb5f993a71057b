//! Which calls go into the trace, and how much of their origin.

use cgsan_model::{Call, Code};
use cgsan_observe::{CallSite, Detail};

use crate::api::Function;

/// Records a call with its result, if it is worth it.
#[inline]
pub fn call(function: &Function, call: &Call, result: Code) {
    if !cgsan_observe::is_recording() {
        return;
    }
    let detail = match result {
        Code::SUCCESS | Code::NOT_READY if is_query(call) => return,
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
        Call::StreamIsCapturing { .. } | Call::StreamGetCaptureInfo { .. } | Call::Unrestricted
    )
}
