//! What reaches a terminal.

use std::fs;

use cgsan_render::FORMS;

use super::traces::trace_with;
use super::{cgsan, output};

/// Ends a line, sets a title, moves the cursor, turns text around.
const HOSTILE: &str = "\u{1b}]0;title\u{7}\u{9b}2J\u{202e}\u{2066}\u{200f}\u{2028}\u{7f}\r\u{8}";

/// The names of all formats.
fn formats() -> Vec<&'static str> {
    let shared = FORMS.iter().map(|it| it.name);
    ["text", "json"].into_iter().chain(shared).collect()
}

/// Fails if a character is in an output that a terminal would obey.
pub fn check(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let is_obeyed = |c: &char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || "\u{61c}\u{200e}\u{200f}".contains(*c)
            || ('\u{2028}'..='\u{202e}').contains(c)
            || ('\u{2066}'..='\u{2069}').contains(c)
    };
    assert_eq!(text.chars().find(is_obeyed), None, "{what}: {text:?}");
}

#[test]
fn texts_of_a_trace_are_shown_and_not_obeyed() {
    let folder = tempfile::tempdir().expect("a folder");
    let hostile = |text: &str| match text.strip_suffix("fails.py") {
        Some(_) => format!("{HOSTILE}.py"),
        None => format!("{text}{HOSTILE}"),
    };
    fs::write(folder.path().join("trace"), trace_with(hostile)).expect("a file");
    let source = format!("x = '{HOSTILE}'\n").repeat(30);
    fs::write(folder.path().join(format!("{HOSTILE}.py")), source).expect("a file");
    let formats = formats().into_iter().map(|it| vec!["--format", it]);
    for options in formats.chain([vec!["--stack"]]) {
        let mut command = cgsan(folder.path(), &["report", "trace", "--color", "never"]);
        command.args(&options);
        let shown = output(command);
        assert_eq!(shown.status.code(), Some(0));
        check(&format!("{options:?}"), &shown.stdout);
        check(&format!("{options:?}"), &shown.stderr);
    }
}

#[test]
fn texts_of_source_and_names_of_files_are_shown_and_not_obeyed() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = format!("{HOSTILE}.py");
    let source = format!(
        "import torch\nx = torch.ones(8, device='cuda')\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    x.sum().item()  # {HOSTILE}\n",
    );
    fs::write(folder.path().join(&name), source.replace('\r', "")).expect("a file");
    fs::write(
        folder.path().join("broken.py"),
        format!("def {HOSTILE}(:\n"),
    )
    .expect("a file");
    for format in formats() {
        let shown = output(cgsan(folder.path(), &["lint", "--format", format]));
        assert_eq!(shown.status.code(), Some(1), "{format}");
        check(format, &shown.stdout);
        check(format, &shown.stderr);
    }
    for arguments in [
        &["explain", HOSTILE][..],
        &["lint", HOSTILE],
        &["report", HOSTILE],
        &["lint", "--select", HOSTILE],
        &["run", HOSTILE],
        &["env", "--python", HOSTILE],
        &["lint", "--format", HOSTILE],
        &[HOSTILE],
    ] {
        let told = output(cgsan(folder.path(), arguments));
        check(&format!("{arguments:?}"), &told.stdout);
        check(&format!("{arguments:?}"), &told.stderr);
    }
    let log = format!(
        "RuntimeError: {HOSTILE} CUDA error: capturing stream has unjoined work {HOSTILE}\n"
    );
    fs::write(folder.path().join("log"), log).expect("a file");
    for arguments in [&["explain", "log"][..], &["explain", "--json", "log"]] {
        check("a log", &output(cgsan(folder.path(), arguments)).stdout);
    }
}
