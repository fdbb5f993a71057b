//! `cgsan explain` on the command line: what it takes, in which language it answers, and how it ends.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const CGSAN: &str = env!("CARGO_BIN_EXE_cgsan");

/// A traceback whose cause is its first exception.
const TRACEBACK: &str = r#"Traceback (most recent call last):
  File "train.py", line 31, in <module>
    total += loss.item()
torch.AcceleratorError: CUDA error: operation not permitted when stream is capturing

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "train.py", line 28, in <module>
    with torch.cuda.graph(graph):
torch.AcceleratorError: CUDA error: operation failed due to a previous error during capture
"#;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(CGSAN);
    command
        .arg("explain")
        .args(arguments)
        .env("NO_COLOR", "1")
        .env("LC_ALL", "C")
        .env_remove("COLUMNS");
    command
}

fn run(arguments: &[&str]) -> Output {
    with_input(command(arguments), b"")
}

fn with_input(mut command: Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cgsan starts");
    // It may end before it has read all.
    let _ = child.stdin.take().expect("it is piped").write_all(input);
    child.wait_with_output().expect("cgsan ends")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A file of the test's own.
fn file(name: &str, content: &[u8]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("explain");
    fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(name);
    fs::write(&path, content).expect("the file can be written");
    path
}

fn candidates(output: &Output) -> Vec<String> {
    let document: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(document["version"], 1);
    let candidates = document["candidates"].as_array().expect("it is a list");
    candidates
        .iter()
        .map(|candidate| {
            for field in ["title", "reason"] {
                assert!(candidate[field].is_string(), "{field}");
            }
            assert!(candidate["score"].is_u64());
            candidate["id"].as_str().expect("it is a text").to_owned()
        })
        .collect()
}

#[test]
fn an_id_is_explained_in_any_case_and_by_name() {
    let by_id = run(&["cg101"]);
    assert!(by_id.status.success());
    assert!(stdout(&by_id).starts_with("CG101: "), "{}", stdout(&by_id));
    assert_eq!(stdout(&run(&["Host-Sync-In-Capture"])), stdout(&by_id));
}

#[test]
fn all_of_an_entry_is_shown_where_it_is_asked_for() {
    let (short, all) = (run(&["CG101"]), run(&["CG101", "--all"]));
    let all = stdout(&all);
    assert!(all.contains("Sources"));
    assert!(stdout(&short).contains("cgsan explain CG101 --all"));
    assert!(stdout(&short).lines().count() * 3 < all.lines().count());
}

#[test]
fn the_ids_are_listed_one_line_each() {
    let listed = run(&["--list"]);
    assert!(listed.status.success());
    let lines: Vec<String> = stdout(&listed).lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), cgsan_catalogue::entries().len());
    assert!(lines[0].starts_with("CG101  "), "{}", lines[0]);
}

#[test]
fn an_unknown_id_is_answered_with_near_ones() {
    let near = run(&["CG50"]);
    assert_eq!(near.status.code(), Some(1));
    assert!(stderr(&near).contains("CG501 "), "{}", stderr(&near));
}

#[test]
fn a_code_is_explained_by_its_number_and_by_either_name() {
    let by_number = run(&["906"]);
    assert!(by_number.status.success());
    assert!(stdout(&by_number).starts_with("error 906: "));
    for name in [
        "cudaErrorStreamCaptureImplicit",
        "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
    ] {
        assert_eq!(stdout(&run(&[name])), stdout(&by_number));
    }
    assert_eq!(
        candidates(&run(&["904", "--json"])),
        ["CG106"],
        "904 has one cause"
    );
}

#[test]
fn a_traceback_is_explained_from_a_file_and_from_standard_input() {
    let path = file("traceback.txt", TRACEBACK.as_bytes());
    let from_file = run(&[path.to_str().expect("it is text")]);
    assert!(from_file.status.success());
    let from_input = with_input(command(&[]), TRACEBACK.as_bytes());
    assert_eq!(stdout(&from_file), stdout(&from_input));
    assert!(stdout(&from_input).contains("cgsan run -- python train.py"));
    let json = with_input(command(&["-", "--json"]), TRACEBACK.as_bytes());
    assert_eq!(candidates(&json)[0], "CG101");
}

