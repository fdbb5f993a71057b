//! What cgsan is published with: the files that GitHub reads, and the extension for VS Code.

use std::process::{Command, Stdio};

use crate::cargo::{self, Profile};
use crate::environment::Environment;
use crate::failure::Result;
use crate::process;
use crate::workspace;

/// What knows the schemas of GitHub's files.
const SCHEMAS: &str = include_str!("../requirements/schemas.txt");

/// Each file, with its schema, as that program names it.
const FILES: [(&str, &str); 2] = [
    (".github/workflows/release.yml", "vendor.github-workflows"),
    ("action.yml", "vendor.github-actions"),
];

/// Compares GitHub's files with their schemas.
pub fn check_files() -> Result<()> {
    let environment = Environment {
        name: "schemas".to_owned(),
        requirements: SCHEMAS.to_owned(),
        contents: "schemas of GitHub's files",
        size: "3 MB",
    };
    let python = environment.make()?;
    for (file, schema) in FILES {
        // As a module: the script names the folder in which the environment was made.
        let mut command = Command::new(&python);
        command.args(["-m", "check_jsonschema", "--quiet"]);
        command.args(["--builtin-schema", schema, file]);
        process::run(command.current_dir(workspace::root()))?;
    }
    Ok(())
}

/// Runs the tests of the extension with the command that was built, where there is npm.
pub fn check_extension() -> Result<()> {
    let npm = |arguments: &[&str]| {
        let mut command = Command::new("npm");
        command
            .args(arguments)
            .current_dir(workspace::root().join("editors/vscode"));
        command
    };
    let version = npm(&["--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !version.is_ok_and(|status| status.success()) {
        eprintln!("note: npm is not installed; the extension for VS Code was not tested");
        return Ok(());
    }
    let cgsan = cargo::build_cgsan(Profile::Development)?;
    process::run(&mut npm(&["ci", "--no-audit", "--no-fund"]))?;
    process::run(npm(&["test"]).env("CGSAN", cgsan))
}
