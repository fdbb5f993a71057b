//! Work: what a stream runs now, and a graph at each launch.
#![expect(unsafe_code, reason = "calls functions of the program")]

use std::ffi::{c_int, c_void};
use std::fmt;
use std::sync::Arc;

use cgsan_trace::waits::HOST_FUNCTION;

use super::computation::Computation;
use super::handle::StreamHandle;
use crate::event::events;
use crate::graph::Program;
use crate::memory::{Fill, GraphMemory, Staged, Transfer, pool};

/// What a piece of work does when it runs.
#[derive(Clone, Debug)]
pub enum Work {
    /// Nothing that can be seen: a kernel, which does not compute, or an empty node.
    Nothing,
    /// Moves bytes.
    Copy(Transfer),
    /// Fills bytes.
    Fill(Fill),
    /// Moves bytes that were taken from the host before.
    Staged(Arc<Staged>),
    /// Calls a function of the program.
    Host(HostFunction),
    /// Calls what computes the values of kernels.
    Values(Computation),
    /// Takes memory that a graph allocates into use.
    Allocate(Arc<GraphMemory>),
    /// Gives stream-ordered memory back.
    Free(u64),
    /// Runs an event's record, for `cudaEventElapsedTime`.
    RecordEvent(u64),
    /// Waits for the record of an event that was enqueued last when this was: a node that waits for an event of outside its graph.
    AwaitEvent(u64),
    /// Runs a graph inside a graph.
    Graph(Arc<Program>),
    /// Moves bytes between ranks, at the pace of the slowest.
    Exchange(Arc<dyn Exchange>),
    /// Chooses among graphs by a value that a kernel computes, which is not done here: none of them runs.
    Conditional(Arc<[u64]>),
}

/// Work that other ranks take part in: a collective, or several that NCCL does as one.
pub trait Exchange: fmt::Debug + Send + Sync {
    /// Takes its turn among the collectives of its ranks.
    fn begin(&self) -> Box<dyn Progress>;
}

/// A collective that takes place.
pub trait Progress: fmt::Debug + Send {
    /// Does what can be done without waiting; whether that is all.
    fn advance(&mut self) -> bool;
}

/// A function of the program, and what it is given (`cudaHostFn_t`).
#[derive(Clone, Copy, Debug)]
pub struct HostFunction {
    function: HostCode,
    data: *mut c_void,
}

/// `cudaHostFn_t`.
pub type HostCode = unsafe extern "C-unwind" fn(*mut c_void);

/// A function of the older kind (`cudaStreamCallback_t`): it is given the stream, a code and its data.
pub type StreamCallback = unsafe extern "C-unwind" fn(StreamHandle, c_int, *mut c_void);

impl HostFunction {
    /// A function that a C caller passed.
    ///
    /// # Safety
    ///
    /// The function may be called with `data`, from any thread, until the program has taken it back.
    pub unsafe fn new(function: HostCode, data: *mut c_void) -> HostFunction {
        HostFunction { function, data }
    }

    /// A function whose address a C caller passed in a structure; `None` if that is null.
    ///
    /// # Safety
    ///
    /// As for [`new`](HostFunction::new).
    pub unsafe fn at(address: *const c_void, data: *mut c_void) -> Option<HostFunction> {
        // SAFETY: null is `None`, and by the contract of this function everything else is such a function.
        let function = unsafe { std::mem::transmute::<*const c_void, Option<HostCode>>(address) };
        function.map(|function| HostFunction { function, data })
    }

    /// Where the function is, by which the trace names it.
    pub fn address(self) -> u64 {
        self.function as usize as u64
    }

    /// What it is given.
    pub fn data(self) -> *mut c_void {
        self.data
    }

    /// Calls it.
    pub fn call(self) {
        // SAFETY: by the contract of `new`.
        unsafe { (self.function)(self.data) }
    }
}

// SAFETY: the pointer is only handed back to the program's own function, which the API documents to be called from any
// thread.
unsafe impl Send for HostFunction {}
// SAFETY: as above; nothing here follows the pointer.
unsafe impl Sync for HostFunction {}

impl Work {
    /// Whether it is, or contains, a collective.
    pub fn has_exchanges(&self) -> bool {
        match self {
            Work::Exchange(_) => true,
            Work::Graph(program) => program.has_exchanges(),
            _ => false,
        }
    }

    /// Does it. A collective has its own way of being done: see [`Exchange`].
    pub fn run(&self) {
        match self {
            Work::Nothing | Work::Conditional(_) | Work::Exchange(_) | Work::AwaitEvent(_) => {}
            Work::Copy(transfer) => transfer.run(),
            Work::Fill(fill) => fill.run(),
            Work::Staged(staged) => staged.run(),
            Work::Host(host) => {
                let _waiting = cgsan_observe::waiting(HOST_FUNCTION);
                host.call();
            }
            Work::Values(computation) => computation.run(),
            Work::Allocate(memory) => memory.take(),
            Work::Free(address) => pool::run_free(*address),
            Work::RecordEvent(event) => events().happened(*event),
            Work::Graph(program) => program.run(),
        }
    }
}
