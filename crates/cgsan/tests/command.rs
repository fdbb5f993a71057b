//! The command itself, with programs that need no PyTorch: what it leaves alone, and what it says when it cannot do its
//! work.

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal};

const CGSAN: &str = env!("CARGO_BIN_EXE_cgsan");

/// `cgsan` with `arguments`, in an empty folder. Programs that are not Python never load the library, so any file
/// will do for it.
fn cgsan(arguments: &[&str]) -> Command {
    let mut command = Command::new(CGSAN);
    // Whoever runs the tests tells some of them where things are, in variables that no user has.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CGSAN_") {
            command.env_remove(name);
        }
    }
    command
        .args(arguments)
        .env("CGSAN_LIBRARY", CGSAN)
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS")
        .env_remove("PYTHONPATH");
    command
}

fn run(arguments: &[&str]) -> Output {
    cgsan(arguments).output().expect("cgsan starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn help_is_as_documented() {
    for arguments in [
        &["--help"][..],
        &["run", "--help"],
        &["report", "--help"],
        &["attach", "--help"],
        &["perf", "--help"],
        &["explain", "--help"],
        &["env", "--help"],
    ] {
        let output = run(arguments);
        assert!(output.status.success());
        insta::assert_snapshot!(arguments.join(" "), stdout(&output));
    }
}

#[test]
fn wrong_arguments_are_told_with_the_right_ones() {
    for arguments in [
        &["run"][..],
        &["run", "--strcit", "true"],
        &["run", "--gpu-memory", "lots", "true"],
        &["run", "--width", "7", "true"],
        &["report"],
        &["raport"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(stdout(&output), "");
        insta::assert_snapshot!(format!("wrong {}", arguments.join(" ")), stderr(&output));
    }
}

#[test]
fn the_exit_status_is_the_programs() {
    for status in [0, 1, 3, 77, 255] {
        let output = run(&["run", "--", "sh", "-c", &format!("exit {status}")]);
        assert_eq!(output.status.code(), Some(status));
        let script = format!("exit {status}");
        let output = run(&["run", "--strict", "--allow-nothing", "sh", "-c", &script]);
        assert_eq!(
            output.status.code(),
            Some(status),
            "there is nothing to be strict about"
        );
    }
}

#[test]
fn the_signal_that_ended_the_program_ends_cgsan() {
    for signal in [
        Signal::KILL,
        Signal::TERM,
        Signal::ABORT,
        Signal::SEGV,
        Signal::INT,
    ] {
        let number = signal.as_raw();
        let output = run(&["run", "--", "sh", "-c", &format!("kill -{number} $$")]);
        assert_eq!(output.status.signal(), Some(number));
        assert!(
            !output.status.core_dumped(),
            "the dump would hide the program's"
        );
        assert!(
            stderr(&output).contains("nothing was recorded"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn the_programs_output_stays_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("report.txt");
    let script = "printf 'no newline'; printf '\\0\\377 raw' >&2; cat";
    let mut command = cgsan(&["run", "--output"]);
    command.arg(&report).args(["--", "sh", "-c", script]);
    let output = command.stdin(Stdio::null()).output().expect("cgsan starts");
    assert_eq!(output.stdout, b"no newline");
    // What cgsan says comes behind.
    let own = format!("cgsan: written: {}\n", report.display());
    let stderr = [b"\0\xff raw", own.as_bytes()].concat();
    assert_eq!(output.stderr, stderr);
    let report = fs::read_to_string(report).expect("a report");
    assert!(report.contains("nothing was recorded"), "{report}");
}

#[test]
fn the_program_sees_only_what_leads_python_to_the_agent() {
    let script = "echo \"$PYTHONPATH\"; env | grep ^CGSAN_ | cut -d= -f1 | sort";
    let output = cgsan(&["run", "--", "sh", "-c", script])
        .output()
        .expect("cgsan starts");
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].ends_with("/agent"), "{text}");
    assert_eq!(
        lines[1..],
        [
            "CGSAN_LIBRARY",
            "CGSAN_RUN_DIRECTORY",
            "CGSAN_SCHEDULE",
            "CGSAN_VALUES"
        ]
    );
    let mut command = cgsan(&["run", "--gpu-memory", "24GB", "--", "sh", "-c"]);
    command.arg(
        "echo $PYTHONPATH; echo $CGSAN_GPU_MEMORY; test -f ${PYTHONPATH%%:*}/sitecustomize.py",
    );
    let output = command
        .env("PYTHONPATH", "/a::/b")
        .output()
        .expect("cgsan starts");
    assert!(output.status.success(), "the agent is there");
    assert!(
        stdout(&output).contains("/agent:/a::/b\n25769803776\n"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_program_that_cannot_be_started_is_told_apart_from_a_missing_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("train.py");
    fs::write(&script, "print(1)\n").expect("a file");
    let script = script.to_str().expect("a plain name");
    let cases = [
        (vec!["run", "no-such-program"], 127),
        (vec!["run", "missing.py"], 127),
        (vec!["run", "--", "/etc/passwd"], 126),
        (vec!["run", "--", "/"], 126),
        (vec!["run", script], 127),
    ];
    let mut told = String::new();
    for (arguments, status) in cases {
        let mut command = cgsan(&arguments);
        command.env_remove("VIRTUAL_ENV").env("PATH", "/nowhere");
        let output = command.output().expect("cgsan starts");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        assert_eq!(stdout(&output), "");
        told += &stderr(&output).replace(script, "[script]");
        told.push('\n');
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_python_file_is_run_by_the_python_of_the_environment() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str, mode: u32| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, Permissions::from_mode(mode)).expect("a mode");
    };
    let python = |name: &str| format!("#!/bin/sh\necho {name} \"$@\"\n");
    write("venv/bin/python", &python("venv"), 0o755);
    write("path/python3", &python("path"), 0o755);
    write("plain.py", "print(1)\n", 0o644);
    write("no_shebang.py", "print(1)\n", 0o755);
    write("shebang.py", "#!/bin/sh\necho itself\n", 0o755);
    write("-c.py", "print(1)\n", 0o644);
    let told = |environment: Option<&str>, program: &str| {
        let mut command = cgsan(&["run", "--virtual", "--", program, "--epochs"]);
        command
            .current_dir(folder.path())
            .env("PATH", folder.path().join("path"))
            .env_remove("VIRTUAL_ENV");
        if let Some(environment) = environment {
            command.env("VIRTUAL_ENV", folder.path().join(environment));
        }
        stdout(&command.output().expect("cgsan starts"))
    };
    let venv = Some("venv");
    assert_eq!(told(venv, "plain.py"), "venv plain.py --epochs\n");
    assert_eq!(told(venv, "./plain.py"), "venv ./plain.py --epochs\n");
    assert_eq!(
        told(venv, "./no_shebang.py"),
        "venv ./no_shebang.py --epochs\n"
    );
    assert_eq!(told(venv, "-c.py"), "venv ./-c.py --epochs\n");
    assert_eq!(told(venv, "./shebang.py"), "itself\n");
    for none in [None, Some("missing")] {
        assert_eq!(told(none, "plain.py"), "path plain.py --epochs\n");
    }
}

#[test]
fn files_that_cannot_be_written_are_told_before_the_program_starts() {
    let mut told = String::new();
    for arguments in [
        [
            "run",
            "--output",
            "/no/such/folder/report",
            "--",
            "echo",
            "started",
        ],
        ["run", "--output", "/", "--", "echo", "started"],
        [
            "run",
            "--memory-timeline",
            "/no/such/folder/memory.svg",
            "--",
            "echo",
            "started",
        ],
        ["run", "--memory-timeline", "/", "--", "echo", "started"],
        [
            "run",
            "--save",
            "/no/such/folder/trace",
            "--",
            "echo",
            "started",
        ],
    ] {
        let output = run(&arguments);
        assert_eq!(output.status.code(), Some(125), "{arguments:?}");
        assert_eq!(stdout(&output), "", "the program must not have run");
        told += &stderr(&output);
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_full_disk_is_told_and_the_programs_failure_wins() {
    let output = run(&["run", "--output", "/dev/full", "--", "true"]);
    assert_eq!(output.status.code(), Some(125));
    insta::assert_snapshot!(stderr(&output));
    let output = run(&["run", "--output", "/dev/full", "--", "sh", "-c", "exit 3"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).contains("no space left"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_missing_virtual_gpu_is_told_before_the_program_starts() {
    let mut command = cgsan(&["run", "--", "echo", "started"]);
    let output = command
        .env("CGSAN_LIBRARY", "/no/such/library.so")
        .output()
        .expect("cgsan starts");
    assert_eq!(output.status.code(), Some(125));
    assert_eq!(stdout(&output), "");
    insta::assert_snapshot!(stderr(&output));
}

#[test]
fn a_temporary_folder_that_cannot_be_used_is_passed_over() {
    let mut command = cgsan(&["run", "--", "true"]);
    let output = command
        .env("TMPDIR", "/proc/no-such-folder")
        .output()
        .expect("cgsan starts");
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn nothing_is_left_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = cgsan(&["run", "--save"]);
    command
        .arg(folder.path().join("kept.cgsan"))
        .args(["--", "true"]);
    let output = command
        .env("TMPDIR", folder.path())
        .output()
        .expect("cgsan starts");
    assert!(output.status.success());
    assert!(
        stderr(&output).contains("--save: no trace was recorded"),
        "{}",
        stderr(&output)
    );
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn ctrl_c_reaches_the_program_and_the_report_still_comes() {
    let script = "trap 'echo interrupted; exit 7' INT; echo ready; while :; do sleep 0.05; done";
    let (output, status) = signalled(script, |cgsan| {
        rustix::process::kill_process_group(cgsan, Signal::INT)
    });
    assert_eq!(status, Some(7));
    assert!(output.contains("interrupted"), "{output}");
    assert!(output.contains("nothing was recorded"), "{output}");
}

#[test]
fn a_second_ctrl_c_ends_what_the_first_one_could_not() {
    // Nobody reads the report, and the pipe is full.
    let (report, mut full) = std::io::pipe().expect("a pipe");
    rustix::io::ioctl_fionbio(&full, true).expect("it is ours");
    while full.write(&[0]).is_ok() {}
    rustix::io::ioctl_fionbio(&full, false).expect("it is ours");
    let mut child = cgsan(&["run", "--", "true"])
        .stderr(full)
        .spawn()
        .expect("cgsan starts");
    let id = Pid::from_raw(child.id().cast_signed()).expect("a process id");
    let interrupt = || rustix::process::kill_process(id, Signal::INT).expect("it is ours");
    until(|| threads(id).any(|(name, call)| name == "cgsan" && call.starts_with(WRITE)));
    interrupt();
    until(|| threads(id).any(|(name, call)| name == "cgsan-interrupt" && !call.starts_with(READ)));
    assert!(child.try_wait().expect("it is ours").is_none());
    interrupt();
    let ended = child.wait().expect("cgsan ends");
    assert_eq!(ended.signal(), Some(Signal::INT.as_raw()));
    drop(report);
}

/// As `/proc` shows that a thread is in `read` or `write`.
const READ: &str = "0 ";
const WRITE: &str = "1 ";

/// The threads of a process: their names, and which call of the system they are in.
fn threads(process: Pid) -> impl Iterator<Item = (String, String)> {
    let tasks = fs::read_dir(format!("/proc/{}/task", process.as_raw_nonzero()));
    tasks.into_iter().flatten().flatten().filter_map(|task| {
        let name = fs::read_to_string(task.path().join("comm")).ok()?;
        let call = fs::read_to_string(task.path().join("syscall")).ok()?;
        Some((name.trim_end().to_owned(), call))
    })
}

/// Waits for something that happens sooner or later.
fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn a_signal_to_cgsan_alone_is_passed_on() {
    let script = "trap 'echo terminated; exit 8' TERM; echo ready; while :; do sleep 0.05; done";
    let (output, status) = signalled(script, |cgsan| {
        rustix::process::kill_process(cgsan, Signal::TERM)
    });
    assert_eq!(status, Some(8));
    assert!(output.contains("terminated"), "{output}");
}

#[test]
fn a_real_time_signal_to_cgsan_alone_is_passed_on() {
    let script = "trap 'echo queued; exit 9' RTMIN+1; echo ready; while :; do sleep 0.05; done";
    let (output, status) = signalled(script, |cgsan| {
        let kill = format!("kill -s RTMIN+1 {}", cgsan.as_raw_nonzero());
        let sent = Command::new("bash").args(["-c", &kill]).status();
        assert!(sent.expect("bash starts").success());
        Ok(())
    });
    assert_eq!(status, Some(9));
    assert!(output.contains("queued"), "{output}");
}

#[test]
fn a_signal_that_cgsan_was_started_to_ignore_is_ignored_by_the_program_too() {
    let script = format!("trap '' HUP; exec {CGSAN} run -- sh -c 'kill -HUP $$; echo alive'");
    let output = Command::new("sh")
        .args(["-c", &script])
        .env("CGSAN_LIBRARY", CGSAN)
        .output()
        .expect("sh starts");
    assert_eq!(stdout(&output), "alive\n");
}

/// What a script printed under cgsan, and cgsan's exit status, when a signal is sent as soon as the script is ready.
fn signalled(script: &str, send: impl Fn(Pid) -> rustix::io::Result<()>) -> (String, Option<i32>) {
    let mut child = cgsan(&["run", "--output", "/dev/stdout", "--", "bash", "-c", script])
        .process_group(0)
        .stdout(Stdio::piped())
        .spawn()
        .expect("cgsan starts");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut text = String::new();
    output
        .read_line(&mut text)
        .expect("the script says that it is ready");
    let id = Pid::from_raw(child.id().cast_signed()).expect("a process id");
    send(id).expect("the signal is sent");
    output.read_to_string(&mut text).expect("text");
    let status = child.wait().expect("cgsan ends");
    (text, status.code())
}

#[test]
fn what_is_no_trace_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let garbage = folder.path().join("garbage");
    fs::write(&garbage, b"\x7fELF and so on, but certainly no trace").expect("a file");
    let empty = folder.path().join("empty");
    fs::write(&empty, b"").expect("a file");
    let mut told = String::new();
    for path in [
        &garbage,
        &empty,
        &folder.path().join("missing"),
        folder.path(),
    ] as [&Path; 4]
    {
        let output = cgsan(&["report"]).arg(path).output().expect("cgsan starts");
        assert_eq!(output.status.code(), Some(2), "{}", path.display());
        assert_eq!(stdout(&output), "");
        told += &stderr(&output).replace(folder.path().to_str().expect("a plain name"), "[folder]");
    }
    insta::assert_snapshot!(told);
}

#[test]
fn json_is_one_object_also_when_nothing_was_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.json");
    let mut command = cgsan(&["run", "--json", "-o"]);
    command.arg(&path).args(["sh", "-c", "exit 4"]);
    let status = command.status().expect("cgsan starts");
    assert_eq!(status.code(), Some(4));
    let text = fs::read_to_string(path).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["version"], 1);
    assert_eq!(report["exit"], 4);
    assert_eq!(report["program"], serde_json::json!(["sh", "-c", "exit 4"]));
    assert_eq!(report["findings"], serde_json::json!([]));
    let note = report["notes"][0]["text"].as_str().expect("a note");
    assert!(
        note.starts_with("nothing was recorded: the program started no Python"),
        "{note}"
    );
}

#[test]
fn a_python_that_is_none_is_told_by_env() {
    let output = run(&["env", "--python", "/no/such/python"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).contains("program not found: `/no/such/python`"),
        "{}",
        stdout(&output)
    );
    let output = run(&["env", "--json", "--python", "/bin/echo"]);
    assert_eq!(output.status.code(), Some(1));
    let found: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(found["ready"], false);
    let what = found["problems"][0]["what"].as_str().expect("a problem");
    assert!(what.contains("did not answer as Python does"), "{what}");
}
