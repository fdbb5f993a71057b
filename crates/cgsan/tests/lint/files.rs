//! Files other than plain files with plain names.

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Command, Stdio};

use super::{CGSAN, FAILS, QUIET, folder, ids, lint, report_of, text};

#[test]
fn links_that_lead_nowhere_or_in_a_circle_end() {
    let folder = folder(&[("src/fails.py", FAILS)]);
    let at = |name: &str| folder.path().join(name);
    symlink("..", at("src/up")).expect("a link can be made");
    symlink("circle.py", at("circle.py")).expect("a link can be made");
    symlink("gone.py", at("dangling.py")).expect("a link can be made");
    assert_eq!(ids(&lint(folder.path(), &["--json"], "")), ["CG101"]);
    let circle = lint(folder.path(), &["circle.py"], "");
    assert_eq!(circle.status.code(), Some(2));
    let said = String::from_utf8_lossy(&circle.stderr).into_owned();
    assert!(said.contains("circle.py cannot be read: "), "{said}");
    let dangling = lint(folder.path(), &["dangling.py"], "");
    assert!(String::from_utf8_lossy(&dangling.stderr).contains("file or folder not found"));
}

#[test]
fn a_pipe_in_a_folder_is_left_alone_and_one_that_is_named_is_read() {
    let folder = folder(&[("quiet.py", QUIET)]);
    let pipe = folder.path().join("pipe.py");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|it| it.success()));
    let of_folder = lint(folder.path(), &[], "");
    assert_eq!(of_folder.status.code(), Some(0));
    let writer = std::thread::spawn(move || fs::write(pipe, FAILS));
    assert_eq!(
        ids(&lint(folder.path(), &["--json", "pipe.py"], "")),
        ["CG101"]
    );
    assert!(writer.join().is_ok_and(|it| it.is_ok()));
}

#[test]
fn names_may_hold_anything() {
    let folder = folder(&[("line\nbreak.py", FAILS)]);
    let name = OsStr::from_bytes(b"latin-\xe9.py");
    fs::write(folder.path().join(name), FAILS).expect("it can be written");
    let plain = text(&lint(folder.path(), &[], ""));
    assert!(plain.contains("latin-\u{fffd}.py:8:12"), "{plain}");
    assert!(plain.contains("line␊break.py:8:12"), "{plain}");
    assert_eq!(plain.matches("value.sum().item()").count(), 2, "{plain}");
    let concise = text(&lint(folder.path(), &["--format", "concise", "-q"], ""));
    assert_eq!(concise.lines().count(), 2, "{concise}");
    let annotations = text(&lint(folder.path(), &["--format", "github"], ""));
    assert!(
        annotations.contains("file=line%0Abreak.py,"),
        "{annotations}"
    );
    let sarif = report_of(&lint(folder.path(), &["--format", "sarif"], ""));
    assert!(sarif.to_string().contains("latin-%E9.py"));
    assert_eq!(lint(folder.path(), &["--diff"], "").status.code(), Some(0));
}

#[test]
fn a_folder_that_may_not_be_read_is_named() {
    let folder = folder(&[("fails.py", FAILS), ("closed/quiet.py", QUIET)]);
    let closed = folder.path().join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).expect("it is ours");
    if fs::read_dir(&closed).is_ok() {
        return; // The superuser may read everything.
    }
    let output = lint(folder.path(), &[], "");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("it is ours");
    let said = text(&output);
    assert!(
        said.contains("CG101") && said.contains("--> closed\n"),
        "{said}"
    );
}

#[test]
fn a_large_file_is_looked_at_and_a_huge_one_is_refused() {
    let line = "values = [0, 1, 2, 3]\n";
    let large = format!("{FAILS}{}", line.repeat((4 << 20) / line.len()));
    let huge = line.repeat((17 << 20) / line.len());
    let folder = folder(&[("large.py", &large), ("huge.py", &huge)]);
    let output = lint(folder.path(), &[], "");
    let said = text(&output);
    assert!(said.contains("large.py:8:12"), "{said}");
    assert!(
        said.contains("it is larger than 16 MB\n--> huge.py\n"),
        "{said}"
    );
}

#[test]
fn a_pipe_that_is_named_is_read() {
    let folder = folder(&[("quiet.py", QUIET)]);
    let output = lint(folder.path(), &["/dev/stdin", "quiet.py"], FAILS);
    let said = text(&output);
    assert!(said.contains("--> /dev/stdin:8:12"), "{said}");
    assert!(said.contains("1 finding (2 files"), "{said}");
    let unwritable = lint(folder.path(), &["--fix", "/dev/stdin"], FAILS);
    assert_eq!(unwritable.status.code(), Some(2));
    let said = String::from_utf8_lossy(&unwritable.stderr).into_owned();
    assert!(
        said.contains("is a pipe, which `--fix` cannot write"),
        "{said}"
    );
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = folder(&[("fails.py", FAILS)]);
    let mut child = Command::new(CGSAN)
        .args(["lint", "--width", "100"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cgsan starts");
    drop(child.stdout.take());
    let mut said = String::new();
    let mut errors = child.stderr.take().expect("it is piped");
    errors.read_to_string(&mut said).expect("it is UTF-8");
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    assert_eq!(said, "");
}

#[test]
fn a_file_of_other_line_breaks_has_the_same_places() {
    let breaks = [("crlf.py", "\r\n"), ("cr.py", "\r")];
    let files: Vec<(&str, String)> = breaks
        .iter()
        .map(|(name, with)| (*name, FAILS.replace('\n', with)))
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let folder = folder(&files);
    let said = text(&lint(folder.path(), &[], ""));
    for (name, _) in breaks {
        assert!(said.contains(&format!("{name}:8:12")), "{said}");
    }
    assert_eq!(
        said.matches("8 |     return value.sum().item()\n").count(),
        2,
        "{said}"
    );
}
