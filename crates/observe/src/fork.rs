//! Forks, as the parent and the child see them.
//!
//! `pthread_atfork` does not tell the parent its child's process id, so the child leaves it in a page that both share;
//! the parent picks it up at its next record.
#![expect(unsafe_code, reason = "registers handlers with the C library")]

use std::cell::Cell;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::loader;

/// How many children may be on their way at once; of more, some go unnoticed.
const SLOTS: usize = 64;

static SHARED: OnceLock<Shared> = OnceLock::new();
static NEXT: AtomicU32 = AtomicU32::new(0);
/// The slots whose child is expected, one bit each.
static EXPECTED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static SLOT: Cell<usize> = const { Cell::new(0) };
}

struct Shared {
    /// The process ids that children left, 0 where there is none.
    children: &'static [AtomicU32; SLOTS],
    in_child: fn(),
}

/// Calls `in_child` in every child that this process forks from now on, before anything else runs there.
pub fn watch(in_child: fn()) {
    let Some(children) = shared_numbers() else {
        return;
    };
    if SHARED.set(Shared { children, in_child }).is_ok() {
        loader::prepare();
        // SAFETY: the handlers are functions of a library that is never unloaded, and panic nowhere.
        unsafe { libc::pthread_atfork(Some(prepare), Some(in_parent), Some(in_child_handler)) };
    }
}

/// Zeros that this process and its children have in common.
fn shared_numbers() -> Option<&'static [AtomicU32; SLOTS]> {
    // SAFETY: the kernel chooses where; nothing is replaced.
    let page = unsafe {
        libc::mmap(
            ptr::null_mut(),
            size_of::<[AtomicU32; SLOTS]>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    // SAFETY: the map is as long as the array, aligned to a page, full of zeros, and is never unmapped.
    (page != libc::MAP_FAILED).then(|| unsafe { &*page.cast() })
}

/// Hands out the process ids of the children that have begun since the last time.
pub fn children(mut child: impl FnMut(u32)) {
    let expected = EXPECTED.load(Ordering::Relaxed);
    if expected == 0 {
        return;
    }
    let Some(shared) = SHARED.get() else { return };
    for (index, slot) in shared.children.iter().enumerate() {
        if expected & (1 << index) == 0 {
            continue;
        }
        let pid = slot.swap(0, Ordering::Relaxed);
        if pid != 0 {
            EXPECTED.fetch_and(!(1 << index), Ordering::Relaxed);
            child(pid);
        }
    }
}

extern "C" fn prepare() {
    let Some(shared) = SHARED.get() else { return };
    let index = NEXT.fetch_add(1, Ordering::Relaxed) as usize % SLOTS;
    shared.children[index].store(0, Ordering::Relaxed);
    SLOT.set(index);
    loader::before_fork();
}

extern "C" fn in_parent() {
    loader::after_fork();
    EXPECTED.fetch_or(1 << SLOT.get(), Ordering::Relaxed);
}

extern "C" fn in_child_handler() {
    let Some(shared) = SHARED.get() else { return };
    // SAFETY: getpid has no precondition.
    let pid = unsafe { libc::getpid() }.cast_unsigned();
    shared.children[SLOT.get()].store(pid, Ordering::Relaxed);
    EXPECTED.store(0, Ordering::Relaxed);
    loader::in_child();
    (shared.in_child)();
}
