//! What `[tool.cgsan.lint]` in `pyproject.toml` and the command line say.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cgsan_lint::{Settings, Version};
use serde::Deserialize;

use super::{LintOptions, ids};
use crate::error::Error;

/// Bytes of the largest `pyproject.toml` that is read.
const LARGEST: u64 = 4 << 20;

/// `[tool.cgsan.lint]`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct Table {
    select: Vec<String>,
    ignore: Vec<String>,
    per_file_ignores: BTreeMap<String, Vec<String>>,
    torch: Option<String>,
    pedantic: bool,
    baseline: Option<PathBuf>,
}

/// What is reported.
#[derive(Debug)]
pub struct Configuration {
    /// By id, confidence and version.
    pub settings: Settings,
    /// The file that lists what is known.
    pub baseline: Option<PathBuf>,
}

/// The configuration: the command line's before that of the file.
pub fn configuration(options: &LintOptions) -> Result<Configuration, Error> {
    let first = options
        .paths
        .first()
        .filter(|path| path.as_os_str() != super::input::STDIN);
    let start = first.map_or(Path::new("."), PathBuf::as_path);
    let Configuration {
        mut settings,
        baseline,
    } = nearest(start, options.torch)?;
    settings.pedantic |= options.pedantic;
    settings.ignore.extend(options.ignore.iter().cloned());
    if !options.select.is_empty() {
        settings.select.clone_from(&options.select);
    }
    ids::check("--select", &options.select)?;
    ids::check("--ignore", &options.ignore)?;
    Ok(Configuration {
        settings,
        baseline: options.baseline.clone().or(baseline),
    })
}

/// The configuration in the nearest `pyproject.toml` at or above `start`. A version of PyTorch that is given goes before the
/// file's, and that before the one that is installed.
pub fn nearest(start: &Path, torch: Option<Version>) -> Result<Configuration, Error> {
    let (table, folder) = read(start)?;
    let torch = match (torch, &table.torch) {
        (Some(version), _) => version,
        (None, Some(text)) => text.parse().map_err(|what| Error::Lint {
            what,
            help: "correct `torch` in [tool.cgsan.lint] of pyproject.toml",
        })?,
        (None, None) => installed(&folder).unwrap_or(Version::MEASURED),
    };
    let ignored = table.per_file_ignores.values().flatten();
    for wanted in [&table.select, &table.ignore, &ignored.cloned().collect()] {
        ids::check("[tool.cgsan.lint] of pyproject.toml", wanted)?;
    }
    let settings = Settings {
        torch,
        pedantic: table.pedantic,
        select: table.select,
        ignore: table.ignore,
        per_file_ignores: table.per_file_ignores.into_iter().collect(),
    };
    Ok(Configuration {
        settings,
        baseline: table.baseline.map(|path| folder.join(path)),
    })
}

/// The table of the nearest `pyproject.toml` at or above `start`, and its folder.
fn read(start: &Path) -> Result<(Table, PathBuf), Error> {
    let start = fs::canonicalize(start).unwrap_or_else(|_| start.to_owned());
    for folder in start.ancestors() {
        let path = folder.join("pyproject.toml");
        let wrong = |reason: &dyn std::fmt::Display| Error::Lint {
            what: format!("{}: {reason}", path.display()),
            help: "correct [tool.cgsan.lint]; its keys are select, ignore, per-file-ignores, torch, pedantic, baseline",
        };
        let text = match cgsan_files::read_text(&path, LARGEST) {
            Ok(text) => text,
            Err(_) if fs::symlink_metadata(&path).is_err() => continue,
            Err(error) => {
                return Err(Error::Lint {
                    what: format!("{}: {error}", path.display()),
                    help: "make it a readable file, or run cgsan in another folder",
                });
            }
        };
        let mut whole: toml::Table = text.parse().map_err(|error| wrong(&error))?;
        let ours = whole.get("tool").and_then(|tool| tool.get("cgsan"));
        if let Some(ours) = ours {
            let known = |table: &toml::Table| table.keys().find(|key| *key != "lint").cloned();
            let unknown = ours.as_table().map(known);
            match unknown {
                None => return Err(wrong(&"`tool.cgsan` is not a table")),
                Some(Some(key)) => {
                    return Err(wrong(&format!(
                        "unknown field `{key}` in [tool.cgsan], expected `lint`"
                    )));
                }
                Some(None) => {}
            }
        }
        let table = ["tool", "cgsan", "lint"].iter().try_fold(
            toml::Value::Table(std::mem::take(&mut whole)),
            |value, key| value.get(key).cloned(),
        );
        let table = match table {
            Some(table) => table.try_into().map_err(|error| wrong(&error))?,
            None => Table::default(),
        };
        return Ok((table, folder.to_owned()));
    }
    let folder = if start.is_dir() {
        start
    } else {
        start.parent().map(Path::to_owned).unwrap_or_default()
    };
    Ok((Table::default(), folder))
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
