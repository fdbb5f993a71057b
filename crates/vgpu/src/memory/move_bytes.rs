//! Moving bytes, with several threads where there are many.
#![expect(unsafe_code, reason = "reads and writes the memory of the program")]

use std::thread;

use cgsan_observe::sealed::is_sealed;
use cgsan_trace::waits;

use super::backing::{PAGE, length, pointer};

/// From so many bytes on, several threads move them: most of the time goes into the pages that the host gives out meanwhile.
const MANY: u64 = 32 << 20;

/// More threads than this do not make memory faster.
const MOST_THREADS: u64 = 8;

/// Moves `bytes` from one address to another; the ranges may overlap.
///
/// # Safety
///
/// The ranges can be read and written, and nobody else uses them meanwhile.
pub unsafe fn move_bytes(to: u64, from: u64, bytes: u64) {
    // A sealed child can start no thread.
    if bytes < MANY || to.abs_diff(from) < bytes || is_sealed() {
        // SAFETY: by the contract of this function; `copy` allows the ranges to overlap.
        unsafe { std::ptr::copy(pointer::<u8>(from).cast_const(), pointer(to), length(bytes)) };
        return;
    }
    // On a busy machine it takes its time, and the thread that waits for it does not stand still.
    let _moves = cgsan_observe::waiting(waits::COMPUTES);
    let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let share = bytes
        .div_ceil(threads.min(MOST_THREADS))
        .next_multiple_of(PAGE);
    let move_share = |start: u64| {
        let bytes = share.min(bytes - start);
        // SAFETY: a part of the ranges, which do not overlap, that no other share touches.
        unsafe { move_bytes_alone(to + start, from + start, bytes) };
    };
    thread::scope(|scope| {
        let shares = (0..bytes).step_by(length(share));
        for start in shares {
            let in_thread = move || move_share(start);
            let is_last = start + share >= bytes;
            // Where no thread can be had, and for the last share, this one does it.
            let in_another = || {
                let thread = thread::Builder::new().name("cgsan-copy".to_owned());
                cgsan_observe::without_signals(|| thread.spawn_scoped(scope, in_thread)).is_ok()
            };
            if is_last || !in_another() {
                move_share(start);
            }
        }
    });
}

/// # Safety
///
/// As for [`move_bytes`], of ranges that do not overlap.
unsafe fn move_bytes_alone(to: u64, from: u64, bytes: u64) {
    let (from, to) = (pointer::<u8>(from).cast_const(), pointer::<u8>(to));
    // SAFETY: by the contract of this function.
    unsafe { std::ptr::copy_nonoverlapping(from, to, length(bytes)) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::backing::Mapping;

    fn bytes(mapping: &Mapping) -> &'static mut [u8] {
        // SAFETY: the mapping is readable and writable, and the test keeps it.
        unsafe { std::slice::from_raw_parts_mut(pointer(mapping.start()), length(mapping.bytes())) }
    }

    #[test]
    fn every_share_arrives() {
        let size = MANY + 3 * PAGE + 5;
        let (from, to) = (Mapping::new(size).unwrap(), Mapping::new(size).unwrap());
        for (index, byte) in bytes(&from).iter_mut().enumerate() {
            *byte = u8::try_from(index / 1000 % 251).unwrap();
        }
        // SAFETY: both are the test's own.
        unsafe { move_bytes(to.start(), from.start(), size) };
        assert!(bytes(&from) == bytes(&to));
        // SAFETY: as above.
        unsafe { move_bytes(from.start() + PAGE, from.start(), size - PAGE) };
        assert!(bytes(&from)[length(PAGE)..] == bytes(&to)[..length(size - PAGE)]);
    }
}
