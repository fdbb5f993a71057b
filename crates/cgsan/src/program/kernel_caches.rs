//! Where compilers of kernels keep what they made for the virtual GPU.
//!
//! Triton, Inductor, PyTorch's jiterator, CuPy and numba keep binaries, and choices that they made by timing, in the
//! user's folders and trust them in later runs. What was compiled or timed on the virtual GPU must not reach a real one, nor
//! the other way round.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::program::run_directory::RunDirectory;

/// The variables that name these folders.
///
/// Sources: `torch/_inductor/runtime/cache_dir_utils.py` and `aten/src/ATen/native/cuda/jit_utils.cpp` of PyTorch 2.11,
/// `triton/knobs.py` of Triton 3.6, `cupy/cuda/compiler.py` of CuPy 13, `numba/core/config.py` of numba 0.62.
const VARIABLES: &[&str] = &[
    "CUPY_CACHE_DIR",
    "NUMBA_CACHE_DIR",
    "PYTORCH_KERNEL_CACHE_PATH",
    "TORCHINDUCTOR_CACHE_DIR",
    "TRITON_CACHE_DIR",
];

/// The folder in each of the program's own folders, and among cgsan's.
const NAME: &str = "cgsan-virtual-gpu";

/// The variables with folders for the virtual GPU alone: below those that the program was given, or else in the user's
/// cache folder, or in the folder of the run if there is no home.
pub fn for_virtual_gpu(directory: &RunDirectory) -> Vec<(&'static str, OsString)> {
    VARIABLES
        .iter()
        .map(|variable| {
            let given = env::var_os(variable).filter(|folder| !folder.is_empty());
            let folder = match given.map(PathBuf::from) {
                Some(folder) if folder.ends_with(NAME) => folder,
                Some(folder) => folder.join(NAME),
                None => user_cache()
                    .unwrap_or_else(|| directory.path().join("caches"))
                    .join(NAME)
                    .join(variable.to_lowercase()),
            };
            // The jiterator makes the last folder of a path and no more. Where this fails, the program sees why when it
            // writes there.
            let _ = cgsan_files::private_folder(&folder);
            (*variable, folder.into_os_string())
        })
        .collect()
}

/// The user's cache folder (XDG Base Directory Specification 0.8), if there is a home. Not one among temporary files: anybody can
/// make that first, and what lies in it is loaded as code.
fn user_cache() -> Option<PathBuf> {
    let absolute = |variable| {
        env::var_os(variable)
            .map(PathBuf::from)
            .filter(|folder| folder.is_absolute())
    };
    absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
}
