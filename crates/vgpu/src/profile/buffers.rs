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

#[derive(Default)]
struct Buffers {
    callbacks: Option<(Request, Complete)>,
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
pub fn register(callbacks: Option<(Request, Complete)>) {
    let mut buffers = lock();
    buffers.give_back();
    buffers.callbacks = callbacks;
    TAKEN.store(callbacks.is_some(), Ordering::Relaxed);
}

/// Adds a record.
pub fn append(record: &[u8]) {
    lock().append(record);
}

/// Gives the buffer back with what is in it.
pub fn flush() {
    lock().give_back();
}

/// How many records found no buffer since the last question.
pub fn dropped() -> usize {
    std::mem::take(&mut lock().dropped)
}

impl Buffers {
    fn append(&mut self, record: &[u8]) {
        let fits = |buffer: &Buffer| buffer.room - buffer.used >= record.len();
        if !self.open.as_ref().is_some_and(fits) {
            self.give_back();
            self.open = self.request().filter(|buffer| buffer.room >= record.len());
        }
        let Some(buffer) = &mut self.open else {
            self.dropped += 1;
            return;
        };
        // SAFETY: the profiler has given `room` bytes there, and so many are left.
        unsafe {
            let at = buffer.start.add(buffer.used);
            ptr::copy_nonoverlapping(record.as_ptr(), at, record.len());
        }
        buffer.used += record.len();
    }

    fn request(&self) -> Option<Buffer> {
        let (request, _) = self.callbacks?;
        let (mut start, mut room, mut most) = (ptr::null_mut(), 0, 0);
        // SAFETY: the profiler has registered the function for that, and the places outlive the call.
        unsafe { request(&raw mut start, &raw mut room, &raw mut most) };
        (!start.is_null()).then_some(Buffer {
            start,
            room,
            used: 0,
        })
    }

    fn give_back(&mut self) {
        if let (Some(buffer), Some((_, complete))) = (self.open.take(), self.callbacks) {
            let Buffer { start, room, used } = buffer;
            // SAFETY: as above; the buffer is the one that the profiler gave, and is not written to any more.
            unsafe { complete(ptr::null_mut(), 0, start, room, used) };
        }
    }
}
