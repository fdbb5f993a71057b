//! Where the virtual GPU's library is.

use std::env;
use std::path::{Path, PathBuf};

use crate::error::Error;

const FILE: &str = "libcgsan_vgpu.so";

/// The library: what `CGSAN_LIBRARY` names, else beside this program (as in cargo's target folder), else in
/// `../lib/cgsan` from there (as installed).
pub fn find() -> Result<PathBuf, Error> {
    let candidates = match env::var_os("CGSAN_LIBRARY") {
        Some(path) if !path.is_empty() => vec![PathBuf::from(path)],
        _ => env::current_exe()
            .map(|program| beside(&program))
            .unwrap_or_default(),
    };
    candidates
        .iter()
        .find(|path| path.is_file())
        .and_then(|path| path.canonicalize().ok())
        .ok_or(Error::LibraryMissing { looked: candidates })
}

fn beside(program: &Path) -> Vec<PathBuf> {
    let folder = program.parent().unwrap_or(Path::new("."));
    vec![folder.join(FILE), folder.join("../lib/cgsan").join(FILE)]
}