#[test]
fn an_error_text_needs_no_quotation_marks() {
    let quoted = run(&["capturing stream has unjoined work", "--json"]);
    assert_eq!(candidates(&quoted)[0], "CG106");
    let words = run(&["capturing", "stream", "has", "unjoined", "work", "--json"]);
    assert_eq!(stdout(&words), stdout(&quoted));
}

#[test]
fn pasted_code_is_weighed_with_the_error() {
    let text = "\
My capture fails with `operation not permitted when stream is capturing`:

```python
import torch

x = torch.randn(3, 4).cuda()
mask = x.ge(0.5)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.masked_select(mask)
```
";
    let path = file("question.txt", text.as_bytes());
    let path = path.to_str().expect("it is text");
    let document: Value = serde_json::from_slice(&run(&[path, "--json"]).stdout).expect("JSON");
    let first = &document["candidates"][0];
    assert_eq!(first["id"], "CG101");
    assert_eq!(first["line"], 10);
    assert_eq!(first["error"], "y = x.masked_select(mask)");
    let answer = stdout(&run(&[path]));
    assert!(answer.starts_with("The answer\n  CG101: "), "{answer}");
    assert!(answer.contains("y = x.masked_select(mask)"), "{answer}");
}

#[test]
fn what_is_no_failure_of_a_graph_is_said_to_be_none() {
    let error =
        run(&["RuntimeError: CUDA driver version is insufficient for CUDA runtime version"]);
    assert_eq!(error.status.code(), Some(1));
    let said = stdout(&error);
    assert!(
        said.starts_with("This is not a CUDA graph failure. The NVIDIA driver is too old"),
        "{said}"
    );
}

#[test]
fn the_language_is_that_of_the_locale_unless_one_is_asked_for() {
    let asked = stdout(&run(&["CG106", "--lang", "zh"]));
    assert!(asked.contains("原因"), "{asked}");
    let mut chinese = command(&["CG106"]);
    chinese.env("LC_ALL", "zh_CN.UTF-8");
    assert_eq!(stdout(&with_input(chinese, b"")), asked);
    let mut english = command(&["CG106", "--lang", "en"]);
    english.env("LC_ALL", "zh_CN.UTF-8");
    assert!(stdout(&with_input(english, b"")).contains("Why"));
}

#[test]
fn what_is_unknown_ends_with_1_and_the_nearest_entries() {
    let id = run(&["CG999"]);
    assert_eq!(id.status.code(), Some(1));
    insta::assert_snapshot!("unknown id", stderr(&id));
    let text = with_input(
        command(&[]),
        b"the loss of my graph is different when the input tensor is replaced",
    );
    let json = with_input(command(&["--json"]), b"it rains\n");
    assert_eq!(json.status.code(), Some(1));
    assert_eq!(candidates(&json), [""; 0]);
    let nothing = with_input(command(&[]), b"it rains\n");
    assert_eq!(nothing.status.code(), Some(1));
    insta::assert_snapshot!("unknown text", stderr(&nothing));
    assert!(text.status.code().is_some_and(|code| code < 2));
}

#[test]
fn what_is_no_text_ends_with_2_and_what_to_do() {
    let folder = run(&["/"]);
    assert_eq!(folder.status.code(), Some(2));
    insta::assert_snapshot!("a folder", stderr(&folder));
    let wrong = [
        ("empty", &b""[..]),
        ("blank", b" \n\n"),
        ("binary", b"\x7fELF\0\0\0"),
        ("utf16", b"\xff\xfeT\0r\0"),
    ];
    for (name, content) in wrong {
        let output = with_input(command(&[]), content);
        assert_eq!(output.status.code(), Some(2), "{name}");
        insta::assert_snapshot!(name, stderr(&output));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = command(&["CG101"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("cgsan starts");
    drop(child.stdout.take());
    assert!(child.wait().expect("cgsan ends").success());
}
