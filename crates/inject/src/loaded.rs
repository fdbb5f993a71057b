//! The files that are loaded into the process.

use std::ffi::{CStr, CString, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Their paths, as the loader has them.
pub fn files() -> Vec<PathBuf> {
    extern "C" fn note(info: *mut libc::dl_phdr_info, _size: usize, files: *mut c_void) -> c_int {
        // SAFETY: the loader passes a description that holds during the call, and the vector that it was given below.
        let (info, files) = unsafe { (&*info, &mut *files.cast::<Vec<PathBuf>>()) };
        if !info.dlpi_name.is_null() {
            // SAFETY: the loader's names end in a zero byte.
            let name = unsafe { CStr::from_ptr(info.dlpi_name) };
            files.push(PathBuf::from(OsStr::from_bytes(name.to_bytes())));
        }
        0
    }
    let mut files: Vec<PathBuf> = Vec::new();
    // SAFETY: `note` gets the vector while this function waits, and does not unwind.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut files).cast()) };
    files
}

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
