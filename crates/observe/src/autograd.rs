//! Autograd's sequence numbers, which tie a launch to the node that the same operator made.
#![expect(unsafe_code, reason = "calls a function of PyTorch's")]

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use crate::{loader, modules};

type Peek = extern "C" fn() -> u64;

const LIBRARY: &str = "libtorch_cpu.so";

static PEEK: AtomicPtr<()> = AtomicPtr::new(ptr::null_mut());
/// How many files had been loaded when the library was last not among them.
static NOT_AMONG: AtomicU64 = AtomicU64::new(0);

/// The sequence number that the calling thread's next autograd node will get (`at::sequence_number::peek`); `None` while
/// PyTorch is not loaded.
#[inline]
pub fn peek() -> Option<u64> {
    let function = match PEEK.load(Ordering::Relaxed) {
        function if function.is_null() => find()?,
        function => function,
    };
    // SAFETY: the symbol is that of `uint64_t at::sequence_number::peek()`, which reads a thread-local number. The library
    // is relocated and never unloaded.
    let peek = unsafe { std::mem::transmute::<*mut (), Peek>(function) };
    Some(peek())
}

#[cold]
fn find() -> Option<*mut ()> {
    let loads = loader::loads();
    if NOT_AMONG.load(Ordering::Relaxed) == loads {
        return None;
    }
    let Some(address) = modules::symbol(LIBRARY, c"_ZN2at15sequence_number4peekEv") else {
        NOT_AMONG.store(loads, Ordering::Relaxed);
        return None;
    };
    if !modules::is_relocated(LIBRARY) {
        // Another thread is importing PyTorch at this moment.
        return None;
    }
    PEEK.store(address as *mut (), Ordering::Relaxed);
    Some(address as *mut ())
}
