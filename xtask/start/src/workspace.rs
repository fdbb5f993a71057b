//! Where things lie.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::{Context, Failure, Result};

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("this crate lies in xtask/start")
}

/// The folder that cargo builds into.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |path| root().join(path))
}

/// The folder that cgsan may keep downloads in: `$XDG_CACHE_HOME/cgsan`, or `~/.cache/cgsan`.
pub fn cache() -> Result<PathBuf> {
    // The XDG base directory specification wants relative paths ignored.
    let given = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    given
        .or_else(|| env::home_dir().map(|home| home.join(".cache")))
        .map(|cache| cache.join("cgsan"))
        .ok_or_else(|| {
            Failure::new("no folder for downloads: neither XDG_CACHE_HOME nor HOME is set; set one")
        })
}

/// Makes a folder empty, or makes an empty one.
pub fn empty(folder: &Path) -> Result<()> {
    let failed = || format!("cannot empty {}", folder.display());
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error).context(failed),
        _ => fs::create_dir_all(folder).context(failed),
    }
}
