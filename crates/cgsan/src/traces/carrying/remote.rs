//! Places that another machine answers for.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::fs::statfs;

/// What `statfs` calls the file systems of networks, and those that a program serves (FUSE), as object stores are mounted.
const REMOTE: [i64; 12] = [
    0x6969,      // NFS
    0x517b,      // SMB
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB 2 and 3
    0x6573_5546, // FUSE
    0x00c3_6400, // Ceph
    0x0bd0_0bd0, // Lustre
    0x4750_4653, // GPFS
    0x1983_0326, // BeeGFS
    0x5346_414f, // AFS
    0x0102_1997, // 9P
    0x7375_7245, // Coda
];

/// Whether what is written at this path, which need not be there yet, goes to another machine or to a program.
pub fn is_remote(path: &Path) -> bool {
    let there = path.ancestors().find(|it| it.exists());
    let kind = there.and_then(|it| statfs(it).ok()).map(|it| it.f_type);
    // The numbers have 32 bits, whatever sign they come with.
    kind.is_some_and(|kind| REMOTE.contains(&(kind & 0xffff_ffff)))
}

/// How often the removal of a file is tried, and the time between two of them.
const REMOVALS: u32 = 20;
const BETWEEN_REMOVALS: Duration = Duration::from_millis(50);

/// Removes a file that was just closed. What serves a mount learns of that later and takes the file for open until then; where
/// files cannot be renamed it then refuses to remove it, since libfuse renames a removed file that is open (`hard_remove` in its
/// manual). A file that is refused for longer stays: the place could be written, which is what counts.
pub fn remove_closed(path: &Path) {
    for _ in 0..REMOVALS {
        match fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                thread::sleep(BETWEEN_REMOVALS);
            }
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_of_this_machine_is_not_remote() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!is_remote(folder.path()));
        assert!(!is_remote(&folder.path().join("none/yet")));
        assert!(!is_remote(Path::new("/proc/self")));
    }
}
