//! What `run`, `report` and `lint` write for code scanners, reviews and what shows the results of tests.

mod documented;
mod formats;
mod hostile;
mod page;
mod published;
mod sarif;
mod selection;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cgsan_trace::{format, read_records};

const CGSAN: &str = env!("CARGO_BIN_EXE_cgsan");

/// A recorded trace with one finding, at line 11 of an example.
const RECORDED: &str = "examples/recorded/cg105_stream_not_forked.cgsan";

/// The folder that the recorded trace names its files from.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// cgsan, in a folder, with these arguments.
fn cgsan(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(CGSAN);
    command.args(arguments).current_dir(folder);
    command.env("NO_COLOR", "1").env_remove("VIRTUAL_ENV");
    command.output().expect("cgsan starts")
}

/// What a command that succeeds writes to standard output.
fn written(output: &Output) -> String {
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    String::from_utf8(output.stdout.clone()).expect("it is UTF-8")
}

/// The findings of the recorded trace in a format.
fn report(format: &str) -> String {
    written(&cgsan(&root(), &["report", "--format", format, RECORDED]))
}

/// The recorded trace with other texts in it.
fn trace_with(change: impl Fn(&str) -> String) -> Vec<u8> {
    let bytes = std::fs::read(root().join(RECORDED)).expect("the recorded trace");
    let mut entries = read_records(&bytes).expect("a trace");
    for entry in &mut entries {
        let record = &mut entry.record;
        record.change_texts(&mut |text| *text = change(text));
    }
    format::encode_all(&entries)
}
