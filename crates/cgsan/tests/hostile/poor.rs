//! Places where much is missing that cgsan makes use of: the program runs there with its own status, as without cgsan.

use super::{shell, stderr};

#[test]
fn a_program_runs_where_much_is_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    for around in [
        "ulimit -f 0;",
        "ulimit -n 16;",
        "unset HOME XDG_CACHE_HOME;",
        "export TMPDIR=/proc;",
        "export TMPDIR=/no/such/folder;",
    ] {
        for status in [0, 3] {
            let line = format!("{around} \"$CGSAN\" run --virtual -- sh -c 'exit {status}'");
            let ended = shell(folder.path(), &line);
            let told = stderr(&ended);
            assert_eq!(ended.status.code(), Some(status), "{line}: {told}");
            assert!(
                told.contains("nothing was recorded") || told.contains("unwatched"),
                "{told}"
            );
        }
    }
    let strict = shell(
        folder.path(),
        "ulimit -f 0; \"$CGSAN\" run --strict -- true",
    );
    assert_eq!(strict.status.code(), Some(1), "{}", stderr(&strict));
}

#[test]
fn a_program_runs_without_proc() {
    let folder = tempfile::tempdir().expect("a folder");
    let without = "unshare -m sh -c 'umount -l /proc && exec \"$0\" \"$@\"'";
    if !shell(folder.path(), &format!("{without} true"))
        .status
        .success()
    {
        // Only who administers the machine may take it away.
        return;
    }
    for status in [0, 3] {
        let line = format!(
            "unset CGSAN_LIBRARY; {without} \"$CGSAN\" run --virtual -- sh -c 'exit {status}'"
        );
        let ended = shell(folder.path(), &line);
        let told = stderr(&ended);
        assert_eq!(ended.status.code(), Some(status), "{told}");
        assert!(told.contains("`/proc` is not mounted"), "{told}");
    }
}
