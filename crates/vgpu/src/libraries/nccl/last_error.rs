//! The text of NCCL's last error, for `ncclGetLastError`.
#![expect(unsafe_code, reason = "exports functions of C")]

use crate::ffi::called;
use std::ffi::c_char;
use std::sync::atomic::{AtomicU8, Ordering};

/// How much of a text is kept, with the null byte that ends it.
const ROOM: usize = 1024;

/// The text. Its address is handed out once and for all; a reader that races with a writer reads a mixture, as with
/// NCCL's own buffer, but always finds the null byte at the end.
static TEXT: [AtomicU8; ROOM] = [const { AtomicU8::new(0) }; ROOM];

/// Remembers a text.
pub fn set(text: &str) {
    let kept = &TEXT[..ROOM - 1];
    let bytes = text.bytes().chain(std::iter::repeat(0));
    for (cell, byte) in kept.iter().zip(bytes) {
        cell.store(byte, Ordering::Relaxed);
    }
}

/// The text of the last error, empty if there was none.
#[unsafe(no_mangle)]
extern "C" fn ncclGetLastError(_communicator: usize) -> *const c_char {
    called::note("ncclGetLastError");
    TEXT.as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn a_text_is_kept_and_cut_to_the_room_there_is() {
        let kept = || {
            // SAFETY: the last byte of the buffer is never written, so the text ends.
            unsafe { CStr::from_ptr(ncclGetLastError(0)) }.to_bytes()
        };
        set(&"long".repeat(ROOM));
        assert_eq!(kept().len(), ROOM - 1);
        set("short");
        assert_eq!(kept(), b"short");
    }
}
