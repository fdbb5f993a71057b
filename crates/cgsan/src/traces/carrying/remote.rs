//! Places that another machine answers for.

use std::path::Path;

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
