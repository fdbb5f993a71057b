//! What a run writes is nobody else's to read or to change.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{shell, stderr, stdout};

#[test]
fn the_folder_of_a_run_is_its_owners_whatever_the_umask() {
    let folder = tempfile::tempdir().expect("a folder");
    for umask in ["0", "022", "077"] {
        let line = format!(
            "umask {umask}; TMPDIR=$PWD \"$CGSAN\" run --virtual -- sh -c 'find $CGSAN_RUN_DIRECTORY -printf \"%m %y\\n\" | sort -u'"
        );
        let seen = shell(folder.path(), &line);
        assert_eq!(
            stdout(&seen),
            "600 f\n700 d\n",
            "{umask}: {}",
            stderr(&seen)
        );
    }
}

#[test]
fn another_user_neither_reads_nor_writes_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = fs::Permissions::from_mode(0o777);
    fs::set_permissions(folder.path(), all).expect("it is ours");
    let other = "setpriv --reuid=65534 --regid=65534 --clear-groups";
    let enters = shell(
        folder.path(),
        &format!("{other} touch {}/x", folder.path().display()),
    );
    if !enters.status.success() {
        // Only root may become somebody else; or the folder lies where nobody else comes.
        return;
    }
    let line = format!(
        "umask 0; TMPDIR=$PWD \"$CGSAN\" run --virtual -- sh -c '
            cat $CGSAN_RUN_DIRECTORY/agent/sitecustomize.py > /dev/null || exit 9
            {other} cat $CGSAN_RUN_DIRECTORY/agent/sitecustomize.py && exit 8
            {other} ls $CGSAN_RUN_DIRECTORY && exit 7
            {other} touch $CGSAN_RUN_DIRECTORY/agent/planted.py && exit 6
            exit 0'"
    );
    let tried = shell(folder.path(), &line);
    assert_eq!(tried.status.code(), Some(0), "{}", stderr(&tried));
}
