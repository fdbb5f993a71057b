//! Announcements of captures, so that CUPTI need not stay in the process between them.
//!
//! PyTorch begins captures through the CUDA runtime, which it is linked to. This library is loaded before, with its symbols
//! for all to use, so PyTorch gets the functions below in place of the runtime's of the same names: they announce what is
//! coming, and pass the call on. Streams are announced, too: a program that creates some often captures soon.
//!
//! Replays pass here as well, so that the agent can be asked to look at some of them ([`cgsan_observe::replay_begins`]).
//!
//! The agent announces what it sees as well ([`cgsan_capture_announced`]); and where it sees a library that reaches CUDA in
//! other ways, it asks to stay ([`cgsan_keep_watching`]).

use std::cell::Cell;
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::panic::catch_unwind;
use std::sync::OnceLock;

use crate::{gate, loaded, subscription};

/// The major version of PyTorch's CUDA.
static CUDA: OnceLock<String> = OnceLock::new();

thread_local! {
    /// Whether the calling thread is in a call that it announced.
    static ANNOUNCED: Cell<bool> = const { Cell::new(false) };
}

/// `cudaErrorInitializationError`: for a function that the loaded runtime does not have. Nobody could have called it.
const NOT_INITIALIZED: c_int = 3;

/// The version of CUDA that PyTorch was built for, as `13.0`.
pub fn is_of_cuda(version: &str) {
    let major = version.split('.').next().unwrap_or_default();
    if !major.is_empty() {
        // The first to say so is the agent, before CUDA starts.
        let _ = CUDA.set(major.to_owned());
    }
}

/// Whether the calling thread has announced the call that it makes.
pub fn is_announced() -> bool {
    ANNOUNCED.get()
}

/// Whether the functions below stand in for the runtime's: the first of that name is ours, and stays it.
pub fn are_announced() -> bool {
    // SAFETY: the name ends in a zero byte.
    let first = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"cudaStreamBeginCapture".as_ptr()) };
    std::ptr::eq(first, cudaStreamBeginCapture as *const c_void)
}

/// Functions of the runtime's. Each is passed on by a closure, which is given the call.
macro_rules! passed_on {
    ($($name:ident($($parameter:ident: $type:ty),*) => $through:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`, for the program.")]
        ///
        /// # Safety
        ///
        /// As the runtime demands.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($parameter: $type),*) -> c_int {
            type Real = unsafe extern "C" fn($($type),*) -> c_int;
            static REAL: OnceLock<Option<Real>> = OnceLock::new();
            let name = concat!(stringify!($name), "\0");
            // SAFETY: the runtime's function of this name has this type (`cuda_runtime_api.h`).
            let real = *REAL.get_or_init(|| unsafe { runtime_function(name) });
            let Some(real) = real else { return NOT_INITIALIZED };
            // SAFETY: the arguments are passed on as they came.
            $through(|| unsafe { real($($parameter),*) })
        }
    )*};
}

/// Functions that are announced.
macro_rules! announced {
    ($($name:ident($($parameter:ident: $type:ty),*);)*) => {
        passed_on! { $($name($($parameter: $type),*) => announcing;)* }
    };
}

passed_on! {
    cudaGraphLaunch(executable: u64, stream: *mut c_void) => |call| replaying(executable, call);
    cudaGraphLaunch_ptsz(executable: u64, stream: *mut c_void) => |call| replaying(executable, call);
    cudaGraphExecDestroy(executable: u64) => |call| destroying(executable, call);
}

announced! {
    cudaStreamBeginCapture(stream: *mut c_void, mode: c_int);
    cudaStreamBeginCapture_ptsz(stream: *mut c_void, mode: c_int);
    cudaStreamBeginCaptureToGraph(
        stream: *mut c_void, graph: *mut c_void, nodes: *const c_void, edges: *const c_void, count: usize, mode: c_int
    );
    cudaStreamBeginCaptureToGraph_ptsz(
        stream: *mut c_void, graph: *mut c_void, nodes: *const c_void, edges: *const c_void, count: usize, mode: c_int
    );
    cudaStreamCreate(stream: *mut c_void);
    cudaStreamCreateWithFlags(stream: *mut c_void, flags: c_uint);
    cudaStreamCreateWithPriority(stream: *mut c_void, flags: c_uint, priority: c_int);
}

/// Makes a call that replays a graph: the agent looks at some of them.
fn replaying(executable: u64, call: impl FnOnce() -> c_int) -> c_int {
    cgsan_observe::replay_begins(executable);
    call()
}

/// Makes a call that destroys an executable graph.
fn destroying(executable: u64, call: impl FnOnce() -> c_int) -> c_int {
    cgsan_observe::executable_destroyed(executable);
    call()
}

/// Makes a call that is announced.
fn announcing(call: impl FnOnce() -> c_int) -> c_int {
    // A panic leaves the capture unwatched, and the program need not know.
    let announcement = catch_unwind(|| subscription::announce(gate::open));
    let outer = ANNOUNCED.replace(true);
    let result = call();
    ANNOUNCED.set(outer);
    drop(announcement);
    result
}

/// The agent calls this when PyTorch is about to begin a capture.
#[unsafe(no_mangle)]
extern "C" fn cgsan_capture_announced() {
    let _ = catch_unwind(|| drop(subscription::announce(gate::open)));
}

/// The agent calls this when a library is there whose captures are not announced.
#[unsafe(no_mangle)]
extern "C" fn cgsan_keep_watching() {
    subscription::stay();
}

/// A function of the loaded CUDA runtime.
///
/// # Safety
///
/// `F` is the type of the function pointer that `name`, which ends in a zero byte, stands for.
unsafe fn runtime_function<F: Copy>(name: &'static str) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
    // SAFETY: the library is loaded, and the name ends in a zero byte.
    let address = unsafe { libc::dlsym(runtime()?, name.as_ptr()) };
    // SAFETY: by the contract of this function; the sizes are equal.
    (!address.is_null()).then(|| unsafe { std::mem::transmute_copy(&address) })
}

/// The CUDA runtime: of several, PyTorch's. Streams and graphs are the driver's, and any runtime takes them.
fn runtime() -> Option<*mut c_void> {
    let files = loaded::files();
    let of = |beginning: &str| {
        files.iter().find(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(beginning))
        })
    };
    let pytorchs = CUDA
        .get()
        .and_then(|major| of(&format!("libcudart.so.{major}")));
    // Older wheels of PyTorch bring it under a name of their own, as `libcudart-9335f6a2.so.12`.
    loaded::handle(pytorchs.or_else(|| of("libcudart"))?)
}
