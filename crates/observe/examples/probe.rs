//! A library that Python loads, as it would the virtual GPU, and that records what a test tells it to.
#![allow(unsafe_code, reason = "exports functions to Python's ctypes")]

use std::ffi::{CStr, c_char, c_int};
use std::time::Instant;

use cgsan_model::{Call, CaptureMode, Code, Device, FunctionId, NodeKind, Stream};
use cgsan_observe::{CallSite, Config, Detail};

cgsan_observe::export_cxa_throw!();

/// Starts recording; 0 if that worked.
///
/// # Safety
///
/// `config` is a string of C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_start(config: *const c_char) -> c_int {
    // SAFETY: by the contract of this function.
    let config = unsafe { text(config) };
    match serde_json::from_str::<Config>(&config).map(cgsan_observe::start) {
        Ok(Ok(())) => 0,
        _ => 1,
    }
}

/// The same from a thread that Python does not know.
///
/// # Safety
///
/// `config` is a string of C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_start_elsewhere(config: *const c_char) -> c_int {
    // SAFETY: by the contract of this function.
    let config = unsafe { text(config) };
    std::thread::spawn(move || match serde_json::from_str::<Config>(&config) {
        Ok(config) => c_int::from(cgsan_observe::start(config).is_err()),
        Err(_) => 1,
    })
    .join()
    .unwrap_or(1)
}

/// Records a refused synchronization of the legacy stream, with a Python stack, and a native one if asked to.
#[unsafe(no_mangle)]
pub extern "C" fn probe_synchronize(native: c_int) {
    let _scope = cgsan_observe::library_scope("probe_synchronize");
    record(
        &Call::StreamSynchronize {
            stream: Stream::Legacy(Device(0)),
        },
        Code::STREAM_CAPTURE_UNSUPPORTED,
        if native == 0 {
            Detail::Stack
        } else {
            Detail::StackAndNative
        },
    );
}

/// Says that Python is about to end, in the calling thread.
#[unsafe(no_mangle)]
pub extern "C" fn probe_python_ends() {
    cgsan_observe::python_ends();
}

/// Records the successful beginning of a capture.
#[unsafe(no_mangle)]
pub extern "C" fn probe_begin_capture() {
    let begin = Call::StreamBeginCapture {
        stream: Stream::Created(16),
        mode: CaptureMode::Global,
    };
    record(&begin, Code::SUCCESS, Detail::Stack);
}

/// Records as many launches of a kernel, and gives the nanoseconds that one took.
#[unsafe(no_mangle)]
pub extern "C" fn probe_launch(times: u32) -> f64 {
    let kernel = FunctionId(1);
    cgsan_observe::define_function(kernel, "_Z6kernelv");
    let launch = Call::Work {
        stream: Stream::Legacy(Device(0)),
        node: NodeKind::Kernel {
            function: kernel,
            grid: [1, 1, 1],
            block: [128, 1, 1],
            shared: 0,
        },
    };
    let start = Instant::now();
    for _ in 0..times {
        record(&launch, Code::SUCCESS, Detail::Stack);
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(times)
}

/// Calls a function of Python's, as CUDA calls a host function.
#[unsafe(no_mangle)]
pub extern "C" fn probe_callback(function: extern "C" fn()) {
    function();
}

/// Records an event of the agent.
///
/// # Safety
///
/// `json` is a string of C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_agent_event(json: *const c_char) {
    // SAFETY: by the contract of this function.
    cgsan_observe::agent_event(&unsafe { text(json) });
}

/// Names the calling thread.
///
/// # Safety
///
/// `name` is a string of C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_thread_name(name: *const c_char) {
    // SAFETY: by the contract of this function.
    cgsan_observe::thread_name(&unsafe { text(name) });
}

/// Records the call of a function that is not there, and the read of a value that was not computed.
#[unsafe(no_mangle)]
pub extern "C" fn probe_limits() {
    cgsan_observe::missing("cuNotThere");
    cgsan_observe::computed_value_read(4);
}

/// Records from a thread that Python does not know.
#[unsafe(no_mangle)]
pub extern "C" fn probe_foreign_thread() {
    let thread = std::thread::Builder::new().name("pt_autograd_0".to_owned());
    if let Ok(thread) = thread.spawn(|| probe_synchronize(0)) {
        let _ = thread.join();
    }
}

fn record(call: &Call, result: Code, detail: Detail) {
    cgsan_observe::record_call(&CallSite {
        function: "cuProbe",
        runtime: Some("cudaProbe"),
        call,
        result,
        detail,
    });
}

/// # Safety
///
/// `text` is a string of C.
unsafe fn text(text: *const c_char) -> String {
    // SAFETY: by the contract of this function.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}
