//! Where the libraries are that are loaded into the program.

use std::env;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::gpu::Gpu;
use crate::program;

/// The library: what `CGSAN_LIBRARY` names, else beside this program (as in cargo's target folder), else in
/// `../lib/cgsan` from there (as installed). A cgsan around this one has set the variable for its own GPU.
pub fn find(gpu: Gpu) -> Result<PathBuf, Error> {
    let candidates = match env::var_os("CGSAN_LIBRARY") {
        Some(path) if !path.is_empty() && !program::is_nested() => vec![PathBuf::from(path)],
        _ => env::current_exe()
            .map(|program| beside(&program, gpu.library()))
            .unwrap_or_default(),
    };
    candidates
        .iter()
        .find(|path| path.is_file())
        .and_then(|path| path.canonicalize().ok())
        .ok_or(Error::LibraryMissing { looked: candidates })
}

fn beside(program: &Path, file: &str) -> Vec<PathBuf> {
    let folder = program.parent().unwrap_or(Path::new("."));
    vec![folder.join(file), folder.join("../lib/cgsan").join(file)]
}
