//! A CUPTI for the tests: it has the interface that the watcher uses, and tells of the calls that a test makes up. It also
//! stands in for the driver and the CUDA runtime, as far as the watcher asks these for anything.
#![allow(unsafe_code, reason = "exports functions of C")]
#![allow(non_snake_case, reason = "CUPTI names its functions so")]

use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

type Callback = extern "C" fn(*mut c_void, c_int, u32, *const CallbackData);

/// `CUpti_CallbackData`.
#[repr(C)]
struct CallbackData {
    site: c_int,
    function_name: *const c_char,
    parameters: *const c_void,
    result: *const c_int,
    symbol_name: *const c_char,
    context: *mut c_void,
    context_number: u32,
    correlation: *mut u64,
    correlation_id: u32,
}

static CALLBACK: AtomicUsize = AtomicUsize::new(0);
static FINALIZED: AtomicUsize = AtomicUsize::new(0);
static ENABLED: [AtomicBool; 1024] = [const { AtomicBool::new(false) }; 1024];

/// The version that the test asks for, else that of CUDA 12.8's.
#[unsafe(no_mangle)]
extern "C" fn cuptiGetVersion(version: &mut u32) -> c_int {
    let wanted = std::env::var("FAKE_CUPTI_VERSION").ok();
    *version = wanted.and_then(|it| it.parse().ok()).unwrap_or(26);
    0
}

/// Takes one subscriber.
#[unsafe(no_mangle)]
extern "C" fn cuptiSubscribe(
    subscriber: &mut usize,
    callback: Callback,
    _data: *mut c_void,
) -> c_int {
    *subscriber = 1;
    let (none, it) = (0, callback as usize);
    let taken = CALLBACK.compare_exchange(none, it, Ordering::SeqCst, Ordering::SeqCst);
    if taken.is_ok() { 0 } else { 39 }
}

/// Forgets the subscriber.
#[unsafe(no_mangle)]
extern "C" fn cuptiUnsubscribe(_subscriber: usize) -> c_int {
    CALLBACK.store(0, Ordering::SeqCst);
    0
}

/// Forgets what is told of.
#[unsafe(no_mangle)]
extern "C" fn cuptiFinalize() -> c_int {
    for function in &ENABLED {
        function.store(false, Ordering::SeqCst);
    }
    FINALIZED.fetch_add(1, Ordering::SeqCst);
    0
}

/// Tells of a function from now on, or no longer.
#[unsafe(no_mangle)]
extern "C" fn cuptiEnableCallback(
    enable: u32,
    _subscriber: usize,
    _domain: c_int,
    function: u32,
) -> c_int {
    ENABLED[function as usize].store(enable != 0, Ordering::SeqCst);
    0
}

/// Every context is of device 3.
#[unsafe(no_mangle)]
extern "C" fn cuptiGetDeviceId(_context: *mut c_void, device: &mut u32) -> c_int {
    *device = 3;
    0
}

/// The CUDA runtime's: the driver's function is called by whoever stands behind the stream.
#[unsafe(no_mangle)]
extern "C" fn cudaStreamBeginCapture(stream: extern "C" fn(c_int) -> c_int, mode: c_int) -> c_int {
    stream(mode)
}

/// A call by the runtime to the driver, of which the made-up CUPTI tells: another copy of this library.
fn call_driver(function: u32, parameters: &[u64]) {
    type Call = extern "C" fn(u32, *const c_void, c_int);
    let folder = std::env::var("CGSAN_CUPTI").unwrap_or_default();
    let Ok(path) = CString::new(folder + "/libcupti.so.13") else {
        return;
    };
    // SAFETY: the names end in zero bytes.
    let call = unsafe {
        let cupti = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD);
        libc::dlsym(cupti, c"fake_call".as_ptr())
    };
    assert!(!call.is_null(), "no CUPTI");
    // SAFETY: the function has this type.
    let call = unsafe { std::mem::transmute::<*mut c_void, Call>(call) };
    call(function, parameters.as_ptr().cast(), 0);
}

/// A call by the runtime takes memory of the driver's: of another copy of this library.
fn take_of_driver(bytes: usize) {
    // SAFETY: the names end in zero bytes.
    let take = unsafe {
        let driver = libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD);
        libc::dlsym(driver, c"fake_take".as_ptr())
    };
    assert!(!take.is_null(), "no driver");
    // SAFETY: the function has this type.
    let take = unsafe { std::mem::transmute::<*mut c_void, extern "C" fn(usize)>(take) };
    take(bytes);
}

/// The CUDA runtime's, which calls the driver's function. Each launch takes 8 bytes.
#[unsafe(no_mangle)]
extern "C" fn cudaGraphLaunch(exec: u64, stream: u64) -> c_int {
    call_driver(514, &[exec, stream]);
    take_of_driver(8);
    0
}

