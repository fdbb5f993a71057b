//! Arguments that are wrong, and the exit status.

use super::{FAILS, folder, lint, text};

#[test]
fn a_wrong_id_is_told_with_the_one_that_was_meant() {
    let folder = folder(&[("fails.py", FAILS)]);
    for (wrong, meant) in [
        ("CG1O5", "did you mean `CG105`?"),
        ("cg101", "did you mean `CG101`?"),
        ("host-sync-in-capture", "did you mean `CG101`?"),
        ("E501", "write ids such as CG101"),
    ] {
        let output = lint(folder.path(), &["--select", wrong], "");
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(meant), "{said}");
    }
}

#[test]
fn a_wrong_format_is_told_with_those_that_there_are() {
    let output = lint(folder(&[]).path(), &["--format", "sarig"], "");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("'sarif'") && said.contains("concise"),
        "{said}"
    );
}

#[test]
fn findings_fail_unless_they_are_not_to() {
    let folder = folder(&[("fails.py", FAILS)]);
    let status = |arguments: &[&str]| lint(folder.path(), arguments, "").status.code();
    assert_eq!(status(&[]), Some(1));
    assert_eq!(status(&["--exit-zero"]), Some(0));
    assert_eq!(status(&["--exit-zero", "--select", "CG999"]), Some(2));
    assert_eq!(status(&["--exit-zero", "-"]), Some(0));
    assert!(text(&lint(folder.path(), &["--exit-zero"], "")).contains("CG101"));
}
