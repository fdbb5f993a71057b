//! Which address in an allocation a thread asked about: a handle of CUDA IPC is for the whole allocation, so who shares a part of it
//! asks first where it begins.

use std::cell::Cell;

thread_local! {
    /// Where an allocation begins, and the address in it that the thread asked about last.
    static LAST: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// The calling thread asks where the allocation begins that holds an address.
pub fn asked(start: u64, address: u64) {
    LAST.set((start, address));
}

/// The address in the allocation that begins at `start` that the calling thread means: the one it asked about, or the first.
pub fn meant(start: u64) -> u64 {
    let (asked, address) = LAST.get();
    if asked == start { address } else { start }
}
