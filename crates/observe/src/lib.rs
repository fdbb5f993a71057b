//! The part of cgsan that lives inside the watched process: it notes each call to CUDA with its thread, its result and
//! its call sites, and keeps the notes in a file that outlives the process.
//!
//! # How a library that serves or watches CUDA uses it
//!
//! 1. Fill in [`Config::device`], then [`start`], once.
//! 2. [`record_call`] after each call, in the order in which the calls took effect (so: while the lock that ordered them
//!    is still held). Skip the work of building a [`CallSite`] while [`is_recording`] is false.
//! 3. Open a [`library_scope`] at the top of each entry point of cuBLAS, cuDNN and their kin.
//! 4. [`define_function`] before a kernel's first launch.
//! 5. [`replay_begins`] before each launch of an executable graph, with no lock held, and [`executable_destroyed`].
//! 6. [`export_cxa_throw!`] and [`export_agent_functions!`] once, at the root of the cdylib.
//!
//! # What holds everywhere
//!
//! - Nothing here panics across a boundary, takes Python's global lock, or calls back into its caller; [`replay_begins`]
//!   alone calls the agent, which does take that lock.
//! - Only locks of its own are taken, and the loader's for its list of files, never across a fork: a caller may hold any
//!   lock of its own.
//! - After a failure (a full disk) recording stops, says so once, and the program goes on.
#![deny(unsafe_code)]

use cgsan_model::{Call, Code, ExecId, FunctionId};
use cgsan_trace::{AddressChange, AgentEvent};

mod agent;
mod autograd;
mod blocks;
mod captured;
pub mod clock;
mod config;
mod exceptions;
mod fork;
mod identity;
pub mod jump;
mod keep;
mod loader;
mod memory;
mod modules;
mod names;
mod native;
mod operators;
mod python;
mod recorder;
mod replays;
pub mod sealed;
mod signals;
mod sink;
mod stacks;
mod state;
mod strings;
mod symbols;
mod thread;
mod uncomputed;
mod unseen;
mod waits;
mod window;
mod writer;

pub use agent::{config_of_c, text_of_c};
pub use blocks::memory_reported;
pub use captured::Storage;
pub use cgsan_frames::{Plain, read_plain};
pub use config::Config;
pub use exceptions::{cxa_throw, on_cxa_throw};
pub use loader::files as loaded_files;
pub use native::calling_file;
pub use operators::{
    Follower, Given, GivenTensor, Object as GivenObject, OperatorCall, follow as follow_operators,
    kernels::{
        are_taken as takes_kernels, begins as kernel_begins, ends as kernel_ends,
        gave as kernel_gave,
    },
    launches, leave_unrecorded as leave_operators_unrecorded,
};
pub use replays::{
    AtReplay, Replay, begins as replay_begins, call as call_at_replays,
    destroyed as executable_destroyed, graph_work,
};
pub use signals::without_signals;
pub use state::{StartError, is_recording, say, start};
pub use thread::{LibraryScope, current_thread, library_scope};
pub use waits::{Waiting, waiting};

/// One call to CUDA, as the entry point that served it knows it.
#[derive(Clone, Copy, Debug)]
pub struct CallSite<'a> {
    /// The driver function, e.g. `cuStreamSynchronize`.
    pub function: &'static str,
    /// The runtime function it came through, e.g. `cudaStreamSynchronize`.
    pub runtime: Option<&'static str>,
    /// What the call asked for.
    pub call: &'a Call,
    /// What it returned.
    pub result: Code,
    /// Which stacks to take.
    pub detail: Detail,
}

/// How much of a call's origin is worth its price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// No stack.
    None,
    /// The Python stack.
    #[default]
    Stack,
    /// The Python stack and the native one: for refused calls.
    StackAndNative,
}

/// Records a call by the calling thread.
pub fn record_call(site: &CallSite<'_>) {
    if !is_recording() {
        return;
    }
    let origin = recorder::Origin {
        autograd_sequence: autograd::peek(),
        native: (site.detail == Detail::StackAndNative).then(native::take),
    };
    state::with(|recorder| recorder.call(site, origin));
}

/// Names the kernel behind `id`. Call it before the kernel's first launch, not for every kernel that a library
/// registers. The name is remembered for the children that the process forks; a second name for the same id is ignored.
pub fn define_function(id: FunctionId, name: &str) {
    state::with(|recorder| recorder.define_function(id, name));
}

