//! Programs that run for long: their traces stay short, and a place that does not answer stops nobody.

mod support;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use support::{root, temporary_folder};

const CGSAN: &str = env!("CARGO_BIN_EXE_cgsan");

/// The limit of traces in these tests, the least that there can be.
const LIMIT: u64 = 4 << 20;

/// By how much a trace grows at a time.
const CHUNK: u64 = 1 << 20;

/// `cgsan watch` on a program of `tests/weeks`, with these options, for so many steps and a capture every so many.
fn watch(program: &str, options: &[&str], save: &Path, steps: u32, capture_every: u32) -> Command {
    let mut command = Command::new(CGSAN);
    command
        .args(["watch", "--virtual", "--no-values", "--trace-limit", "4MB"])
        .args(options)
        .arg("--save")
        .arg(save)
        .arg("--")
        .arg(support::python())
        .arg(root().join("tests/weeks").join(program))
        .args([steps, capture_every, 1].map(|it| it.to_string()));
    command
}

/// The only trace in a folder.
fn trace_in(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    assert_eq!(paths.len(), 1, "{paths:?}");
    paths[0].clone()
}

fn report_of(trace: &Path) -> Value {
    let output = Command::new(CGSAN)
        .args(["report", "--json"])
        .arg(trace)
        .output();
    let output = output.expect("cgsan reports");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_trace_stays_short_and_keeps_what_was_found() {
    let folder = temporary_folder().expect("a folder");
    let mut run = watch("early_mistake.py", &[], folder.path(), 4000, 40);
    let mut child = run
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("cgsan runs");
    let mut longest = 0;
    for _ in BufReader::new(child.stdout.take().expect("a pipe")).lines() {
        longest = longest.max(fs::metadata(trace_in_part(folder.path())).map_or(0, |it| it.len()));
    }
    assert!(child.wait().expect("cgsan ends").success());
    assert!(longest < LIMIT + CHUNK, "{longest}");
    let report = report_of(&trace_in(folder.path()));
    let findings = report["findings"].as_array().expect("findings");
    let ids: Vec<_> = findings.iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids, ["CG209"], "{report:#}");
    let coverage = &report["coverage"];
    assert_eq!(coverage["captures"], 102, "{coverage}");
    assert_eq!(coverage["replays"], 4001, "{coverage}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("gave way"), "{notes}");
}

/// The trace in a folder in which there may be others that are offered.
fn trace_in_part(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut paths = entries.map(|entry| entry.path());
    let is_trace = |it: &PathBuf| it.extension().is_some_and(|it| it == "cgsan");
    paths.find(is_trace).unwrap_or_default()
}

/// A folder that is seen through a file system which does what it is told; unmounted when dropped.
struct Mount {
    folder: tempfile::TempDir,
    server: Child,
}

impl Mount {
    /// `None` unless `CGSAN_TEST_FUSE_PYTHON` names an interpreter with `mfusepy`, and this user may mount what it serves.
    fn new(options: &[&str]) -> Option<Mount> {
        let python = std::env::var_os("CGSAN_TEST_FUSE_PYTHON")?;
        let folder = temporary_folder().expect("a folder");
        for name in ["behind", "mount"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let server = Command::new(python)
            .arg(root().join("tests/carrying/stalling.py"))
            .args(["behind", "mount", "control"].map(|name| folder.path().join(name)))
            .args(options)
            .stderr(Stdio::null())
            .spawn()
            .expect("the interpreter runs");
        let mut mount = Mount { folder, server };
        let begun = Instant::now();
        let mounts = || fs::read_to_string("/proc/mounts").unwrap_or_default();
        while !mounts().contains(&*mount.path("mount").to_string_lossy()) {
            if let Ok(Some(status)) = mount.server.try_wait() {
                eprintln!("nothing can be mounted here: {status}");
                return None;
            }
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "it is not mounted"
            );
            thread::sleep(Duration::from_millis(50));
        }
        Some(mount)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn tell(&self, word: &str) {
        fs::write(self.path("control"), word).expect("a file");
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        self.tell("");
        let _ = Command::new("umount").arg(self.path("mount")).status();
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Runs a program that keeps its trace in a mount, which is told `word` from its first line on and to answer again so long after the
/// program's last one. Gives whether cgsan succeeded and what it said.
fn run_into(mount: &Mount, word: &str, after: Option<Duration>) -> (bool, String) {
    let mut run = watch("steps.py", &[], &mount.path("mount"), 2000, 100);
    let mut child = run
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cgsan runs");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let first = lines.next();
    mount.tell(word);
    // The program goes on to its last line, whatever the mount does. The pipe stays open until cgsan ends.
    let printed = first.into_iter().chain(lines.take(9)).count();
    if let Some(after) = after {
        thread::sleep(after);
        mount.tell("");
    }
    let mut said = String::new();
    let mut errors = child.stderr.take().expect("a pipe");
    errors.read_to_string(&mut said).expect("text");
    assert_eq!(printed, 10, "{word}: {said}");
    (child.wait().expect("cgsan ends").success(), said)
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn nothing_is_lost_while_a_mount_does_not_answer() {
    for (options, word) in [
        (&[][..], "stall"),
        (&["whole"], "stall"),
        (&[], "enospc"),
        (&[], "estale"),
    ] {
        let Some(mount) = Mount::new(options) else {
            return;
        };
        let (is_well, said) = run_into(&mount, word, Some(Duration::from_secs(3)));
        assert!(is_well, "{said}");
        let report = report_of(&trace_in(&mount.path("behind")));
        assert_eq!(report["coverage"]["replays"], 2000, "{word}: {report:#}");
        assert!(!report["notes"].to_string().contains("cut off"));
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn what_a_mount_does_not_take_is_left_on_this_machine() {
    let Some(mount) = Mount::new(&[]) else {
        return;
    };
    let (is_well, said) = run_into(&mount, "eio", None);
    assert!(!is_well);
    let left = said
        .split("show it within a day with `cgsan report ")
        .nth(1);
    let left = left.and_then(|it| it.split('`').next());
    let left = PathBuf::from(left.unwrap_or_else(|| panic!("{said}")));
    let report = report_of(&left);
    assert_eq!(report["coverage"]["replays"], 2000, "{report:#}");
    fs::remove_dir_all(left).expect("a folder");
}
