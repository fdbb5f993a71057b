//! The driver's tables without documentation.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::collections::BTreeSet;
use std::ffi::{c_int, c_void};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use cgsan_model::Code;

use crate::embedded;
use crate::ffi::guard;

/// The files that have asked.
static ASKED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Refuses a table, and says which file asked for it: one with a CUDA runtime in it that the virtual GPU could not stand in
/// for. NVIDIA documents neither this function nor a table. What is known of them is known from taking the driver apart: that
/// the runtime wants several, and one that proves by a keyed hash that the driver is NVIDIA's
/// (<https://github.com/vosen/ZLUDA/blob/master/dark_api/src/lib.rs>, `INTEGRITY_CHECK`). The virtual GPU does not claim that.
#[unsafe(no_mangle)]
extern "C" fn cuGetExportTable(_table: *mut *const c_void, id: *const [u8; 16]) -> c_int {
    guard(Code::UNKNOWN.0, || {
        // SAFETY: null, or the caller's number of a table, of 16 bytes.
        let id = unsafe { id.as_ref() }.copied().unwrap_or_default();
        let file = cgsan_observe::calling_file().unwrap_or_else(|| "a file".to_owned());
        let is_new = ASKED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(file.clone());
        if is_new && !embedded::is_explained(Path::new(&file)) {
            cgsan_observe::note(&format!(
                "{file} has a CUDA runtime of its own that asks the driver for functions without documentation (table {}), \
                 which the virtual GPU does not have: its calls to CUDA fail with \"not supported\". Link it to the shared \
                 runtime (`nvcc --cudart shared`), or leave it its symbol table, by which the virtual GPU can stand in for the \
                 runtime",
                hexadecimal(&id)
            ));
        }
        Code::NOT_SUPPORTED.0
    })
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
