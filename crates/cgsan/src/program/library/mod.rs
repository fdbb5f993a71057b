//! Where the libraries are that are loaded into the program.

mod bundled;
mod cache;

use std::env;
use std::path::{Path, PathBuf};

use crate::output::error::Error;
use crate::program::gpu::Gpu;
use crate::program::run_directory::RunDirectory;
use crate::program::start;

/// The library for a run: what `CGSAN_LIBRARY` names; else the one inside this command; else beside it (as in cargo's target
/// folder), or in `../lib/cgsan` from there. A cgsan around this one has set the variable for its own GPU.
///
/// # Errors
///
/// If there is none for this kind of machine, if it is nowhere, or if no file of it can be had that only this user can change.
pub fn find(gpu: Gpu, directory: &RunDirectory) -> Result<PathBuf, Error> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(Error::Platform);
    }
    match (env::var_os("CGSAN_LIBRARY"), bundled::of(gpu)) {
        (Some(path), _) if !path.is_empty() && !start::is_nested() => {
            existing(vec![PathBuf::from(path)])
        }
        (_, Some(library)) => cache::file_of(&library, directory),
        (_, None) => existing(
            own_program()
                .map(|program| beside(&program, gpu.library()))
                .unwrap_or_default(),
        ),
    }
}

/// The file of this command; without `/proc`, as it was called.
fn own_program() -> Option<PathBuf> {
    let called = || start::found(&env::args_os().next()?);
    env::current_exe().ok().or_else(called)
}

fn existing(candidates: Vec<PathBuf>) -> Result<PathBuf, Error> {
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
