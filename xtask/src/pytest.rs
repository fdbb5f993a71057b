//! pytest and what PyTorch's own tests import beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::environment::{self, Environment};
use crate::failure::Result;

/// What PyTorch's tests import besides PyTorch.
const REQUIREMENTS: &str = include_str!("../requirements/pytest.txt");

/// Has `command`, which is `cgsan run` with its options, run pytest with a plugin. `packages` is where pytest lies, `output` where the
/// plugin does.
pub fn run_by(command: &mut Command, python: &Path, plugin: &str, packages: &Path, output: &Path) {
    command
        .arg("--")
        .arg(python)
        .args(["-m", "pytest", "-q", "--tb=short", "--noconftest"])
        .args(["-p", "no:cacheprovider", "-p", plugin])
        .env(
            "PYTHONPATH",
            format!("{}:{}", packages.display(), output.display()),
        )
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1");
}

/// The folder with these packages, for `PYTHONPATH`; they are fetched if they are not there.
pub fn packages() -> Result<PathBuf> {
    let environment = Environment {
        name: "pytest".to_owned(),
        requirements: REQUIREMENTS.to_owned(),
        contents: "pytest",
        size: "7 MB",
    };
    environment::packages_of(&environment.make()?)
}
