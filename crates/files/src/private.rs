//! Folders that only their user can change, for files that are loaded as code.

use std::fmt;
use std::fs::{self, DirBuilder, Metadata};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use crate::output;

/// Permission of others, or of a group, to write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// In a folder with this bit, only the owner of a file may rename or remove it.
const STICKY: u32 = 0o1000;

/// A folder that nobody but this user and root can change, like every folder above it.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
}

/// Why a folder is not private, or cannot be had.
#[derive(Debug)]
#[non_exhaustive]
pub enum Exposed {
    /// The operating system would not let it.
    Io(PathBuf, io::Error),
    /// This one is not a folder.
    NotAFolder(PathBuf),
    /// This one belongs to another user, who can change what is below.
    Foreign(PathBuf),
    /// Other users may write into this one.
    Writable(PathBuf),
}

impl fmt::Display for Exposed {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, reason) => write!(to, "{}: {reason}", path.display()),
            Self::NotAFolder(path) => write!(to, "{} is not a folder", path.display()),
            Self::Foreign(path) => write!(to, "{} belongs to another user", path.display()),
            Self::Writable(path) => write!(to, "other users can change {}", path.display()),
        }
    }
}

impl std::error::Error for Exposed {}

impl PrivateFolder {
    /// The folder at `path`. What is missing of the path is made, for this user alone.
    ///
    /// # Errors
    ///
    /// If somebody else can change it, or what is above it; then nothing is made.
    pub fn open(path: &Path) -> Result<Self, Exposed> {
        let failed = |reason| Exposed::Io(path.to_owned(), reason);
        let path = std::path::absolute(path).map_err(failed)?;
        let there = path
            .ancestors()
            .find(|folder| fs::symlink_metadata(folder).is_ok())
            .unwrap_or(Path::new("/"));
        check_all(&there.canonicalize().map_err(failed)?)?;
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&path)
            .map_err(failed)?;
        // Without links, so that what was checked is what is used.
        let path = path.canonicalize().map_err(failed)?;
        check_all(&path)?;
        Ok(Self { path })
    }

    /// Where it is, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in it that has exactly this content. A file with another one, or of another user, is replaced.
    ///
    /// # Errors
    ///
    /// If it cannot be written. Then it is what it was before.
    pub fn keep(&self, name: &str, content: &[u8]) -> io::Result<PathBuf> {
        let path = self.path.join(name);
        if !holds(&path, content) {
            output::sweep(&self.path);
            let mut draft = output::draft(&self.path, 0o600)?;
            draft.write_all(content)?;
            draft.persist(&path)?;
        }
        Ok(path)
    }
}

/// Checks a folder without links in its name, and every folder above it.
fn check_all(path: &Path) -> Result<(), Exposed> {
    path.ancestors().try_for_each(check)
}

fn check(folder: &Path) -> Result<(), Exposed> {
    let path = || folder.to_owned();
    let about = fs::symlink_metadata(folder).map_err(|reason| Exposed::Io(path(), reason))?;
    if !about.is_dir() {
        return Err(Exposed::NotAFolder(path()));
    }
    if !is_ours(&about) && about.uid() != 0 {
        return Err(Exposed::Foreign(path()));
    }
    if about.mode() & WRITABLE_BY_OTHERS != 0 && about.mode() & STICKY == 0 {
        return Err(Exposed::Writable(path()));
    }
    Ok(())
}

fn is_ours(about: &Metadata) -> bool {
    about.uid() == rustix::process::geteuid().as_raw()
}

fn holds(path: &Path, content: &[u8]) -> bool {
    let is_candidate = fs::symlink_metadata(path).is_ok_and(|about| {
        about.is_file()
            && is_ours(&about)
            && about.mode() & WRITABLE_BY_OTHERS == 0
            && about.len() == content.len() as u64
    });
    is_candidate && crate::read(path, content.len() as u64).is_ok_and(|bytes| bytes == content)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

    use super::*;

    fn permit(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    }

    #[test]
    fn what_is_made_is_for_this_user_alone() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = PrivateFolder::open(&parent.path().join("a/b")).expect("a folder");
        let file = folder.keep("file", b"text").expect("a file");
        for (path, mode) in [
            (parent.path().join("a"), 0o700),
            (folder.path().to_owned(), 0o700),
            (file, 0o600),
        ] {
            let about = fs::metadata(&path).expect("it is there");
            assert_eq!(about.mode() & 0o777, mode, "{}", path.display());
        }
    }

    #[test]
    fn a_folder_above_counts_unless_its_sticky_bit_protects_what_is_below() {
        let parent = tempfile::tempdir().expect("a folder");
        let below = parent.path().join("a/b");
        permit(parent.path(), 0o1777);
        PrivateFolder::open(&below).expect("others cannot rename it");
        for mode in [0o777, 0o770, 0o707] {
            permit(parent.path(), mode);
            let refused = PrivateFolder::open(&below).expect_err("others can rename it");
            assert!(matches!(refused, Exposed::Writable(path) if path.ends_with(parent.path())));
        }
    }

    #[test]
    fn a_link_is_followed_before_the_folders_are_checked() {
        let parent = tempfile::tempdir().expect("a folder");
        let [open, link] = ["open", "link"].map(|name| parent.path().join(name));
        fs::create_dir(&open).expect("a folder");
        permit(&open, 0o777);
        symlink(&open, &link).expect("a link");
        let refused = PrivateFolder::open(&link.join("a")).expect_err("others can change it");
        assert!(matches!(refused, Exposed::Writable(_)), "{refused}");
        assert_eq!(fs::read_dir(&open).expect("a folder").count(), 0);
    }

    #[test]
    fn a_file_where_the_folder_should_be_is_told() {
        let parent = tempfile::tempdir().expect("a folder");
        let file = parent.path().join("file");
        fs::write(&file, "").expect("a file");
        let refused = PrivateFolder::open(&file).expect_err("it is a file");
        assert!(matches!(refused, Exposed::NotAFolder(_)), "{refused}");
    }

    /// Only root can give files away.
    #[test]
    fn what_belongs_to_somebody_else_is_not_used() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let parent = tempfile::tempdir().expect("a folder");
        let folder = PrivateFolder::open(&parent.path().join("a")).expect("a folder");
        let file = folder.keep("file", b"text").expect("a file");
        chown(&file, Some(12_345), None).expect("we are root");
        folder.keep("file", b"text").expect("a file");
        assert_eq!(fs::metadata(&file).expect("a file").uid(), 0);
        chown(folder.path(), Some(12_345), None).expect("we are root");
        let refused = PrivateFolder::open(&parent.path().join("a/b")).expect_err("another's");
        assert!(matches!(refused, Exposed::Foreign(_)), "{refused}");
    }
}
