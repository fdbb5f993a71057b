//! Traces of strangers.

use std::fs;
use std::path::Path;

use cgsan_trace::{Record, format, read_records};

use super::{cgsan, make_pipe, output, stderr, stdout};

/// A recorded trace with one finding, at line 11 of a file.
const RECORDED: &str = "../../examples/recorded/cg105_stream_not_forked.cgsan";

/// The recorded trace with other texts in it.
pub fn trace_with(change: impl Fn(&str) -> String) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(RECORDED);
    let bytes = fs::read(path).expect("the recorded trace");
    let mut entries = read_records(&bytes).expect("a trace");
    for entry in &mut entries {
        if let Record::String { text, .. } = &mut entry.record {
            *text = change(text);
        }
    }
    format::encode_all(&entries)
}

/// The same, as if the program were this file.
fn trace_of(file: &Path) -> Vec<u8> {
    trace_with(|text| {
        if text.ends_with("fails.py") {
            file.to_string_lossy().into_owned()
        } else {
            text.to_owned()
        }
    })
}

/// Twenty lines.
fn lines(of: &str) -> String {
    format!("{of} = 1\n").repeat(20)
}

#[test]
fn a_trace_shows_no_lines_of_files_that_are_not_of_its_program() {
    let here = tempfile::tempdir().expect("a folder");
    let there = tempfile::tempdir().expect("a folder");
    let secret = there.path().join("secret.py");
    fs::write(&secret, lines("hidden")).expect("a file");
    fs::write(here.path().join("program.py"), lines("shown")).expect("a file");
    fs::write(here.path().join(".env"), lines("hidden")).expect("a file");
    std::os::unix::fs::symlink(&secret, here.path().join("link.py")).expect("a link");
    make_pipe(&here.path().join("pipe.py"));
    let show = |file: &Path, options: &[&str]| {
        fs::write(here.path().join("trace"), trace_of(file)).expect("a file");
        let mut command = cgsan(here.path(), &["report", "trace"]);
        command.args(options);
        let shown = output(command);
        assert_eq!(shown.status.code(), Some(0), "{}", stderr(&shown));
        stdout(&shown)
    };
    assert!(show(&here.path().join("program.py"), &[]).contains("shown = 1"));
    let strange = show(&secret, &[]);
    assert!(!strange.contains("hidden"), "{strange}");
    assert_eq!(strange.matches("are not shown").count(), 1, "{strange}");
    let named = there.path().to_str().expect("a plain name");
    assert!(show(&secret, &["--sources", named]).contains("hidden = 1"));
    assert!(show(&secret, &["--stack", "--json"]).contains("CG105"));
    for file in ["link.py", ".env", "pipe.py", "trace"] {
        let text = show(&here.path().join(file), &["--stack"]);
        assert!(!text.contains("hidden"), "{file}: {text}");
    }
    for file in ["/proc/self/environ", "/dev/zero", "/dev/tty"] {
        let text = show(Path::new(file), &["--stack", "--sources", "/"]);
        assert!(!text.contains("CGSAN_LIBRARY="), "{file}: {text}");
    }
    let refused = output(cgsan(
        here.path(),
        &["report", "trace", "--sources", "gone"],
    ));
    assert_eq!(refused.status.code(), Some(2));
}
