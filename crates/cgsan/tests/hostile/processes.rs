//! How programs are started, and how they and cgsan end.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal};

use super::{CGSAN, cgsan, names, output, shell, stderr, stdout};

#[test]
fn signals_to_cgsan_alone_reach_the_program_once_and_a_report_comes() {
    for (name, signal) in [
        ("HUP", Signal::HUP),
        ("INT", Signal::INT),
        ("QUIT", Signal::QUIT),
        ("TERM", Signal::TERM),
        ("USR1", Signal::USR1),
        ("USR2", Signal::USR2),
        ("ALRM", Signal::ALARM),
        ("XCPU", Signal::XCPU),
    ] {
        let script = format!(
            "trap 'echo got; n=$((n+1))' {name}; echo ready; while [ -z \"$n\" ]; do sleep 0.02; done; sleep 0.1; exit 9"
        );
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = cgsan(
            folder.path(),
            &["run", "-o", "/dev/stdout", "--", "bash", "-c", &script],
        )
        .stdout(Stdio::piped())
        .spawn()
        .expect("cgsan starts");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut text = String::new();
        output.read_line(&mut text).expect("it is ready");
        let id = Pid::from_raw(child.id().cast_signed()).expect("a process");
        rustix::process::kill_process(id, signal).expect("it is sent");
        output.read_to_string(&mut text).expect("text");
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), Some(9), "{name}: {text}");
        assert_eq!(text.matches("got").count(), 1, "{name}: {text}");
        assert!(text.contains("nothing was recorded"), "{name}: {text}");
    }
}

#[test]
fn a_signal_of_real_time_ends_cgsan_as_it_ended_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    for signal in [34, 40, 64] {
        let line = format!("kill -{signal} $$");
        let ended = output(cgsan(folder.path(), &["run", "--", "bash", "-c", &line]));
        assert_eq!(ended.status.signal(), Some(signal));
    }
}

#[test]
fn a_script_without_an_interpreter_runs_as_in_a_shell() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, content).expect("a file");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    };
    write("script", b"echo \"$0 has $1\"; exit 3\n");
    write("binary", b"\0\x01\x02 nothing that runs");
    let ran = output(cgsan(folder.path(), &["run", "--", "./script", "it all"]));
    assert_eq!(stdout(&ran), "./script has it all\n", "{}", stderr(&ran));
    assert_eq!(ran.status.code(), Some(3));
    let mut found = cgsan(folder.path(), &["run", "--", "script", "it"]);
    found.env("PATH", format!("{}:/usr/bin:/bin", folder.path().display()));
    assert!(stdout(&output(found)).ends_with("/script has it\n"));
    let refused = output(cgsan(folder.path(), &["run", "--", "./binary"]));
    assert_eq!(refused.status.code(), Some(126));
}

#[test]
fn closed_streams_stay_closed_and_nobody_is_told_that_all_went_well() {
    let folder = tempfile::tempdir().expect("a folder");
    for (closed, seen) in [("<&-", "1\n2\n"), (">&- <&-", "2\n"), ("<&- >&- 2>&-", "")] {
        // The shell that looks has a file as its output for that long.
        let line = format!(
            "\"$CGSAN\" run -o report -- bash -c 'exec 9>seen; for i in 0 1 2; do [ -e /proc/$$/fd/$i ] && echo $i >&9; done; true' {closed}"
        );
        let ran = shell(folder.path(), &line);
        assert_eq!(ran.status.code(), Some(0), "{closed}: {}", stderr(&ran));
        assert_eq!(
            fs::read_to_string(folder.path().join("seen")).expect("a file"),
            seen,
            "{closed}"
        );
    }
    for line in [
        "\"$CGSAN\" explain CG105 >&-",
        "\"$CGSAN\" explain CG105 > /dev/full",
        "\"$CGSAN\" env > /dev/full",
        "\"$CGSAN\" --help > /dev/full",
        "echo 'x = 1' | \"$CGSAN\" lint - > /dev/full",
        "echo 'x = 1' | \"$CGSAN\" lint --fix - >&-",
        "\"$CGSAN\" run --strict --allow-nothing true 2> /dev/full",
        "\"$CGSAN\" run --strict --allow-nothing true 2>&-",
    ] {
        let told = shell(folder.path(), line);
        assert_eq!(told.status.code(), Some(125), "{line}: {}", stderr(&told));
    }
    for line in [
        "\"$CGSAN\" run -- sh -c 'exit 0' 2> /dev/full",
        "\"$CGSAN\" run -- sh -c 'exit 0' <&- >&- 2>&-",
    ] {
        let ended = shell(folder.path(), line);
        assert_eq!(
            ended.status.code(),
            Some(0),
            "the program ended well: {line}"
        );
    }
    let gone = shell(
        folder.path(),
        "\"$CGSAN\" explain CG105 | true; exit ${PIPESTATUS[0]}",
    );
    assert_eq!(gone.status.code(), Some(0), "a reader may go away");
}

#[test]
fn a_killed_cgsan_leaves_nothing_that_the_next_one_does_not_sweep() {
    kill_runs(20);
}

#[test]
#[ignore = "takes half a minute; `cargo xtask test` runs it"]
fn two_hundred_killed_runs_leave_nothing() {
    kill_runs(200);
}

/// Kills runs at many moments, and looks at what is left after one that is not killed.
fn kill_runs(times: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |script: &str| {
        let mut command = Command::new(CGSAN);
        command
            .args(["run", "-o", "/dev/null", "--", "bash", "-c", script])
            .env("CGSAN_LIBRARY", CGSAN)
            .env("TMPDIR", folder.path())
            .env_remove("PYTHONPATH")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    };
    for at in 0..times {
        let mut killed = run("sleep 0.01").spawn().expect("cgsan starts");
        std::thread::sleep(std::time::Duration::from_micros(at * 20_000 / times));
        killed.kill().expect("it is ours");
        killed.wait().expect("it ends");
    }
    // A program that outlives its cgsan keeps the folder.
    let mut killed = run("echo $$; exec sleep 30").spawn().expect("cgsan starts");
    let mut program = String::new();
    BufReader::new(killed.stdout.take().expect("a pipe"))
        .read_line(&mut program)
        .expect("its id");
    killed.kill().expect("it is ours");
    killed.wait().expect("it ends");
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(run("true").status().expect("cgsan starts").success());
    assert_eq!(names(folder.path()).len(), 1, "{:?}", names(folder.path()));
    let program = Pid::from_raw(program.trim().parse().expect("a number")).expect("a process");
    rustix::process::kill_process(program, Signal::KILL).expect("it is ours");
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(run("true").status().expect("cgsan starts").success());
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn a_limit_on_files_lets_the_program_run_unwatched() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = shell(
        folder.path(),
        "ulimit -f 0; TMPDIR=. \"$CGSAN\" run -- echo started",
    );
    assert_eq!(told.status.code(), Some(0), "{}", stderr(&told));
    assert_eq!(stdout(&told), "started\n");
    for part in ["the program runs unwatched", "file too large"] {
        assert!(stderr(&told).contains(part), "{}", stderr(&told));
    }
    assert_eq!(names(folder.path()), Vec::<String>::new());
}
