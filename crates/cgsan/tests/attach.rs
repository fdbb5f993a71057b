//! `cgsan attach`: what it says of programs that run already, of those that hang and of those that go on, and what it says where it
//! cannot look.

mod support;

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use support::programs;

const CGSAN: &str = env!("CARGO_BIN_EXE_cgsan");

/// How long a program has to come where it hangs.
const PATIENCE: Duration = Duration::from_mins(2);

/// A program that is ended with the test, with what it started.
struct Program(Child);

impl Program {
    /// Starts a Python program that says when it is ready.
    fn python(source: &str) -> Program {
        Program::ready(Command::new("python3").args(["-u", "-c", source]))
    }

    fn ready(command: &mut Command) -> Program {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let output = child.stdout.take().expect("it is piped");
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).expect("a line");
        assert_eq!(line, "ready\n");
        Program(child)
    }

    fn id(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        for pid in below(self.0.id()) {
            let _ = Command::new("kill")
                .args(["-KILL", &pid.to_string()])
                .status();
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The processes that one has started, and those that they have.
fn below(pid: u32) -> Vec<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let children = children.unwrap_or_default();
    let children = children
        .split_ascii_whitespace()
        .filter_map(|it| it.parse().ok());
    children
        .flat_map(|child| [vec![child], below(child)].concat())
        .collect()
}

fn attach(arguments: &[&str]) -> Output {
    Command::new(CGSAN)
        .args(["attach", "--width", "1000"])
        .args(arguments)
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS")
        .output()
        .expect("cgsan starts")
}

fn stdout(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn refused(arguments: &[&str], status: i32) -> String {
    let output = attach(arguments);
    assert_eq!(output.status.code(), Some(status), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(arguments: &[&str]) -> Value {
    let text = stdout(&attach(&[arguments, &["--json"]].concat()));
    serde_json::from_str(&text).expect("JSON")
}

fn ids(document: &Value) -> Vec<&str> {
    let findings = document["report"]["findings"].as_array().expect("findings");
    findings.iter().filter_map(|it| it["id"].as_str()).collect()
}

/// Two threads that wait for each other's locks.
const DEADLOCK: &str = "\
import threading, time
first, second, both = threading.RLock(), threading.RLock(), threading.Barrier(2)
def other():
    with second:
        both.wait()
        with first: pass
threading.Thread(target=other).start()
def work():
    with first:
        both.wait()
        print('ready')
        with second: pass
work()
";

#[test]
fn threads_that_wait_for_each_other_are_a_finding() {
    let program = Program::python(DEADLOCK);
    let text = stdout(&attach(&[&program.id(), "--for", "2"]));
    for says in [
        "waits for an RLock that MainThread holds",
        "<string>:6 in other",
        "has not run for at least",
        "CG405",
        "every thread waits for a lock",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    let document = json(&[&program.id(), "--for", "2"]);
    assert_eq!(ids(&document), ["CG405"]);
    let thread = &document["processes"][0]["threads"][0];
    assert_eq!(thread["name"], "MainThread");
    assert!(
        thread["still_for_s"].as_f64().is_some_and(|it| it >= 2.0),
        "{thread}"
    );
    assert_eq!(thread["stack"][0]["line"], 12);
}

#[test]
fn a_program_that_goes_on_is_no_finding() {
    for body in [
        "time.sleep(0.2)",
        "sum(range(10_000))",
        "queue.put(1), queue.get()",
        "lock.acquire(timeout=0.5)",
    ] {
        let program = Program::python(&format!(
            "\
import queue, threading, time
queue, lock = queue.Queue(), threading.Lock()
lock.acquire()
print('ready')
while True: {body}
"
        ));
        let document = json(&[&program.id(), "--for", "2"]);
        assert_eq!(ids(&document), [""; 0], "{body}: {document}");
    }
}

#[test]
fn what_waits_for_others_is_no_finding() {
    for body in [
        "time.sleep(1000)",
        "sys.stdin.read()",
        "subprocess.run(['sleep', '1000'])",
        "socket.create_server(('127.0.0.1', 0)).accept()",
    ] {
        let program = Program::python(&format!(
            "import socket, subprocess, sys, time\nprint('ready')\n{body}"
        ));
        let document = json(&[&program.id(), "--for", "2"]);
        assert_eq!(ids(&document), [""; 0], "{body}: {document}");
    }
}

#[test]
fn what_is_no_python_program_is_told() {
    // What it prints shows that it has taken the place of the process that started it.
    let mut child = Command::new("yes")
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let printed = child.stdout.as_mut().expect("a pipe").read_exact(&mut [0]);
    printed.expect("it prints");
    let text = refused(&[&child.id().to_string(), "--for", "0.1"], 2);
    assert!(text.contains("(`yes`) is not a Python program"), "{text}");
    let text = refused(&["--job", &child.id().to_string()], 2);
    assert!(text.contains("not part of a job"), "{text}");
    let _ = child.kill();
    let _ = child.wait();
    let text = refused(&[&child.id().to_string()], 2);
    assert!(text.contains("there is no process"), "{text}");
}

/// A Python that every user may start; another one may lie in root's home.
const PYTHON_OF_ALL: &str = "/usr/bin/python3";

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|it| std::os::unix::fs::MetadataExt::uid(&it) == 0)
}

/// A user that has nothing.
const NOBODY: [&str; 4] = ["--reuid", "65534", "--regid", "65534"];

#[test]
fn root_looks_at_others_and_others_are_told_what_to_set() {
    if !is_root() {
        return;
    }
    let mut command = Command::new("setpriv");
    let command =
        command
            .args(NOBODY)
            .args(["--clear-groups", PYTHON_OF_ALL, "-u", "-c", DEADLOCK]);
    let program = Program::ready(command);
    let document = json(&[&program.id(), "--for", "1"]);
    assert_eq!(ids(&document), ["CG405"]);
    assert_eq!(document["processes"][0]["user"], 65534);

    let own = Program::python(DEADLOCK);
    let looked = Command::new("setpriv")
        .args(NOBODY)
        .args(["--clear-groups", CGSAN, "attach", "--for", "0.1", &own.id()])
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&looked.stderr).into_owned();
    assert_eq!(looked.status.code(), Some(125), "{text}");
    assert!(text.contains("belongs to another user (0)"), "{text}");
    let without = ["--bounding-set", "-sys_ptrace", "--inh-caps", "-sys_ptrace"];
    let looked = Command::new("setpriv")
        .args(without)
        .args([CGSAN, "attach", "--for", "0.1", &program.id()])
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&looked.stderr).into_owned();
    assert_eq!(looked.status.code(), Some(125), "{text}");
    assert!(text.contains("--cap-add SYS_PTRACE"), "{text}");
}

#[test]
fn a_process_in_a_container_is_seen_from_outside() {
    if !is_root() {
        return;
    }
    let mut command = Command::new("unshare");
    let command = command.args(["--mount", "--pid", "--uts", "--fork"]);
    let program = Program::ready(command.args(["python3", "-u", "-c", DEADLOCK]));
    let inner = *below(program.0.id())
        .first()
        .expect("it has started Python");
    let text = stdout(&attach(&[&inner.to_string(), "--for", "1"]));
    for says in [
        "process 1 of its own namespace",
        "files of its own",
        "in work",
        "CG405",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
}

/// A rank, as `torchrun` starts it.
fn rank(number: u32, source: &str) -> Program {
    let mut command = Command::new("python3");
    command.args(["-u", "-c", source]).envs([
        ("RANK", number.to_string()),
        ("WORLD_SIZE", "2".to_owned()),
        ("MASTER_ADDR", "attached".to_owned()),
        ("MASTER_PORT", std::process::id().to_string()),
    ]);
    Program::ready(&mut command)
}

#[test]
fn the_ranks_of_a_job_are_found_and_dumped_for_one_report() {
    let stuck = rank(0, DEADLOCK);
    let busy = rank(1, "print('ready')\nwhile True: pass");
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().to_str().expect("a plain name");
    let text = stdout(&attach(&[
        "--job",
        &busy.id(),
        "--for",
        "2",
        "--dump",
        place,
    ]));
    for says in [
        "rank 0 of 2",
        "rank 1 of 2",
        "2 processes of the job",
        "no finding",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    let files = fs::read_dir(folder.path()).expect("a folder");
    assert_eq!(files.count(), 2);
    let report = Command::new(CGSAN)
        .args(["report", place])
        .env("NO_COLOR", "1")
        .output()
        .expect("cgsan starts");
    let text = String::from_utf8_lossy(&report.stdout).into_owned();
    for says in [
        "CG405",
        "rank 0",
        "in rank 1: does not stand still",
        "MainThread runs",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    let text = stdout(&attach(&[&stuck.id(), "--for", "2"]));
    assert!(
        text.contains("1 of the 2 ranks were not looked at"),
        "{text}"
    );
}

#[test]
fn spawned_processes_are_found_from_their_parent_and_from_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("spawns.py");
    let source = "\
import multiprocessing, threading
def work(all_there):
    all_there.wait()
    threading.Lock().acquire() and threading.Event().wait()
if __name__ == '__main__':
    context = multiprocessing.get_context('spawn')
    all_there = context.Barrier(3)
    for _ in range(2):
        context.Process(target=work, args=[all_there]).start()
    all_there.wait()
    print('ready')
";
    fs::write(&program, source).expect("a file");
    let parent = Program::ready(Command::new("python3").arg("-u").arg(&program));
    let document = json(&["--job", &parent.id(), "--for", "0.5"]);
    let processes = document["processes"].as_array().expect("processes");
    assert_eq!(processes.len(), 2, "{document}");
    let first = processes[0]["pid"].to_string();
    let from_child = json(&["--job", &first, "--for", "0.5"]);
    assert_eq!(from_child["processes"].as_array().map(Vec::len), Some(2));
    let text = stdout(&attach(&[&parent.id(), "--for", "0.5"]));
    assert!(text.contains("has started the ranks of a job"), "{text}");
}

/// A program on the virtual GPU, which nothing watches for standing still.
fn on_the_virtual_gpu(python: &OsStr, program: &Path) -> Program {
    let child = Command::new(CGSAN)
        .args([
            "run",
            "--virtual",
            "--gpus",
            "2",
            "--hang-timeout",
            "0",
            "--",
        ])
        .arg(python)
        .arg(program)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .spawn();
    Program(child.expect("cgsan starts"))
}

/// The first process of a program that has loaded PyTorch: those that it starts come and go.
fn with_pytorch(program: &Program) -> Option<u32> {
    let has = |pid: &u32| {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
        maps.contains("libtorch_python")
    };
    below(program.0.id()).into_iter().find(has)
}

/// What the lines of a program demand that begin so.
fn demands(program: &Path, prefix: &str) -> Vec<String> {
    let source = fs::read_to_string(program).expect("a program");
    let lines = source.lines().filter_map(|line| line.strip_prefix(prefix));
    lines.map(str::to_owned).collect()
}

/// Attaches to a program until it has come where it hangs. What is wrong with what is said then.
fn judge_stuck(python: &OsStr, path: &Path) -> Vec<String> {
    let program = on_the_virtual_gpu(python, path);
    let says = demands(path, "# attach says: ");
    let begun = Instant::now();
    loop {
        std::thread::sleep(Duration::from_secs(2));
        let Some(pid) = with_pytorch(&program).map(|it| it.to_string()) else {
            assert!(begun.elapsed() < PATIENCE, "{}", path.display());
            continue;
        };
        let is_spawned = demands(path, "import torch.multiprocessing").len() == 1;
        let named = if is_spawned {
            &["--job", &*pid][..]
        } else {
            &[&*pid]
        };
        let output = attach(&[named, &["--for", "3"]].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let missing: Vec<&String> = says.iter().filter(|it| !text.contains(*it)).collect();
        if missing.is_empty() {
            return Vec::new();
        }
        if begun.elapsed() > PATIENCE {
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            return vec![format!(
                "{}: does not say {missing:?}: {text}{error}",
                path.display()
            )];
        }
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn programs_that_hang_are_explained_from_outside() {
    let python = support::python();
    let stuck = programs("tests/hangs/stuck")
        .into_iter()
        .chain(programs("tests/attach"));
    let stuck: Vec<PathBuf> = stuck
        .filter(|it| !demands(it, "# attach says: ").is_empty())
        .collect();
    assert!(stuck.len() >= 10, "{stuck:?}");
    let problems = support::in_parallel(&stuck, |path| judge_stuck(&python, path));
    let problems = problems.concat();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn programs_that_go_on_get_no_finding() {
    let python = support::python();
    let running = programs("tests/attach/running");
    let problems = support::in_parallel(&running, |path| {
        let program = on_the_virtual_gpu(&python, path);
        let begun = Instant::now();
        let pid = loop {
            assert!(begun.elapsed() < PATIENCE, "{}", path.display());
            std::thread::sleep(Duration::from_millis(200));
            if let Some(pid) = with_pytorch(&program) {
                break pid.to_string();
            }
        };
        let mut problems = Vec::new();
        let mut text = String::new();
        for _ in 0..4 {
            let output = attach(&[&pid, "--for", "3"]);
            text = String::from_utf8_lossy(&output.stdout).into_owned();
            if !text.contains("no finding") {
                problems.push(format!("{}: {output:?}", path.display()));
            }
        }
        for says in demands(path, "# attach says: ") {
            if !text.contains(&says) {
                problems.push(format!("{}: does not say {says:?}: {text}", path.display()));
            }
        }
        problems
    });
    let problems = problems.concat();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}
