//! The programs of the catalogue are Python. `cargo xtask verify` runs them; here they are compiled.

use std::io::Write;
use std::process::{Command, Stdio};

/// Compiles each string of a JSON list of `[name, code]` and prints those that fail.
const CHECKER: &str = "
import json, sys
for name, code in json.load(sys.stdin):
    try:
        compile(code, name, 'exec', dont_inherit=True)
    except SyntaxError as error:
        print(f'{name}: {error}')
";

#[test]
fn every_program_is_python() {
    let programs: Vec<(&str, &str)> = cgsan_catalogue::entries()
        .iter()
        .flat_map(cgsan_catalogue::Entry::programs)
        .map(|program| (program.path, program.source))
        .collect();
    let input = serde_json::to_vec(&programs).expect("strings are JSON");

    let mut python = Command::new("python3")
        .args(["-c", CHECKER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the tests need `python3` on the PATH");
    python
        .stdin
        .take()
        .expect("stdin is piped")
        .write_all(&input)
        .expect("python3 reads its input");
    let output = python.wait_with_output().expect("python3 ends");

    assert!(output.status.success(), "python3: {}", output.status);
    let faults = String::from_utf8_lossy(&output.stdout);
    assert!(faults.is_empty(), "{faults}");
    assert!(programs.len() > cgsan_catalogue::entries().len());
}
