//! What is read.

use std::fs;
use std::process::Command;

use super::{FAILS, cgsan, make_pipe, output, shell, stderr, stdout};

#[test]
fn pipes_and_devices_in_the_place_of_files_are_told_and_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for pipe in [
        "log",
        "trace",
        "baseline",
        "pipe.py",
        "inner/pyproject.toml",
    ] {
        fs::create_dir_all(at("inner")).expect("a folder");
        make_pipe(&at(pipe));
    }
    fs::write(at("fails.py"), FAILS).expect("a file");
    fs::write(at("inner/fails.py"), FAILS).expect("a file");
    let cases: [(&[&str], &str); 11] = [
        (&["explain", "log"], "nobody writes into this pipe"),
        (&["explain", "/dev/zero"], "it is a device"),
        (
            &["explain", "/proc/self/environ"],
            "it is a file of the kernel",
        ),
        (&["explain", "inner"], "it is a folder"),
        (&["report", "trace"], "it is a pipe"),
        (&["report", "/dev/zero"], "it is a device"),
        (&["diff", "trace", "trace"], "it is a pipe"),
        (&["graph", "/dev/zero"], "it is a device"),
        (
            &["lint", "--baseline", "baseline", "fails.py"],
            "it is a pipe",
        ),
        (&["lint", "inner/fails.py"], "pyproject.toml: it is a pipe"),
        (
            &["lint", "--quiet", "/proc/self/status"],
            "it is a file of the kernel",
        ),
    ];
    for (arguments, why) in cases {
        let said = output(cgsan(folder.path(), arguments));
        let text = stderr(&said) + &stdout(&said);
        assert!(matches!(said.status.code(), Some(1 | 2)), "{arguments:?}");
        assert!(text.contains(why), "{arguments:?}: {text}");
    }
    let said = output(cgsan(folder.path(), &["lint", "pipe.py"]));
    assert!(
        stdout(&said).contains("nobody writes into this pipe"),
        "{}",
        stdout(&said)
    );
}

#[test]
fn a_pipe_that_the_shell_makes_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = shell(
        folder.path(),
        "\"$CGSAN\" explain <(sleep 0.1; echo 'CUDA error: capturing stream has unjoined work')",
    );
    assert_eq!(said.status.code(), Some(0), "{}", stderr(&said));
    assert!(stdout(&said).contains("CG106"));
}

#[test]
fn a_size_that_a_trace_names_takes_no_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("huge.cgsan");
    let bytes = cgsan_trace::format::encode_all(&[]);
    let mut header = bytes[..cgsan_trace::format::HEADER_LENGTH].to_vec();
    let at = cgsan_trace::format::COMMITTED_OFFSET;
    header[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    fs::write(&path, &header).expect("a file");
    let file = fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .expect("a file");
    file.set_len(1 << 40).expect("it may be sparse");
    let mut limited = Command::new("bash");
    limited
        .args(["-c", "ulimit -v 2000000; exec \"$0\" report \"$1\""])
        .arg(super::CGSAN)
        .arg(&path);
    let said = output(limited);
    assert_eq!(said.status.code(), Some(2), "{}", stderr(&said));
    assert!(
        stderr(&said).contains("no readable record"),
        "{}",
        stderr(&said)
    );
}
