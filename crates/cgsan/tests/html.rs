//! `--html`: a page about a run.

mod support;

use std::process::Command;

use support::{root, temporary_folder};

#[test]
fn a_page_is_written_beside_the_report() {
    let folder = temporary_folder().expect("a folder");
    let page = folder.path().join("report.html");
    let output = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(["report", "--html"])
        .args([
            &page,
            &root().join("examples/recorded/cg105_stream_not_forked.cgsan"),
        ])
        .current_dir(root())
        .output()
        .expect("cgsan runs");
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("error[CG105]"), "{text}");
    assert!(
        !text.contains("graph 1:"),
        "only --graphs asks for it in the text"
    );
    let page = std::fs::read_to_string(&page).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(
        page.contains("left = x.cos()"),
        "the line of source is there"
    );
    assert!(page.contains("<code>cuMemAlloc_v2</code>"));
}

#[test]
fn a_page_that_cannot_be_written_is_told_before_the_program_starts() {
    let output = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args([
            "run",
            "--virtual",
            "--html",
            "/nowhere/report.html",
            "--",
            "false",
        ])
        .output()
        .expect("cgsan runs");
    assert_eq!(output.status.code(), Some(125));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("--html") && text.contains("/nowhere/report.html"),
        "{text}"
    );
}
