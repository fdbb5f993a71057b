//! Where outputs go.

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::time::Duration;

use super::{
    CGSAN, FAILS, REPAIRED, cgsan, make_pipe, names, output, reader_of, shell, stderr, stdout,
};

#[test]
fn an_output_goes_through_what_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("fails.py"), FAILS).expect("a file");
    fs::write(at("old"), "old").expect("a file");
    fs::set_permissions(at("old"), fs::Permissions::from_mode(0o600)).expect("it is ours");
    symlink("old", at("link")).expect("a link");
    symlink("/dev/null", at("nothing")).expect("a link");
    make_pipe(&at("pipe"));
    for option in ["--output", "--write-baseline"] {
        let run = |to: &str| output(cgsan(folder.path(), &["lint", option, to, "fails.py"]));
        let reader = reader_of(&at("pipe"));
        assert!(run("pipe").status.code().is_some_and(|it| it < 2));
        assert!(
            reader.join().expect("it ends").contains("CG129"),
            "{option}"
        );
        assert!(run("nothing").status.code().is_some_and(|it| it < 2));
        assert!(run("link").status.code().is_some_and(|it| it < 2));
        let written = fs::read_to_string(at("old")).expect("a file");
        assert!(written.contains("CG129"), "{option}: {written}");
        let refused = run("pipe");
        assert_eq!(refused.status.code(), Some(125), "{option}");
        assert!(stderr(&refused).contains("nobody reads from this pipe"));
        let refused = run("/dev/full");
        assert_eq!(refused.status.code(), Some(125), "{option}");
        assert!(stderr(&refused).contains("no space left"));
    }
    assert!(at("link").is_symlink() && at("nothing").is_symlink());
    assert_eq!(
        fs::metadata(at("old")).expect("a file").mode() & 0o7777,
        0o600
    );
    assert!(
        fs::metadata(at("pipe"))
            .expect("it stays")
            .file_type()
            .is_fifo()
    );
    assert_eq!(
        names(folder.path()),
        ["fails.py", "link", "nothing", "old", "pipe"]
    );
}

#[test]
fn a_picture_goes_through_what_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("trace"), super::traces::trace_with(str::to_owned)).expect("a file");
    fs::write(at("old"), "old").expect("a file");
    symlink("old", at("link")).expect("a link");
    make_pipe(&at("pipe"));
    let draw = |to: &str| {
        let arguments = [
            "report",
            "--memory-timeline",
            to,
            "--output",
            "/dev/null",
            "trace",
        ];
        output(cgsan(folder.path(), &arguments))
    };
    let reader = reader_of(&at("pipe"));
    assert!(draw("pipe").status.success());
    assert!(reader.join().expect("it ends").starts_with("<svg "));
    assert!(draw("link").status.success());
    assert!(at("link").is_symlink());
    let written = fs::read_to_string(at("old")).expect("a file");
    assert!(written.ends_with("</svg>\n"), "{written}");
    for (to, why) in [
        ("pipe", "nobody reads from this pipe"),
        ("/dev/full", "no space left"),
        ("folder/", "the folder does not exist"),
    ] {
        let refused = draw(to);
        assert_eq!(refused.status.code(), Some(125), "{to}");
        assert!(stderr(&refused).contains("--memory-timeline"), "{to}");
        assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
    }
    assert_eq!(names(folder.path()), ["link", "old", "pipe", "trace"]);
}

#[test]
fn a_place_for_traces_that_is_no_file_is_refused_before_the_program_starts_or_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    make_pipe(&folder.path().join("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket"));
    for (place, why) in [
        ("pipe", "nobody reads from this pipe"),
        ("socket", "it is a socket"),
        ("folder/", "the folder does not exist"),
    ] {
        let refused = output(cgsan(
            folder.path(),
            &["run", "--save", place, "--", "echo", "started"],
        ));
        assert_eq!(refused.status.code(), Some(125), "{place}");
        assert_eq!(stdout(&refused), "");
        assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
    }
    let kept = output(cgsan(
        folder.path(),
        &["run", "--save", "/dev/null", "--", "echo", "started"],
    ));
    assert_eq!(stdout(&kept), "started\n");
    assert!(
        fs::metadata("/dev/null")
            .expect("it stays")
            .file_type()
            .is_char_device()
    );
}

