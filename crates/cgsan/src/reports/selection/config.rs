//! What `[tool.cgsan]` in `pyproject.toml` says, and the command line before it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cgsan_finding::{Note, Reason};
use cgsan_selection::{Listed, Policy, unknown};
use serde::Deserialize;

use crate::cli::SelectionOptions;
use crate::output::error::Error;

/// Bytes of the largest `pyproject.toml` that is read.
const LARGEST: u64 = 4 << 20;

/// `[tool.cgsan]`, for all commands.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct Table {
    select: Vec<String>,
    ignore: Vec<String>,
    per_file_ignores: BTreeMap<String, Vec<String>>,
    baseline: Option<PathBuf>,
    lint: LintTable,
}

/// `[tool.cgsan.lint]`: the same for source that is read, and what only that needs.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct LintTable {
    select: Vec<String>,
    ignore: Vec<String>,
    per_file_ignores: BTreeMap<String, Vec<String>>,
    baseline: Option<PathBuf>,
    torch: Option<String>,
    pedantic: bool,
}

/// What is reported, of a run or of source.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// By id and file.
    pub policy: Policy,
    /// The file that lists what is known.
    pub baseline: Option<PathBuf>,
    /// What the configuration names and is no id.
    pub notes: Vec<Note>,
}

/// What a `pyproject.toml` says.
#[derive(Debug)]
pub struct Configuration {
    /// For programs that run.
    pub run: Wanted,
    /// For source that is read.
    pub lint: Wanted,
    /// The version of PyTorch that the code is for, as it was written.
    pub torch: Option<String>,
    /// Whether to report what depends on unknown values.
    pub pedantic: bool,
    /// The folder that it is for.
    pub folder: PathBuf,
}

impl Configuration {
    /// What is reported of a run, and of source, if the command line asks for this: it goes before the file.
    pub fn with(self, options: &SelectionOptions) -> Result<(Wanted, Wanted), Error> {
        check("--select", &options.select)?;
        check("--ignore", &options.ignore)?;
        Ok((self.run.with(options), self.lint.with(options)))
    }
}

impl Wanted {
    /// The same after the command line's word: what it selects is reported, whatever the file ignores.
    fn with(mut self, options: &SelectionOptions) -> Self {
        let listed = |ids: &[String], option| {
            (!ids.is_empty()).then(|| Listed {
                ids: ids.to_vec(),
                by: Reason::Option(option),
            })
        };
        if let Some(select) = listed(&options.select, "--select") {
            self.policy.select = Some(select);
            self.policy.ignore.clear();
        }
        let ignore = listed(&options.ignore, "--ignore");
        self.policy.ignore.extend(ignore);
        // What is written anew takes the place of what was known.
        if options.write_baseline.is_some() {
            self.baseline = None;
        } else if options.baseline.is_some() {
            self.baseline.clone_from(&options.baseline);
        }
        self
    }
}

/// The configuration in the nearest `pyproject.toml` at or above `start`.
pub fn nearest(start: &Path) -> Result<Configuration, Error> {
    let (table, file) = read(start)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let lint = table.lint;
    let mut run = Wanted::default();
    run.add(&file, table.select, table.ignore, table.per_file_ignores);
    run.baseline = table.baseline.map(|path| folder.join(path));
    let mut for_lint = run.clone();
    for_lint.add(&file, lint.select, lint.ignore, lint.per_file_ignores);
    if let Some(path) = lint.baseline {
        for_lint.baseline = Some(folder.join(path));
    }
    Ok(Configuration {
        run,
        lint: for_lint,
        torch: lint.torch,
        pedantic: lint.pedantic,
        folder: folder.to_owned(),
    })
}

impl Wanted {
    /// Adds what a table of a file says.
    fn add(
        &mut self,
        file: &Path,
        select: Vec<String>,
        ignore: Vec<String>,
        per_file_ignores: BTreeMap<String, Vec<String>>,
    ) {
        let listed = |ids| Listed {
            ids,
            by: Reason::Configuration(file.to_owned()),
        };
        let in_files = per_file_ignores.values().flatten();
        let all: Vec<&String> = select.iter().chain(&ignore).chain(in_files).collect();
        self.notes.extend(unknown(&all).map(|unknown| {
            let meant = unknown.nearest.map(|id| format!("; did you mean `{id}`?"));
            let text = format!(
                "{}: [tool.cgsan] names `{}`, and no id begins with it{}",
                file.display(),
                unknown.id,
                meant.unwrap_or_default()
            );
            Note::new(text, None)
        }));
        if !select.is_empty() {
            self.policy.select = Some(listed(select));
        }
        if !ignore.is_empty() {
            self.policy.ignore.push(listed(ignore));
        }
        let in_files = per_file_ignores.into_iter();
        self.policy
            .per_file_ignores
            .extend(in_files.map(|(pattern, ids)| (pattern, listed(ids))));
    }
}

/// Refuses what is no id: on the command line it is a slip of the moment.
fn check(option: &'static str, ids: &[String]) -> Result<(), Error> {
    match unknown(ids).next() {
        None => Ok(()),
        Some(unknown) => Err(Error::Id {
            option,
            id: unknown.id.to_owned(),
            nearest: unknown.nearest,
        }),
    }
}

/// The table of the nearest `pyproject.toml` at or above `start`, and that file; where there is none, where it would be.
fn read(start: &Path) -> Result<(Table, PathBuf), Error> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Document {
        tool: Tools,
    }
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Tools {
        cgsan: Table,
    }
    const NAME: &str = "pyproject.toml";
    let start = fs::canonicalize(start).unwrap_or_else(|_| start.to_owned());
    for folder in start.ancestors() {
        let path = folder.join(NAME);
        let text = match cgsan_files::read_text(&path, LARGEST) {
            Ok(text) => text,
            Err(_) if fs::symlink_metadata(&path).is_err() => continue,
            Err(error) => {
                return Err(Error::Selection {
                    what: format!("{}: {error}", path.display()),
                    help: "make it a readable file, or run cgsan in another folder",
                });
            }
        };
        let document: Document = toml::from_str(&text).map_err(|error| Error::Selection {
            what: format!("{}: {error}", path.display()),
            help: "correct [tool.cgsan], whose keys docs/configuration.md lists",
        })?;
        return Ok((document.tool.cgsan, path));
    }
    let folder = if start.is_dir() {
        start.as_path()
    } else {
        start.parent().unwrap_or(Path::new("."))
    };
    Ok((Table::default(), folder.join(NAME)))
}
