//! The profiler's buffers: it gives them, and takes them back with records in them.
#![expect(unsafe_code, reason = "writes into memory of the program")]

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `CUpti_BuffersCallbackRequestFunc`: gives a buffer, its size, and the most records it may hold (0: as many as fit).
pub type Request = unsafe extern "C" fn(*mut *mut u8, *mut usize, *mut usize);

/// `CUpti_BuffersCallbackCompleteFunc`: takes one back; given are a context, a stream, its size and how much is used.
pub type Complete = unsafe extern "C" fn(*mut c_void, u32, *mut u8, usize, usize);

type Callbacks = Option<(Request, Complete)>;

/// The callbacks are never called while this is locked: a profiler may ask for the number of dropped records in them.
struct Buffers {
    callbacks: Callbacks,
    open: Option<Buffer>,
    dropped: usize,
}

/// A buffer that records go to.
struct Buffer {
    start: *mut u8,
    room: usize,
    used: usize,
}

// SAFETY: the memory is the profiler's, which lends it to whoever writes records, until it is given back.
unsafe impl Send for Buffer {}

static BUFFERS: Mutex<Buffers> = Mutex::new(Buffers {
    callbacks: None,
    open: None,
    dropped: 0,
});

/// Whether there are callbacks.
static TAKEN: AtomicBool = AtomicBool::new(false);

fn lock() -> MutexGuard<'static, Buffers> {
    BUFFERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether there is anybody who takes records.
pub fn are_taken() -> bool {
    TAKEN.load(Ordering::Relaxed)
}

/// Registers the functions of the profiler; records for the ones before are given back.
pub fn register(callbacks: Callbacks) {
    flush();
    lock().callbacks = callbacks;
    TAKEN.store(callbacks.is_some(), Ordering::Relaxed);
}

/// Adds a record.
pub fn append(record: &[u8]) {
    if lock().write(record) {
        return;
    }
    flush();
    let callbacks = lock().callbacks;
    let new = request(callbacks);
    let (not_needed, is_written) = {
        let mut buffers = lock();
        let not_needed = buffers.take(new);
        (not_needed, buffers.write(record))
    };
    if let Some(buffer) = not_needed {
        give_back(callbacks, &buffer);
    }
    if !is_written {
        lock().dropped += 1;
    }
}

/// Gives the buffer back with what is in it.
pub fn flush() {
    let (callbacks, open) = {
        let mut buffers = lock();
        (buffers.callbacks, buffers.open.take())
    };
    if let Some(buffer) = open {
        give_back(callbacks, &buffer);
    }
}

/// How many records found no buffer since the last question.
pub fn dropped() -> usize {
    std::mem::take(&mut lock().dropped)
}

impl Buffers {
    /// Writes a record into the buffer that is open, if it fits.
    fn write(&mut self, record: &[u8]) -> bool {
        let fits = |buffer: &&mut Buffer| buffer.room - buffer.used >= record.len();
        let Some(buffer) = self.open.as_mut().filter(fits) else {
            return false;
        };
        // SAFETY: the profiler has given `room` bytes there, and so many are left.
        unsafe {
            let at = buffer.start.add(buffer.used);
            ptr::copy_nonoverlapping(record.as_ptr(), at, record.len());
        }
        buffer.used += record.len();
        true
    }

    /// Opens a buffer, unless another thread was faster. Returns one that is not needed.
    fn take(&mut self, new: Option<Buffer>) -> Option<Buffer> {
        if self.open.is_some() {
            return new;
        }
        self.open = new;
        None
    }
}

fn request(callbacks: Callbacks) -> Option<Buffer> {
    let (request, _) = callbacks?;
    let (mut start, mut room, mut most) = (ptr::null_mut(), 0, 0);
    // SAFETY: the profiler has registered the function for that, and the places outlive the call.
    unsafe { request(&raw mut start, &raw mut room, &raw mut most) };
    (!start.is_null()).then_some(Buffer {
        start,
        room,
        used: 0,
    })
}

fn give_back(callbacks: Callbacks, buffer: &Buffer) {
    let Some((_, complete)) = callbacks else {
        return;
    };
    // SAFETY: as above; the buffer is the one that the profiler gave, and is not written to any more.
    unsafe { complete(ptr::null_mut(), 0, buffer.start, buffer.room, buffer.used) };
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    static LENT: Mutex<[u8; 64]> = Mutex::new([0; 64]);
    static USED: AtomicUsize = AtomicUsize::new(0);

    unsafe extern "C" fn lend(start: *mut *mut u8, room: *mut usize, most: *mut usize) {
        // What a profiler asks in its callbacks.
        assert_eq!(dropped(), 0);
        let mut lent = LENT.lock().expect("nobody panicked");
        // SAFETY: the places are those of the caller.
        unsafe {
            *start = lent.as_mut_ptr();
            *room = lent.len();
            *most = 0;
        }
    }

    unsafe extern "C" fn take_back(_: *mut c_void, _: u32, _: *mut u8, _: usize, used: usize) {
        assert_eq!(dropped(), 0);
        USED.fetch_add(used, Ordering::Relaxed);
    }

    #[test]
    fn callbacks_may_ask_for_dropped_records_and_a_record_that_fits_nowhere_is_one() {
        register(Some((lend, take_back)));
        for _ in 0..3 {
            append(&[1; 24]);
        }
        flush();
        assert_eq!(USED.load(Ordering::Relaxed), 72);
        append(&[1; 65]);
        assert_eq!(dropped(), 1);
        register(None);
        append(&[1; 24]);
        assert_eq!(dropped(), 1);
    }
}
