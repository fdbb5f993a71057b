//! The commands of `docs/ci.md`, all of them, in the order of the page.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use cgsan_render::FORMS;
use tempfile::TempDir;

use super::{CGSAN, RECORDED, page, root};

/// What the page runs as `python train.py`.
const PROGRAM: &str = "examples/cg105_stream_not_forked/fails.py";

/// What the commands write.
const WRITTEN: [&str; 3] = ["cgsan.sarif", "cgsan.xml", "summary"];

fn documented() -> String {
    fs::read_to_string(root().join("docs/ci.md")).expect("the page")
}

/// The lines of the page that are commands of cgsan, also those in steps of the workflow.
fn commands(page: &str) -> Vec<&str> {
    let lines = page.lines().map(str::trim);
    let lines = lines.map(|it| it.strip_prefix("run: ").unwrap_or(it));
    lines.filter(|it| it.starts_with("cgsan ")).collect()
}

/// A folder with a program, a place for traces, and the commands `cgsan` and `python` in `bin`.
fn folder(python: &Path) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("traces")).expect("a folder");
    fs::create_dir(at("bin")).expect("a folder");
    fs::copy(root().join(PROGRAM), at("train.py")).expect("the example");
    symlink(CGSAN, at("bin/cgsan")).expect("a link");
    // A link would hide from Python which environment it is of.
    let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", python.display());
    fs::write(at("bin/python"), script).expect("a file");
    let made = Command::new("chmod")
        .arg("+x")
        .arg(at("bin/python"))
        .status();
    assert!(made.expect("chmod starts").success());
    folder
}

/// Runs a command, which may find something, and must not fail otherwise. Returns its exit status.
fn shell(folder: &Path, command: &str) -> i32 {
    let path = env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", format!("{}/bin:{path}", folder.display()))
        .env("GITHUB_STEP_SUMMARY", folder.join("summary"))
        .output()
        .expect("sh starts");
    let status = output.status.code().expect("no signal ends it");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(status < 2, "{command}: {status}: {told}");
    status
}

/// Fails if what the commands wrote does not name the finding.
fn check(folder: &Path) {
    for name in WRITTEN {
        let text = fs::read_to_string(folder.join(name)).expect("it was written");
        assert!(text.contains("CG105"), "{name}: {text}");
    }
}

#[test]
fn every_command_of_the_page_does_what_it_says() {
    // Without PyTorch nothing is recorded, and the trace that was recorded before takes its place.
    let folder = folder(Path::new("/bin/true"));
    fs::copy(
        root().join(RECORDED),
        folder.path().join("traces/trace-1.cgsan"),
    )
    .expect("a trace");
    let page = documented();
    let commands = commands(&page);
    let subcommand = |it: &&str| it.split(' ').nth(1).map(str::to_owned);
    let subcommands: BTreeSet<String> = commands.iter().filter_map(subcommand).collect();
    assert_eq!(
        subcommands,
        ["lint", "report", "run"].map(str::to_owned).into()
    );
    for command in commands {
        shell(folder.path(), command);
    }
    check(folder.path());
}

#[test]
fn the_page_has_every_format() {
    let page = documented();
    for format in ["text", "json"]
        .into_iter()
        .chain(FORMS.iter().map(|it| it.name))
    {
        let row = format!("\n| `{format}` | ");
        assert!(
            page.contains(&row),
            "docs/ci.md has no row `{format}` in its table of formats"
        );
    }
}

#[test]
#[ignore = "needs PyTorch"]
fn the_run_of_the_page_finds_what_its_reports_show() {
    let python = env::var_os("CGSAN_TEST_PYTHON").expect("an interpreter with PyTorch");
    let folder = folder(&PathBuf::from(python));
    let page = documented();
    let (_, block) = page.split_once("```sh\n").expect("there is a block");
    let (block, _) = block.split_once("```").expect("it ends");
    for command in commands(block) {
        let is_strict = command.contains("--strict");
        assert_eq!(
            shell(folder.path(), command),
            i32::from(is_strict),
            "{command}"
        );
    }
    check(folder.path());
    let summary = fs::read_to_string(folder.path().join("summary")).expect("it was written");
    page::check(&summary);
}

#[test]
fn the_page_has_every_hook() {
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).expect("the hooks");
    let page = documented();
    let of = |name: &'static str| {
        hooks
            .lines()
            .filter_map(move |it| it.trim().strip_prefix(name))
    };
    assert_eq!(of("- id: ").count(), 2);
    for id in of("- id: ") {
        assert!(page.contains(&format!("`{id}`")), "{id}");
    }
    for entry in of("entry: ") {
        assert!(
            commands(&page).contains(&format!("{entry} train.py").as_str()),
            "{entry}"
        );
    }
}
