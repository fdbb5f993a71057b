//! The package `cgsan` in Python and in notebooks, by the programs of `tests/python`, which check what they are told.

mod support;

use std::path::PathBuf;
use std::process::{Command, Output};

use support::{python, root};

/// A command with the package and cgsan in reach.
fn in_reach(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command
        .args(["--kill-after=5", "300"])
        .arg(program)
        .env("PYTHONPATH", root().join("python/cgsan/library"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("CGSAN_COMMAND", env!("CARGO_BIN_EXE_cgsan"))
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env("IPYTHONDIR", env!("CARGO_TARGET_TMPDIR"));
    command
}

fn program(name: &str) -> PathBuf {
    root().join("tests/python").join(name)
}

/// What a program that ends well wrote to standard output and to standard error.
fn ends_well(output: &Output) -> (String, String) {
    let [told, said] =
        [&output.stdout, &output.stderr].map(|it| String::from_utf8_lossy(it).into_owned());
    assert!(output.status.success(), "{told}\n{said}");
    (told, said)
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn an_exception_is_explained() {
    let mut command = in_reach(env!("CARGO_BIN_EXE_cgsan"));
    command.args(["run", "--virtual", "--"]).arg(python());
    let output = command.arg(program("explains.py")).output();
    ends_well(&output.expect("cgsan starts"));
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_program_has_itself_watched() {
    let output = in_reach(python()).arg(program("watches.py")).output();
    let (told, said) = ends_well(&output.expect("Python starts"));
    assert_eq!(told, "reached its end\n", "{said}");
    assert_eq!(said.matches("error[CG101]").count(), 1, "{said}");

    // Under `cgsan run` its report has what is found.
    let mut command = in_reach(env!("CARGO_BIN_EXE_cgsan"));
    command.args(["run", "--virtual", "--"]).arg(python());
    let output = command.arg(program("watches.py")).output();
    let (_, said) = ends_well(&output.expect("cgsan starts"));
    assert_eq!(said.matches("error[CG101]").count(), 1, "{said}");
}

#[test]
#[ignore = "needs Python; `cargo xtask test` runs it"]
fn what_cannot_be_watched_is_an_error() {
    let output = in_reach(python())
        .arg(program("watches_too_late.py"))
        .output();
    ends_well(&output.expect("Python starts"));
}

#[test]
#[ignore = "needs PyTorch and a notebook's kernel; `cargo xtask test` runs it"]
fn a_cell_that_fails_is_explained() {
    let mut command = in_reach(env!("CARGO_BIN_EXE_cgsan"));
    command.args(["run", "--virtual", "--"]).arg(python());
    let output = command.arg(program("notebook.py")).output();
    ends_well(&output.expect("cgsan starts"));
}

#[test]
#[ignore = "needs PyTorch and a notebook's kernel; `cargo xtask test` runs it"]
fn results_that_cells_have_shown_are_no_outputs_that_are_kept() {
    let mut command = in_reach(env!("CARGO_BIN_EXE_cgsan"));
    command
        .args(["run", "--virtual", "--strict", "--"])
        .arg(python());
    let output = command.arg(program("shows_results.py")).output();
    let (_, said) = ends_well(&output.expect("cgsan starts"));
    assert!(said.contains("no findings"), "{said}");
}

#[test]
#[ignore = "needs Python; `cargo xtask test` runs it"]
fn reports_are_typed_as_their_schema_says() {
    let output = in_reach(python()).arg(program("fields.py")).output();
    ends_well(&output.expect("Python starts"));
}

#[test]
#[ignore = "needs Python; `cargo xtask test` runs it"]
fn the_package_of_a_run_has_the_version_of_the_command() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cgsan"));
    command
        .args(["run", "--virtual", "--"])
        .arg(python())
        .args(["-c", "import cgsan; print(cgsan.__version__)"]);
    let (told, _) = ends_well(&command.output().expect("cgsan starts"));
    assert_eq!(told.trim(), env!("CARGO_PKG_VERSION"));
}
