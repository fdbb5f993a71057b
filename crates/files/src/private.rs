//! Files and folders of one user: what a run leaves for itself, which nobody else may read, and what is loaded as code, which
//! nobody else may change.

use std::fmt;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{in_words, output};

/// Permissions of a folder of this user alone.
const FOLDER: u32 = 0o700;

/// Permissions of a file of this user alone.
pub(crate) const FILE: u32 = 0o600;

/// Permission of others, or of a group, to write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// In a folder with this bit, only the owner of a file may rename or remove it.
const STICKY: u32 = 0o1000;

/// Opens a file that only this user can read and change once it is there, whatever the process's mask is. The options say
/// whether it may be there already.
///
/// # Errors
///
/// If it cannot be made, or is there and belongs to somebody else.
pub fn private_file(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // Asked for at once, so that nobody reads it in between; and set, because the mask may have taken too much.
    let file = options.mode(FILE).open(path)?;
    if file.metadata()?.mode() & 0o777 != FILE {
        file.set_permissions(Permissions::from_mode(FILE))?;
    }
    Ok(file)
}

/// Makes a folder that only this user can enter, whatever the process's mask is, and the folders above it that are missing.
/// One that is there stays as it is.
///
/// # Errors
///
/// If it cannot be made.
pub fn private_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        private_folder(above)?;
    }
    match DirBuilder::new().mode(FOLDER).create(path) {
        Ok(()) => fs::set_permissions(path, Permissions::from_mode(FOLDER)),
        // Somebody else made it meanwhile.
        Err(_) if path.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// A new folder in `parent` that only this user can enter, whatever the process's mask is; removed when dropped. Its name
/// begins with `prefix`.
///
/// # Errors
///
/// If it cannot be made.
pub fn temporary_folder(parent: &Path, prefix: &str) -> io::Result<TempDir> {
    let permissions = Permissions::from_mode(FOLDER);
    let folder = tempfile::Builder::new()
        .prefix(prefix)
        .permissions(permissions.clone())
        .tempdir_in(parent)?;
    fs::set_permissions(folder.path(), permissions)?;
    Ok(folder)
}

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
            Self::Io(path, reason) => write!(to, "{}: {}", path.display(), in_words(reason)),
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
        private_folder(&path).map_err(failed)?;
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
            let mut draft = output::draft(&self.path, FILE)?;
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
    use std::os::unix::fs::{chown, symlink};

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

    /// The mask is the whole process's: the tests of a process that change it must not run beside others. `nextest` gives each
    /// test a process.
    #[test]
    fn no_mask_opens_or_closes_what_is_private() {
        let parent = tempfile::tempdir().expect("a folder");
        for mask in [0, 0o022, 0o077, 0o777] {
            let before = rustix::process::umask(rustix::fs::Mode::from_raw_mode(mask));
            let folder = parent.path().join(format!("{mask:o}/below"));
            private_folder(&folder).expect("a folder");
            let file = folder.join("file");
            private_file(&file, File::options().write(true).create_new(true)).expect("a file");
            let temporary = temporary_folder(parent.path(), "a-").expect("a folder");
            rustix::process::umask(before);
            let mode = |path: &Path| fs::metadata(path).expect("it is there").mode() & 0o777;
            assert_eq!(mode(&file), 0o600, "{mask:o}");
            for folder in [folder.as_path(), &folder.join(".."), temporary.path()] {
                assert_eq!(mode(folder), 0o700, "{mask:o}: {}", folder.display());
            }
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
