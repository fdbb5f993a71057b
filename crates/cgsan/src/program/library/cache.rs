//! The file of a library that lies inside the command: in the user's cache, or else in the folder of the run.

use std::env;
use std::path::{Path, PathBuf};

use cgsan_files::PrivateFolder;

use super::bundled::Bundled;
use crate::output::error::Error;
use crate::program::run_directory::{self, RunDirectory};

/// The variable that names another folder for the cache.
const ASKED: &str = "CGSAN_CACHE_DIR";

/// A file with exactly the library's content, which only this user can change.
///
/// # Errors
///
/// If `CGSAN_CACHE_DIR` names a folder that cannot be used, or if the folder of the run takes no file.
pub fn file_of(library: &Bundled, directory: &RunDirectory) -> Result<PathBuf, Error> {
    let asked = env::var_os(ASKED).filter(|folder| !folder.is_empty());
    if let Some(folder) = asked.map(PathBuf::from) {
        return keep(&folder, library).map_err(|reason| Error::Cache { folder, reason });
    }
    match usual().map(|folder| keep(&folder, library)) {
        Some(Ok(file)) => Ok(file),
        _ => directory.add(library.file, library.content),
    }
}

/// `$XDG_CACHE_HOME/cgsan/libraries`, or the same in `~/.cache`.
fn usual() -> Option<PathBuf> {
    // The XDG base directory specification wants relative paths ignored.
    let given = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    given
        .or_else(|| env::home_dir().map(|home| home.join(".cache")))
        .filter(|path| path.is_absolute())
        .map(|cache| cache.join("cgsan/libraries"))
}

fn keep(cache: &Path, library: &Bundled) -> Result<PathBuf, String> {
    let folder =
        PrivateFolder::open(&cache.join(library.hash)).map_err(|reason| reason.to_string())?;
    if let Some(reason) = run_directory::reason_against_libraries(folder.path()) {
        return Err(reason);
    }
    folder
        .keep(library.file, library.content)
        .map_err(|reason| reason.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    const LIBRARY: Bundled = Bundled {
        file: "libcgsan_test.so",
        hash: "0123456789abcdef",
        content: b"a library",
    };

    #[test]
    fn what_is_kept_is_exactly_what_the_command_holds() {
        let cache = tempfile::tempdir().expect("a folder");
        let file = keep(cache.path(), &LIBRARY).expect("it is kept");
        assert!(file.ends_with("0123456789abcdef/libcgsan_test.so"));
        for other in [&b"another lib"[..], b"b library", b""] {
            fs::write(&file, other).expect("it is ours");
            assert_eq!(keep(cache.path(), &LIBRARY), Ok(file.clone()));
            assert_eq!(fs::read(&file).expect("a file"), LIBRARY.content);
        }
        let before = fs::metadata(&file).expect("a file").modified().ok();
        keep(cache.path(), &LIBRARY).expect("it is kept");
        let after = fs::metadata(&file).expect("a file").modified().ok();
        assert_eq!(before, after, "what is right is not written again");
    }

    #[test]
    fn a_link_is_replaced_and_what_it_leads_to_stays() {
        let cache = tempfile::tempdir().expect("a folder");
        let elsewhere = cache.path().join("elsewhere");
        fs::write(&elsewhere, LIBRARY.content).expect("a file");
        let file = keep(cache.path(), &LIBRARY).expect("it is kept");
        fs::remove_file(&file).expect("it is ours");
        symlink(&elsewhere, &file).expect("a link");
        keep(cache.path(), &LIBRARY).expect("it is kept");
        assert!(!file.is_symlink() && elsewhere.exists());
    }

    #[test]
    fn a_cache_that_others_can_change_is_refused() {
        let cache = tempfile::tempdir().expect("a folder");
        let folder = cache.path().join("shared");
        fs::create_dir(&folder).expect("a folder");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).expect("it is ours");
        let refused = keep(&folder, &LIBRARY).expect_err("others may write there");
        assert!(refused.contains("other users can change"), "{refused}");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
    }
}
