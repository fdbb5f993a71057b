//! `cgsan perf` on files.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use support::{cgsan, root};

fn perf(arguments: &[&str], files: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cgsan"));
    command.arg("perf").args(arguments).args(files);
    command.output().expect("cgsan starts")
}

/// A trace that `cgsan run --save` kept.
const RECORDED: &str = "examples/recorded/cg105_stream_not_forked.cgsan";

/// A trace of PyTorch's profiler on the virtual GPU; `tests/perf/replayed.py` made it.
fn replayed() -> PathBuf {
    root().join("tests/perf/replayed.json.gz")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn a_recorded_trace_is_told_in_a_page() {
    let output = perf(&["--width", "100"], &[&replayed()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    insta::assert_snapshot!(text(&output.stdout));
}

#[test]
fn steps_are_those_of_the_marker() {
    let marked = perf(&["--json", "--step-marker", "train step"], &[&replayed()]);
    let document: Value = serde_json::from_slice(&marked.stdout).expect("JSON");
    let process = &document["processes"][0];
    assert_eq!(process["steps"]["found"]["name"], "train step");
    assert_eq!(process["measures"]["replays"], 1);
    assert_eq!(process["measures"]["waits"], 1);
    assert_eq!(process["measures"]["copies_before_replays"], 1);
    let missing = perf(&["--json", "--step-marker", "epoch"], &[&replayed()]);
    let document: Value = serde_json::from_slice(&missing.stdout).expect("JSON");
    let process = &document["processes"][0];
    assert_eq!(process["steps"]["found"]["how"], "repeating");
    assert_eq!(process["not_measured"][1]["what"], "ranges named `epoch`");
}

#[test]
fn windows_of_one_process_are_taken_together() {
    let output = perf(&["--json"], &[&replayed(), &replayed()]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let processes = document["processes"].as_array().expect("a list");
    assert_eq!(processes.len(), 1);
    assert_eq!(processes[0]["files"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_trace_of_cgsan_has_no_times_of_the_device() {
    let output = perf(&["--json"], &[&root().join(RECORDED)]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let process = &document["processes"][0];
    assert_eq!(process["verdict"], "cannot_tell");
    assert_eq!(process["measures"]["device"], Value::Null);
    assert_eq!(process["not_measured"][0]["what"], "times of the device");
}

#[test]
fn an_export_of_nsight_is_known_by_its_content() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report");
    let database = rusqlite::Connection::open(&path).expect("a database");
    // Eight steps of ten launches each, of a process whose number is 4711.
    let tables = "
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId, demangledName);
        CREATE TABLE numbers (n, start);
        WITH RECURSIVE all_numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM all_numbers WHERE n < 79)
            INSERT INTO numbers SELECT n, n / 10 * 1000000 + n % 10 * 50000 FROM all_numbers;
        INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel');
        INSERT INTO StringIds SELECT n + 10, 'kernel ' || n FROM numbers WHERE n < 10;
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start, start + 5000, 4711 << 24, n + 1, 1 FROM numbers;
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start + 6000, start + 9000, 0, 7, n + 1, n % 10 + 10 FROM numbers;";
    database.execute_batch(tables).expect("rows");
    drop(database);
    let output = perf(&["--json"], &[&path]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let process = &document["processes"][0];
    assert_eq!(process["process"], 4711);
    assert_eq!(process["verdict"], "worth_it");
    assert_eq!(process["steps"]["found"]["launches"], 10);
    assert_eq!(process["measures"]["device"]["busy_ns"], 30_000);
}

#[test]
fn what_cannot_be_read_is_an_error_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        path
    };
    let mut told = String::new();
    for path in [
        file("empty", b""),
        file("text", b"step 1 took 5 ms"),
        file("malformed.json", b"{\"traceEvents\": [{\"ph\": \"X\"}, 5]}"),
        file("other.json", b"{\"loss\": 0.5}"),
        file(
            "damaged.sqlite",
            &[b"SQLite format 3\0", &[0; 200][..]].concat(),
        ),
        folder.path().join("missing.json"),
        folder.path().to_owned(),
    ] {
        let output = perf(&[], &[&path]);
        assert_eq!(output.status.code(), Some(2), "{}", path.display());
        assert_eq!(text(&output.stdout), "");
        told += &text(&output.stderr).replace(folder.path().to_str().expect("UTF-8"), "[folder]");
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_report_goes_into_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.json");
    let name = path.to_str().expect("UTF-8");
    let output = perf(&["--json", "--output", name], &[&replayed()]);
    assert!(output.stdout.is_empty() && output.status.success());
    let document = fs::read(&path).expect("it was written");
    let document: Value = serde_json::from_slice(&document).expect("JSON");
    assert_eq!(document["version"], 1);
}

/// What `cgsan perf --save` kept on an H100 of programs of `xtask/src/device_test/perf/programs.py`: their clocks and looks at
/// lines are cut to half a second.
#[test]
fn what_was_recorded_on_a_gpu_is_told_as_it_was_measured() {
    let mut told = String::new();
    for program in ["mlp_1", "input_copies", "transformer_512"] {
        let folder = root().join("tests/perf/h100").join(program);
        let output = perf(&["--width", "100"], &[&folder]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        told += &text(&output.stdout);
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_program_needs_a_real_gpu_or_the_word_virtual() {
    let output = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(["perf", "--", "true"])
        .env("CUDA_VISIBLE_DEVICES", "")
        .output()
        .expect("cgsan starts");
    assert_eq!(output.status.code(), Some(125));
    assert!(text(&output.stderr).contains("--virtual"));
}

#[test]
fn a_program_without_pytorch_ends_as_it_would() {
    let program = ["sh", "-c", "echo out; exit 7"];
    let output = cgsan(
        &root(),
        &[&["perf", "--virtual", "--"], &program[..]].concat(),
    );
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(text(&output.stdout), "out\n");
    assert!(text(&output.stderr).contains("nothing was seen"));
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_program_is_looked_at_while_it_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let (kept, report) = (
        folder.path().join("kept"),
        folder.path().join("report.json"),
    );
    let output = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args([
            "perf",
            "--virtual",
            "--after",
            "0",
            "--step-marker",
            "step",
            "--json",
        ])
        .arg("--output")
        .arg(&report)
        .arg("--save")
        .arg(&kept)
        .arg("--")
        .arg(support::python())
        .arg(root().join("tests/perf/steps.py"))
        .output()
        .expect("cgsan starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "done\n");
    let written = format!("cgsan: written: {}\n", report.display());
    assert_eq!(text(&output.stderr), written);
    let report = fs::read(&report).expect("a report");
    let again = perf(&["--json", "--step-marker", "step"], &[&kept]);
    for document in [&report, &again.stdout] {
        let document: Value = serde_json::from_slice(document).expect("JSON");
        let process = &document["processes"][0];
        assert_eq!(process["steps"]["found"]["name"], "step", "{process}");
        assert_eq!(process["measures"]["replays"], 1);
        assert_eq!(process["measures"]["waits"], 1);
        // The virtual GPU has no times, and nothing that rests on them is said.
        assert_eq!(process["verdict"], "cannot_tell");
        assert!(process["prediction"].is_null());
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn what_torch_compile_does_not_capture_or_captures_again_is_said() {
    for (program, words, line) in [
        ("skipped", "torch.compile captures no graph here", 10),
        (
            "recorded_again",
            "torch.compile captured this 5 more times",
            15,
        ),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_cgsan"))
            .args(["perf", "--virtual", "--after", "0", "--"])
            .arg(support::python())
            .arg(root().join(format!("tests/compiled/{program}.py")))
            .output()
            .expect("cgsan starts");
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert!(told.contains(words), "{told}");
        assert!(told.contains(&format!("{program}.py:{line}")), "{told}");
    }
}
