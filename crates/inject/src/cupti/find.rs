//! Where CUPTI is.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::env;
use std::ffi::{CString, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::loaded::{self, is_called};

/// The names of the library, by the CUDA it belongs to, the newest first.
const NAMES: [&str; 2] = ["libcupti.so.13", "libcupti.so.12"];

/// Where the agent says that PyTorch's wheels may have put it.
static HINTS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Looks in these folders too, from now on.
pub fn look_in(folders: Vec<PathBuf>) {
    // The first to say so is the agent, before CUDA starts.
    let _ = HINTS.set(folders);
}

/// Opens CUPTI: the one that the process has loaded (PyTorch links to it), else that of the folder `CGSAN_CUPTI`, of
/// PyTorch's wheels, of CUDA's own folder, or of the loader's path. `None` if there is none.
pub fn open() -> Option<*mut c_void> {
    let loaded = loaded::files();
    let already = loaded.iter().find(|path| is_called(path, &NAMES));
    if let Some(handle) = already.and_then(|path| load(path)) {
        return Some(handle);
    }
    folders(&loaded, HINTS.get().map_or(&[], Vec::as_slice))
        .iter()
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .filter(|path| path.is_file())
        .chain(NAMES.map(PathBuf::from))
        .find_map(|path| load(&path))
}

/// Whether there is a CUPTI to be found, as far as can be told without loading one: the loader's path has it, too.
pub fn may_be_there() -> bool {
    let loaded = loaded::files();
    let is_file = |folder: &PathBuf| NAMES.iter().any(|name| folder.join(name).is_file());
    loaded.iter().any(|path| is_called(path, &NAMES))
        || folders(&loaded, HINTS.get().map_or(&[], Vec::as_slice))
            .iter()
            .chain(&loader_path())
            .any(is_file)
}

fn loader_path() -> Vec<PathBuf> {
    let path = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    env::split_paths(&path).collect()
}

/// The folders to look in. The wheels of CUDA 13 have one folder for all libraries, those of CUDA 12 one for each.
fn folders(loaded: &[PathBuf], hints: &[PathBuf]) -> Vec<PathBuf> {
    let beside_runtime = loaded
        .iter()
        .filter(|path| is_called(path, &["libcudart.so.13", "libcudart.so.12"]))
        .filter_map(|path| path.parent())
        .flat_map(|folder| [folder.to_owned(), folder.join("../../cuda_cupti/lib")]);
    let of_cuda = ["CUDA_HOME", "CUDA_PATH"]
        .into_iter()
        .filter_map(env::var_os)
        .chain(["/usr/local/cuda".into()])
        .map(PathBuf::from)
        .flat_map(|cuda| [cuda.join("extras/CUPTI/lib64"), cuda.join("lib64")]);
    env::var_os("CGSAN_CUPTI")
        .map(PathBuf::from)
        .into_iter()
        .chain(beside_runtime)
        .chain(hints.iter().cloned())
        .chain(of_cuda)
        .collect()
}

fn load(path: &Path) -> Option<*mut c_void> {
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: the path ends in a zero byte. CUPTI's constructors need nothing of this process.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    (!handle.is_null()).then_some(handle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wheels_of_both_cudas_are_looked_into() {
        let loaded = [
            PathBuf::from("/p/nvidia/cu13/lib/libcudart.so.13"),
            PathBuf::from("/q/nvidia/cuda_runtime/lib/libcudart.so.12"),
        ];
        let folders = folders(&loaded, &[PathBuf::from("/r/nvidia/cu13/lib")]);
        for folder in [
            "/r/nvidia/cu13/lib",
            "/p/nvidia/cu13/lib",
            "/q/nvidia/cuda_runtime/lib/../../cuda_cupti/lib",
        ] {
            assert!(folders.contains(&PathBuf::from(folder)), "{folder}");
        }
    }
}