/// Its executable graph is always the same; it takes 5,000 bytes.
#[unsafe(no_mangle)]
extern "C" fn cudaGraphInstantiateWithFlags(exec: &mut u64, graph: u64, flags: u64) -> c_int {
    *exec = 0x9000;
    call_driver(643, &[&raw const *exec as u64, graph, flags]);
    take_of_driver(5_000);
    0
}

/// And its upload 70.
#[unsafe(no_mangle)]
extern "C" fn cudaGraphUpload(_exec: u64, _stream: u64) -> c_int {
    take_of_driver(70);
    0
}

/// The same for an event.
#[unsafe(no_mangle)]
extern "C" fn cudaEventRecord(event: u64, stream: u64) -> c_int {
    call_driver(119, &[event, stream]);
    0
}

/// And for a stream.
#[unsafe(no_mangle)]
extern "C" fn cudaStreamSynchronize(stream: u64) -> c_int {
    call_driver(126, &[stream]);
    0
}

/// The driver's: the device is that of every context.
#[unsafe(no_mangle)]
extern "C" fn cuCtxGetDevice(device: &mut c_int) -> c_int {
    *device = 3;
    0
}

/// How much memory is free.
static FREE: AtomicUsize = AtomicUsize::new(1 << 30);

/// The driver's.
#[unsafe(no_mangle)]
extern "C" fn cuMemGetInfo_v2(free: &mut usize, total: &mut usize) -> c_int {
    *total = 1 << 31;
    *free = FREE.load(Ordering::SeqCst);
    0
}

/// So much less is free from now on.
#[unsafe(no_mangle)]
extern "C" fn fake_take(bytes: usize) {
    FREE.fetch_sub(bytes, Ordering::SeqCst);
}

/// The driver's: every graph has three nodes.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphGetNodes(_graph: u64, nodes: *mut u64, count: *mut usize) -> c_int {
    const NODES: [u64; 3] = [0x51, 0x52, 0x53];
    // SAFETY: the caller passes a count, and room for so many nodes if any.
    unsafe {
        if nodes.is_null() {
            *count = NODES.len();
        } else {
            *count = NODES.len().min(*count);
            nodes.copy_from_nonoverlapping(NODES.as_ptr(), *count);
        }
    }
    0
}

/// The driver's: a launch takes memory, and is refused.
#[unsafe(no_mangle)]
extern "C" fn cuLaunchKernel(function: u64) -> c_int {
    if function != 0 {
        FREE.fetch_sub(8, Ordering::SeqCst);
    }
    719
}

/// The driver's: every kernel has the same name.
#[unsafe(no_mangle)]
extern "C" fn cuFuncGetName(name: &mut *const c_char, _function: u64) -> c_int {
    *name = c"_Z5scalePKffi".as_ptr();
    0
}

/// And these parameters.
#[unsafe(no_mangle)]
extern "C" fn cuFuncGetParamInfo(
    _function: u64,
    index: usize,
    offset: &mut usize,
    bytes: &mut usize,
) -> c_int {
    let Some(place) = [(0, 8), (8, 4), (12, 4)].get(index) else {
        return 1;
    };
    (*offset, *bytes) = *place;
    0
}

/// How many functions are told of.
#[unsafe(no_mangle)]
extern "C" fn fake_enabled() -> usize {
    let enabled = ENABLED.iter().filter(|it| it.load(Ordering::SeqCst));
    enabled.count()
}

/// How often CUPTI was taken out of the process.
#[unsafe(no_mangle)]
extern "C" fn fake_finalized() -> usize {
    FINALIZED.load(Ordering::SeqCst)
}

/// A call of a driver function, with its result; the kernel is called `kernel`.
#[unsafe(no_mangle)]
extern "C" fn fake_call(function: u32, parameters: *const c_void, result: c_int) {
    let mut correlation = 0;
    let mut data = CallbackData {
        site: 0,
        function_name: c"function".as_ptr(),
        parameters,
        result: &raw const result,
        symbol_name: c"kernel".as_ptr(),
        context: std::ptr::dangling_mut(),
        context_number: 1,
        correlation: &raw mut correlation,
        correlation_id: 1,
    };
    for site in [0, 1] {
        data.site = site;
        let callback = CALLBACK.load(Ordering::SeqCst);
        if callback != 0 && ENABLED[function as usize].load(Ordering::SeqCst) {
            // SAFETY: only `cuptiSubscribe` writes the address, of a function of this type.
            let callback = unsafe { std::mem::transmute::<usize, Callback>(callback) };
            callback(std::ptr::null_mut(), 1, function, &raw const data);
        }
    }
}
