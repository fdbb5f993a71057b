//! Forks, as the parent and the child see them.
//!
//! `pthread_atfork` does not tell the parent its child's process id, so the child leaves it in a page that both share;
//! the parent picks it up at its next record.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use memmap2::MmapMut;

/// How many children may be on their way at once; of more, some go unnoticed.
const SLOTS: u32 = 64;

static PAGE: OnceLock<Page> = OnceLock::new();
static NEXT: AtomicU32 = AtomicU32::new(0);
/// The slots whose child is expected, one bit each.
static EXPECTED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static SLOT: Cell<u32> = const { Cell::new(0) };
}

struct Page {
    slots: MmapMut,
    in_child: fn(),
}

impl Page {
    fn slot(&self, index: u32) -> &AtomicU32 {
        let offset = (index % SLOTS) as usize * size_of::<AtomicU32>();
        let slot = self.slots[offset..].as_ptr().cast_mut();
        // SAFETY: the page is mapped for as long as the process lives, is aligned, and is reached through these atomics
        // alone, by this process and its children.
        unsafe { AtomicU32::from_ptr(slot.cast()) }
    }
}

/// Calls `in_child` in every child that this process forks from now on, before anything else runs there.
pub fn watch(in_child: fn()) {
    let length = SLOTS as usize * size_of::<AtomicU32>();
    let Ok(slots) = memmap2::MmapOptions::new().len(length).map_anon() else {
        return;
    };
    if PAGE.set(Page { slots, in_child }).is_ok() {
        // SAFETY: the handlers are functions of a library that is never unloaded, and panic nowhere.
        unsafe { libc::pthread_atfork(Some(prepare), Some(in_parent), Some(in_child_handler)) };
    }
}

/// Hands out the process ids of the children that have begun since the last time.
pub fn children(mut child: impl FnMut(u32)) {
    let mut expected = EXPECTED.load(Ordering::Relaxed);
    if expected == 0 {
        return;
    }
    let Some(page) = PAGE.get() else { return };
    while expected != 0 {
        let index = expected.trailing_zeros();
        expected &= expected - 1;
        let pid = page.slot(index).swap(0, Ordering::Relaxed);
        if pid != 0 {
            EXPECTED.fetch_and(!(1 << index), Ordering::Relaxed);
            child(pid);
        }
    }
}

extern "C" fn prepare() {
    let index = NEXT.fetch_add(1, Ordering::Relaxed) % SLOTS;
    SLOT.set(index);
    if let Some(page) = PAGE.get() {
        page.slot(index).store(0, Ordering::Relaxed);
    }
}

extern "C" fn in_parent() {
    EXPECTED.fetch_or(1 << SLOT.get(), Ordering::Relaxed);
}

extern "C" fn in_child_handler() {
    let Some(page) = PAGE.get() else { return };
    // SAFETY: getpid has no precondition.
    let pid = unsafe { libc::getpid() }.cast_unsigned();
    page.slot(SLOT.get()).store(pid, Ordering::Relaxed);
    EXPECTED.store(0, Ordering::Relaxed);
    (page.in_child)();
}
