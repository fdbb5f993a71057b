//! The files that are loaded into the process.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::ffi::{CString, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

pub use cgsan_observe::loaded_files as files;

/// A handle of a loaded file.
pub fn handle(path: &Path) -> Option<*mut c_void> {
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: the path ends in a zero byte, and nothing is loaded.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) };
    (!handle.is_null()).then_some(handle)
}

/// Whether a file has one of these names.
pub fn is_called(path: &Path, names: &[&str]) -> bool {
    path.file_name()
        .is_some_and(|name| names.iter().any(|it| name == *it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaded_files_have_their_paths() {
        let files = files();
        let libc = files.iter().find(|path| is_called(path, &["libc.so.6"]));
        assert!(libc.is_some_and(|path| handle(path).is_some()));
        assert!(handle(Path::new("/nowhere/libnothing.so")).is_none());
    }
}
