//! What the linter looks for, and what is reported of it.

use std::fs;
use std::path::{Path, PathBuf};

use cgsan_lint::{Settings, Version};

use super::input;
use crate::cli::LintOptions;
use crate::output::error::Error;
use crate::reports::selection::config::{self, Configuration, Wanted};

/// What the command line asks for, before the nearest `pyproject.toml`.
pub fn of_options(options: &LintOptions) -> Result<(Settings, Wanted), Error> {
    let first = options
        .paths
        .first()
        .filter(|path| path.as_os_str() != input::STDIN);
    let start = first.map_or(Path::new("."), PathBuf::as_path);
    let configuration = config::nearest(start)?;
    let torch = match options.torch {
        Some(version) => version,
        None => torch(&configuration)?,
    };
    let pedantic = configuration.pedantic || options.pedantic;
    let (_, wanted) = configuration.with(&options.selection)?;
    let settings = Settings {
        torch,
        pedantic,
        policy: wanted.policy.clone(),
    };
    Ok((settings, wanted))
}

/// What the nearest `pyproject.toml` at or above a folder asks for.
pub fn of_folder(folder: &Path) -> Result<(Settings, Wanted), Error> {
    let configuration = config::nearest(folder)?;
    let settings = Settings {
        torch: torch(&configuration)?,
        pedantic: configuration.pedantic,
        policy: configuration.lint.policy.clone(),
    };
    Ok((settings, configuration.lint))
}

/// The version of PyTorch that a configuration names, else the one that is installed.
fn torch(configuration: &Configuration) -> Result<Version, Error> {
    match &configuration.torch {
        Some(text) => text.parse().map_err(|what| Error::Selection {
            what,
            help: "correct `torch` in [tool.cgsan.lint] of pyproject.toml",
        }),
        None => Ok(installed(&configuration.folder).unwrap_or(Version::MEASURED)),
    }
}

/// The version of PyTorch in the virtual environment that is active, or beside the code.
fn installed(folder: &Path) -> Option<Version> {
    let active = std::env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    let environments = active
        .into_iter()
        .chain([folder.join(".venv"), folder.join("venv")]);
    environments.into_iter().find_map(|environment| {
        let pythons = fs::read_dir(environment.join("lib")).ok()?;
        pythons
            .flatten()
            .find_map(|python| version_in(&python.path().join("site-packages")))
    })
}

fn version_in(packages: &Path) -> Option<Version> {
    fs::read_dir(packages).ok()?.flatten().find_map(|entry| {
        let name = entry.file_name();
        let name = name
            .to_str()?
            .strip_prefix("torch-")?
            .strip_suffix(".dist-info")?;
        name.parse().ok()
    })
}
