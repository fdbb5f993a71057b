//! What cgsan is published with: that the files agree with each other, and that the steps of `action.yml` do what they say.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use super::{CGSAN, RECORDED, root};

/// A program that the linter finds something in.
const PROGRAM: &str = "examples/cg105_stream_not_forked/fails.py";

fn text(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn json(file: &str) -> Value {
    serde_json::from_str(&text(file)).expect("JSON")
}

/// The script of a step, from the line that holds `mark` on.
fn script(action: &str, mark: &str) -> String {
    let (_, step) = action.split_once(mark).expect("the step");
    let (_, script) = step.split_once("run: |\n").expect("a script");
    let lines = script
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with("        "));
    lines
        .map(|line| line.trim_start_matches("        ").to_owned() + "\n")
        .collect()
}

/// A runner: a folder with a program, the command, and what GitHub gives to steps.
struct Runner(TempDir);

impl Runner {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("bin")).expect("a folder");
        fs::create_dir_all(at("cgsan/traces")).expect("a folder");
        fs::copy(root().join(PROGRAM), at("train.py")).expect("the example");
        symlink(CGSAN, at("bin/cgsan")).expect("a link");
        Self(folder)
    }

    fn step(&self, script: &str, inputs: &[(&str, &str)]) -> Output {
        let at = |name: &str| self.0.path().join(name);
        let path = env::var("PATH").unwrap_or_default();
        let output = Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(self.0.path())
            .env("PATH", format!("{}:{path}", at("bin").display()))
            .env("CGSAN_FOLDER", at("cgsan"))
            .env("GITHUB_OUTPUT", at("output"))
            .env("GITHUB_STEP_SUMMARY", at("summary"))
            .envs(inputs.iter().copied())
            .output();
        output.expect("bash starts")
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).expect("it was written")
    }
}

#[test]
fn the_action_annotates_what_the_source_shows() {
    let runner = Runner::new();
    let lint = script(&text("action.yml"), "- id: lint\n");
    let output = runner.step(&lint, &[("PATHS", "train.py bin")]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("::error file=train.py,line=11"), "{told}");
    assert!(runner.file("cgsan/lint.sarif").contains("CG105"));
    let sarif = runner.0.path().join("cgsan/lint.sarif");
    assert_eq!(
        runner.file("output"),
        format!("status=1\nsarif={}\n", sarif.display())
    );
}

#[test]
fn the_action_shows_what_the_run_shows() {
    let runner = Runner::new();
    let trace = runner.0.path().join("cgsan/traces/trace-1.cgsan");
    fs::copy(root().join(RECORDED), trace).expect("a trace");
    let run = script(&text("action.yml"), "- id: run\n");
    let inputs = [
        ("OPTIONS", "--virtual"),
        ("PROGRAM", "echo \"$0\" ran; exit 7"),
    ];
    let output = runner.step(&run, &inputs);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(
        told.contains("bash ran") && told.contains("::error "),
        "{told}"
    );
    assert!(runner.file("cgsan/run.sarif").contains("CG105"));
    assert!(runner.file("summary").contains("CG105"));
    let sarif = runner.0.path().join("cgsan/run.sarif");
    assert_eq!(
        runner.file("output"),
        format!("sarif={}\nstatus=7\n", sarif.display())
    );
}

#[test]
fn the_action_fails_for_what_it_found() {
    let runner = Runner::new();
    let last = script(&text("action.yml"), "- name: Fail if");
    let status = |lint, run| {
        let output = runner.step(&last, &[("LINT", lint), ("RUN", run)]);
        output.status.code()
    };
    assert_eq!(status("0", ""), Some(0));
    assert_eq!(status("", "0"), Some(0));
    assert_eq!(status("1", "0"), Some(1));
    assert_eq!(status("", "123"), Some(1));
}

#[test]
fn every_input_of_the_action_is_declared_and_used() {
    let action = text("action.yml");
    let (inputs, _) = action.split_once("\noutputs:").expect("inputs");
    let (_, inputs) = inputs.split_once("inputs:\n").expect("inputs");
    let declared: BTreeSet<&str> = inputs
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.trim().strip_suffix(':'))
        .collect();
    let used: BTreeSet<&str> = action
        .split("inputs.")
        .skip(1)
        .filter_map(|rest| rest.split(|c: char| !c.is_ascii_lowercase()).next())
        .collect();
    assert_eq!(used, declared);
}

#[test]
fn everything_that_is_published_has_one_version() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(json("editors/vscode/package.json")["version"], version);
    let lock = json("editors/vscode/package-lock.json");
    assert_eq!(lock["version"], version);
    assert_eq!(lock["packages"][""]["version"], version);
    let recipe = text("packaging/conda/recipe.yaml");
    assert!(recipe.contains(&format!("\n  version: \"{version}\"\n")));
}

#[test]
fn the_release_runs_what_is_there() {
    let release = text(".github/workflows/release.yml");
    let scripts = &json("editors/vscode/package.json")["scripts"];
    assert!(release.contains("npm test\n") && scripts["test"].is_string());
    assert!(release.contains("npm run package\n") && scripts["package"].is_string());
    for file in [
        "packaging/Containerfile",
        "editors/vscode/package-lock.json",
    ] {
        let folder = file.rsplit_once('/').map_or(file, |(folder, _)| folder);
        assert!(release.contains(folder), "{folder}");
        assert!(root().join(file).is_file(), "{file}");
    }
    // What a lock file says of where packages come from is another machine's matter.
    assert!(!text("editors/vscode/package-lock.json").contains("\"resolved\""));
}
