//! From a callback of CUPTI to a record.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use cgsan_model::{Call, Code, NodeKind};
use cgsan_observe::{CallSite, Detail};

use crate::cupti::Error;
use crate::cupti::abi::{CallbackData, DRIVER_API, ENTER};
use crate::functions::{self, Function, Site, When};
use crate::{announce, aside, gate, parameters, subscription};

static OFF: AtomicBool = AtomicBool::new(false);

/// What the beginning of a call to begin a capture leaves for its end.
const BEGUN: u64 = 1;

/// Begins to watch.
pub fn start() -> Result<(), Error> {
    subscription::start(on_call, gate::open)
}

/// The device of a context.
pub fn device_of(context: *mut c_void) -> Option<u32> {
    subscription::cupti()?.device_of(context)
}

extern "C" fn on_call(_: *mut c_void, domain: c_int, id: u32, data: *const CallbackData) {
    if domain != DRIVER_API || OFF.load(Ordering::Relaxed) || !cgsan_observe::is_recording() {
        return;
    }
    let Some((function, own_stream)) = functions::find(id) else {
        return;
    };
    let watched = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: CUPTI passes a description of the call, numbers and pointers, which holds until this returns.
        let data = unsafe { data.read() };
        if data.site == ENTER {
            before(function, &data);
        } else {
            // SAFETY: it is that of the call's end.
            let site = unsafe { Site::new(data, own_stream) };
            after(function, &site);
        }
    }));
    if watched.is_err() {
        turn_off("an internal error of cgsan");
    }
}

fn before(function: &Function, data: &CallbackData) {
    let noted = if functions::BEGIN_CAPTURE.contains(&function.id) {
        if !announce::is_announced() {
            // The next one might come while nobody watches.
            subscription::stay();
        }
        gate::capture_begins();
        BEGUN
    } else if function.id == functions::EXCHANGE_MODE {
        // SAFETY: these are the parameters of this function, and CUPTI has not yet passed them on.
        unsafe { functions::mode_to_exchange(data.parameters) }
    } else {
        return;
    };
    if !data.correlation.is_null() {
        // SAFETY: CUPTI keeps 64 bits for the call.
        unsafe { data.correlation.write(noted) };
    }
}

fn after(function: &Function, site: &Site) {
    let result = site.result();
    if functions::BEGIN_CAPTURE.contains(&function.id) && site.noted() == Some(0) {
        // It began before anybody watched.
        gate::capture_begins();
    }
    let capturing = gate::is_capturing();
    if function.when == When::OnceCaptured && !capturing && !is_failure(result) {
        return;
    }
    let call = (function.read)(site);
    if let Some(detail) = detail(function, &call, result, capturing) {
        let record = || {
            cgsan_observe::record_call(&CallSite {
                function: function.name,
                runtime: None,
                call: &call,
                result,
                detail,
            });
        };
        let launch =
            functions::launched(function, site).filter(|_| capturing && !is_failure(result));
        match (&call, launch) {
            (
                Call::Work {
                    node: NodeKind::Kernel { grid, block, .. },
                    ..
                },
                Some((kernel, given)),
            ) => {
                // SAFETY: CUPTI passes a launch the name of its kernel.
                let known = || unsafe { parameters::known(kernel, site.kernel_name()) };
                // SAFETY: the driver has launched that kernel with what it was given, and tells its parameters.
                unsafe { given.launched(known, [*grid, *block], record) };
            }
            _ => record(),
        }
        aside::told(&call);
        if !is_failure(result) {
            for body in functions::bodies(function, site) {
                cgsan_observe::record_call(&CallSite {
                    function: function.name,
                    runtime: None,
                    call: &body,
                    result,
                    detail: Detail::None,
                });
            }
        }
    }
    gate::after(cgsan_observe::current_thread(), &call, result);
}

/// How much of a call is recorded; `None` if nothing.
fn detail(function: &Function, call: &Call, result: Code, capturing: bool) -> Option<Detail> {
    if is_failure(result) {
        return Some(Detail::StackAndNative);
    }
    match call {
        Call::StreamGetPriority { .. } | Call::StreamGetFlags { .. } | Call::Unrestricted => None,
        _ if capturing => Some(Detail::Stack),
        // Nobody asks where these were made, and there can be many.
        Call::EventCreate { .. } | Call::EventDestroy { .. } => Some(Detail::None),
        _ => match function.when {
            When::Always | When::AtFirst => Some(Detail::Stack),
            When::Capturing | When::OnceCaptured => None,
        },
    }
}

fn is_failure(result: Code) -> bool {
    !matches!(result, Code::SUCCESS | Code::NOT_READY)
}

/// Stops watching for good, for a reason that the report gives.
fn turn_off(reason: &str) {
    if !OFF.swap(true, Ordering::Relaxed) {
        subscription::turn_off();
        cgsan_observe::note(&format!(
            "calls to CUDA were watched only up to a point: {reason}"
        ));
    }
}

/// Lets another subscriber have CUPTI, which takes one at a time.
pub fn make_way() {
    let Some(can_come_back) = subscription::make_way() else {
        return;
    };
    let until = if can_come_back {
        "were not watched, up to the first capture that PyTorch began after the profiler had released CUPTI"
    } else {
        "were not watched, also after the profiler's end"
    };
    cgsan_observe::note(&format!(
        "the program began to profile itself through CUPTI, which serves one tool at a time: from then on, calls to CUDA \
         {until}. Run the program without the profiler to have all of them watched"
    ));
}
