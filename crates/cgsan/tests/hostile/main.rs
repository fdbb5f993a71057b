//! What a hostile or careless surrounding does: special files, limits, kills, untrusted traces.

mod growth;
mod inputs;
mod kills;
mod leftovers;
mod mutations;
mod outputs;
mod poor;
mod private;
mod processes;
mod terminal;
mod traces;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const CGSAN: &str = env!("CARGO_BIN_EXE_cgsan");

/// A program with one finding that `--fix` repairs.
const FAILS: &str = "\
import torch

opt = torch.optim.Adam([torch.ones(1, device=\"cuda\")])
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    opt.step()
";

/// The same, repaired.
const REPAIRED: &str = "\
import torch

opt = torch.optim.Adam([torch.ones(1, device=\"cuda\")], capturable=True)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    opt.step()
";

/// `cgsan` with `arguments`, in `folder`. Programs that are not Python never load the library, so any file will do for it.
fn cgsan(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(CGSAN);
    command
        .args(arguments)
        .current_dir(folder)
        .env("CGSAN_LIBRARY", CGSAN)
        .env("NO_COLOR", "1")
        .env_remove("PYTHONPATH")
        .env_remove("VIRTUAL_ENV")
        .stdin(Stdio::null());
    command
}

/// What it does, which must not take longer than a person waits.
fn output(mut command: Command) -> Output {
    let begun = Instant::now();
    let output = command.output().expect("it starts");
    assert!(begun.elapsed() < Duration::from_secs(20), "{command:?}");
    output
}

/// The same by a line of a shell, in which `$CGSAN` is the command.
fn shell(folder: &Path, line: &str) -> Output {
    let mut command = Command::new("bash");
    command
        .args(["-c", line])
        .current_dir(folder)
        .env("CGSAN", CGSAN)
        .env("CGSAN_LIBRARY", CGSAN)
        .env("NO_COLOR", "1")
        .env_remove("PYTHONPATH")
        .env_remove("VIRTUAL_ENV")
        .stdin(Stdio::null());
    output(command)
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.is_ok_and(|it| it.success()));
}

/// The names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Reads a pipe to its end meanwhile.
fn reader_of(pipe: &Path) -> thread::JoinHandle<String> {
    let pipe = pipe.to_owned();
    thread::spawn(move || fs::read_to_string(pipe).expect("a pipe"))
}
