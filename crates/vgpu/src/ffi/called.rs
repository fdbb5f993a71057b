//! Which functions tests reach, for docs/coverage.md: in a build for development, `VGPU_CALLED` names a file to which each
//! process adds the names of the functions that it called with success.

#[cfg(debug_assertions)]
mod recorded {
    use std::fs::OpenOptions;
    use std::io::Write as _;
    use std::path::PathBuf;
    use std::sync::{LazyLock, Mutex, PoisonError};

    use cgsan_observe::sealed::is_sealed;
    use rustc_hash::FxHashSet;

    static FILE: LazyLock<Option<PathBuf>> =
        LazyLock::new(|| std::env::var_os("VGPU_CALLED").map(PathBuf::from));

    static NAMES: LazyLock<Mutex<FxHashSet<&'static str>>> = LazyLock::new(Mutex::default);

    /// A function was called with success.
    pub fn note(name: &'static str) {
        // A sealed child can open no file.
        let Some(file) = FILE.as_deref().filter(|_| !is_sealed()) else {
            return;
        };
        let is_new = NAMES
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name);
        if is_new && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(file) {
            // One write for each name, so that those of several processes do not mix. What cannot be written is missing.
            let _ = file.write_all(format!("{name}\n").as_bytes());
        }
    }
}

#[cfg(debug_assertions)]
pub use recorded::note;

/// A function was called with success.
#[cfg(not(debug_assertions))]
#[inline]
pub fn note(_name: &'static str) {}