#[test]
fn a_repair_keeps_mode_and_links_and_parts_no_hard_link() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("fails.py"), FAILS).expect("a file");
    fs::set_permissions(at("fails.py"), fs::Permissions::from_mode(0o751)).expect("it is ours");
    symlink("fails.py", at("link.py")).expect("a link");
    let repaired = output(cgsan(folder.path(), &["lint", "--fix", "link.py"]));
    assert_eq!(repaired.status.code(), Some(0), "{}", stderr(&repaired));
    assert!(at("link.py").is_symlink());
    assert_eq!(
        fs::read_to_string(at("fails.py")).expect("a file"),
        REPAIRED
    );
    let mode = fs::metadata(at("fails.py")).expect("a file").mode();
    assert_eq!(mode & 0o7777, 0o751);

    fs::write(at("fails.py"), FAILS).expect("a file");
    fs::hard_link(at("fails.py"), at("twin.py")).expect("a link");
    let refused = output(cgsan(folder.path(), &["lint", "--fix", "twin.py"]));
    assert_eq!(refused.status.code(), Some(125));
    assert!(stderr(&refused).contains("2 names (hard links)"));
    assert_eq!(fs::read_to_string(at("twin.py")).expect("a file"), FAILS);
}

#[test]
fn a_file_that_is_mounted_by_itself_is_written_in_place() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("fails.py"), FAILS).expect("a file");
    fs::write(folder.path().join("outside"), "old ".repeat(5_000)).expect("a file");
    fs::write(folder.path().join("report"), "").expect("a file");
    let mount = "unshare --user --map-root-user --mount bash -c";
    let possible = shell(
        folder.path(),
        &format!("{mount} 'mount --bind outside report'"),
    );
    if !possible.status.success() {
        return;
    }
    let line = "mount --bind outside report && $CGSAN lint --output report fails.py";
    let run = shell(folder.path(), &format!("{mount} '{line}'"));
    assert_eq!(run.status.code(), Some(1), "{}", stderr(&run));
    let written = fs::read_to_string(folder.path().join("outside")).expect("a file");
    assert!(
        written.contains("CG129") && !written.contains("old"),
        "{written}"
    );
    assert_eq!(names(folder.path()), ["fails.py", "outside", "report"]);
}

#[test]
fn a_limit_on_files_or_a_kill_leaves_the_old_file_or_the_new_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fails.py");
    fs::write(&path, FAILS).expect("a file");
    let refused = shell(folder.path(), "ulimit -f 0; \"$CGSAN\" lint --fix fails.py");
    assert_eq!(refused.status.code(), Some(125));
    assert!(
        stderr(&refused).contains("ulimit -f"),
        "{}",
        stderr(&refused)
    );
    assert_eq!(fs::read_to_string(&path).expect("a file"), FAILS);
    assert_eq!(names(folder.path()), ["fails.py"]);
    kill_repairs(40);
}

#[test]
#[ignore = "takes half a minute; `cargo xtask test` runs it"]
fn two_hundred_killed_repairs_lose_nothing() {
    kill_repairs(200);
}

/// Kills repairs at many moments: each leaves the old file or the new one, and the next repair sweeps.
fn kill_repairs(times: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fails.py");
    let mut repaired = 0;
    for at in 0..times {
        fs::write(&path, FAILS).expect("a file");
        let mut child = std::process::Command::new(CGSAN)
            .args(["lint", "--fix", "--quiet", "fails.py"])
            .current_dir(folder.path())
            .spawn()
            .expect("cgsan starts");
        std::thread::sleep(Duration::from_micros(at * 30_000 / times));
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        let left = fs::read_to_string(&path).expect("a file");
        assert!(left == FAILS || left == REPAIRED, "{left}");
        repaired += u64::from(left == REPAIRED);
    }
    assert!(repaired < times, "the kills came too late to show anything");
    fs::write(&path, FAILS).expect("a file");
    output(cgsan(folder.path(), &["lint", "--fix", "fails.py"]));
    assert_eq!(names(folder.path()), ["fails.py"], "what was left is swept");
}