/// Records that `function` was called and is not there; once a function.
pub fn missing(function: &'static str) {
    state::with(|recorder| recorder.missing(function));
}

/// Records that the host read so many bytes of device memory that a kernel should have computed; once a process. A line that goes
/// on reading such memory is named on standard error, once, while the program runs.
pub fn computed_value_read(bytes: u64) {
    state::with(|recorder| recorder.computed_value_read(bytes));
}

/// Records that a kernel is launched that the virtual GPU does not compute though it computes others; once a kernel, of the first ones.
pub fn kernel_not_computed(function: FunctionId) {
    state::with(|recorder| recorder.kernel_not_computed(function));
}

/// Records what a call that went well did to so many bytes at an address, 0 if it does not say how many.
pub fn addresses(what: AddressChange, start: u64, bytes: u64) {
    if is_recording() {
        state::with(|recorder| recorder.addresses(what, start, bytes));
    }
}

/// Records that another process or a communicator was given an address, unless PyTorch called, which keeps what it shares
/// (`CudaIPCSentData`, 2.6 to 2.15). To be called from the function of CUDA or NCCL that was called.
pub fn shared(start: u64, bytes: u64) {
    let is_of_pytorch = |file: String| {
        let name = file.rsplit('/').next().unwrap_or_default();
        name.starts_with("libc10") || name.starts_with("libtorch")
    };
    if is_recording() && !native::calling_file().is_some_and(is_of_pytorch) {
        addresses(AddressChange::Shared, start, bytes);
    }
}

/// Records a remark on what could not be observed, for a person to read.
pub fn note(text: &str) {
    state::with(|recorder| recorder.note(text));
}

/// Whether calls that order others are recorded now, as they are in windows; costs two atomic loads. Replays are another
/// matter: see [`Replay::is_recorded`].
#[inline]
pub fn is_order_recorded() -> bool {
    window::seems_open() && is_recording()
}

/// Records that calls which order others may be made unseen from now on.
pub fn order_is_unseen() {
    state::with(recorder::Recorder::order_is_unseen);
}

/// Records that calls to CUDA are watched again, or no longer.
pub fn watched(on: bool) {
    state::with(|recorder| recorder.watched(on));
}

/// Records how much memory of the device was free, in bytes, before and after a call that takes some for an executable graph. Call
/// it behind [`record_call`] where that call is recorded.
pub fn executable_memory(exec: ExecId, before: u64, after: u64) {
    state::with(|recorder| recorder.executable_memory(exec, before, after));
}

/// Records an event of the agent: a `cgsan_trace::AgentEvent` as JSON. Of what is no such event, it is recorded that there
/// was one.
pub fn agent_event(json: &str) {
    if sealed::is_sealed() {
        return;
    }
    let event = serde_json::from_str(json).ok();
    if let Some(AgentEvent::GroupCreated { address, .. }) = &event {
        operators::add_group(*address);
    }
    state::with(|recorder| recorder.agent_event(event));
}

/// Begins to learn how PyTorch hands over operators, from the facts in `json` and the operators that the agent calls next.
/// Whether that is possible; [`operators_ready`] ends it.
pub fn operators_probe(json: &str) -> bool {
    operators::probe(json)
}

/// Ends what [`operators_probe`] began. Whether operators are recorded from now on; if not, the trace says so.
pub fn operators_ready() -> bool {
    let ready = operators::ready();
    if let Err(reason) = ready {
        operators::give_up(reason);
    }
    ready.is_ok()
}

/// Has it recorded when an operator is given a tensor that later work has overwritten, by its storage; not any more if its number is
/// 0.
pub fn tell_reads(storage: u64, output: u64) {
    operators::tell_reads(storage, output);
}

/// What the last capture that the calling thread ended has to do with.
pub fn captured_storages() -> Vec<Storage> {
    let mut storages = Vec::new();
    state::with(|recorder| storages = recorder.captured_storages().to_vec());
    storages
}

/// Says that Python is about to end, in the calling thread. No other thread's frames are read when this has returned: the
/// lock that orders records has seen to the last of them.
pub fn python_ends() {
    state::with(recorder::Recorder::python_ends);
}

/// Names the calling thread.
pub fn thread_name(name: &str) {
    state::with(|recorder| recorder.thread_name(name));
}
