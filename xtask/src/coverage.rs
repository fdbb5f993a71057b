//! `cargo xtask coverage`: docs/coverage.md, from the declared tables of `crates/vgpu/api` and from what tests called.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::{Context, Failure, Result};
use crate::workspace;

/// What `cargo xtask coverage` understands.
#[derive(Args)]
pub struct Options {
    /// Write nothing; fail if docs/coverage.md is not what would be written.
    #[arg(long)]
    check: bool,
    /// First add what the tests of the last `cargo xtask test` called to crates/vgpu/api/called.txt
    #[arg(long, conflicts_with = "check")]
    record: bool,
}

/// The variable by which tests are told where to note what they call (`crates/vgpu/src/ffi/called.rs`).
pub const CALLED: &str = "VGPU_CALLED";

/// Where they note it.
pub fn noted() -> PathBuf {
    workspace::target().join("called.txt")
}

/// The state of a function that does its work.
const IMPLEMENTED: &str = "implemented";

/// The state of one of which no test is known that shows it.
const UNCALLED: &str = "implemented, not seen in a test";

/// Writes the page, or checks it.
pub fn run(options: &Options) -> Result<()> {
    if options.check {
        return check();
    }
    if options.record {
        record()?;
    }
    let path = page();
    fs::write(&path, generate()?).context(|| format!("cannot write {}", path.display()))
}

/// Fails if the page is not what the tables say.
pub fn check() -> Result<()> {
    let path = page();
    let written = fs::read_to_string(&path).unwrap_or_default();
    if written == generate()? {
        Ok(())
    } else {
        Err(Failure::new(
            "docs/coverage.md does not say what crates/vgpu/api/*.list say; run `cargo xtask coverage`",
        ))
    }
}

/// Adds what tests noted to the names that are kept; those of functions that are not implemented any more go.
fn record() -> Result<()> {
    let implemented: BTreeSet<String> = read_all()?
        .into_iter()
        .filter_map(|mut library| library.functions.remove(IMPLEMENTED))
        .flatten()
        .collect();
    let mut called = called()?;
    called.extend(names_in(&noted())?);
    let kept: Vec<String> = called.intersection(&implemented).cloned().collect();
    let path = kept_names();
    fs::write(&path, kept.join("\n") + "\n").context(|| format!("cannot write {}", path.display()))
}

fn kept_names() -> PathBuf {
    workspace::root().join("crates/vgpu/api/called.txt")
}

/// The functions that a test has called with success.
fn called() -> Result<BTreeSet<String>> {
    names_in(&kept_names())
}

fn names_in(path: &Path) -> Result<BTreeSet<String>> {
    let text = fs::read_to_string(path).context(|| format!("cannot read {}", path.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn page() -> PathBuf {
    workspace::root().join("docs/coverage.md")
}

/// One library's table.
struct Library {
    name: String,
    /// The names of the functions by what becomes of a call to them.
    functions: BTreeMap<String, Vec<String>>,
}

impl Library {
    fn count(&self, state: &str) -> usize {
        self.functions.get(state).map_or(0, Vec::len)
    }

    /// Gives what no test has called a state of its own.
    fn tell_apart(&mut self, called: &BTreeSet<String>) {
        let implemented = self.functions.remove(IMPLEMENTED).unwrap_or_default();
        for name in implemented {
            let state = if called.contains(&name) {
                IMPLEMENTED
            } else {
                UNCALLED
            };
            self.functions
                .entry(state.to_owned())
                .or_default()
                .push(name);
        }
    }

    fn total(&self) -> usize {
        self.functions.values().map(Vec::len).sum()
    }
}

fn generate() -> Result<String> {
    let called = called()?;
    let mut libraries = read_all()?;
    for library in &mut libraries {
        library.tell_apart(&called);
    }
    let mut text = String::from(
        "# What the virtual GPU answers\n\n\
         Written by `cargo xtask coverage` from the tables in `crates/vgpu/api`; not to be edited by hand.\n\n\
         Every function listed is exported, so that a program that links to it starts. A call to one that is *missing* \
         returns the library's own \"not supported\", and `cgsan run` names it, once; so does one that is *refused*, with the \
         reason. Both are counted as missing. *Implemented* is what a test was seen to call with success; what is written by hand and \
         was not seen so is counted apart. The others are written from the tables, alike for each kind (`launch`, `accept`, …).\n\n\
         | library | functions | implemented | of these not seen in a test | missing |\n|---|--:|--:|--:|--:|\n",
    );
    for library in &libraries {
        let (total, missing) = (
            library.total(),
            library.count("missing") + library.count("refused"),
        );
        let name = &library.name;
        let _ = writeln!(
            text,
            "| [{name}](#{name}) | {total} | {} | {} | {missing} |",
            total - missing,
            library.count(UNCALLED),
        );
    }
    for library in &libraries {
        let _ = write!(text, "\n## {}\n", library.name);
        for (state, names) in &library.functions {
            let _ = write!(
                text,
                "\n<details><summary>{state}: {}</summary>\n\n",
                names.len()
            );
            for name in names {
                let _ = writeln!(text, "- `{name}`");
            }
            text.push_str("\n</details>\n");
        }
    }
    Ok(text)
}

/// Reads every table, in the order of the files' names.
fn read_all() -> Result<Vec<Library>> {
    let folder = workspace::root().join("crates/vgpu/api");
    let reading = || format!("cannot read {}", folder.display());
    let mut paths = Vec::new();
    for entry in fs::read_dir(&folder).context(reading)? {
        let path = entry.context(reading)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "list")
        {
            paths.push(path);
        }
    }
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

/// Reads one table: a line `library NAME`, a line a function: its name, what becomes of a call, and attributes that do
/// not matter here. `crates/vgpu/api/README.md` has the whole syntax.
fn read(path: &Path) -> Result<Library> {
    let text = fs::read_to_string(path).context(|| format!("cannot read {}", path.display()))?;
    let mut library = Library {
        name: String::new(),
        functions: BTreeMap::new(),
    };
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some(comment), _) if comment.starts_with('#') => {}
            (Some("library"), Some(name)) => name.clone_into(&mut library.name),
            (Some("unsupported") | None, _) => {}
            (Some(name), Some(state)) => library
                .functions
                .entry(state.to_owned())
                .or_default()
                .push(name.to_owned()),
            (Some(name), None) => {
                return Err(Failure::new(format!(
                    "{}: `{name}` does not say whether it is implemented",
                    path.display()
                )));
            }
        }
    }
    Ok(library)
}
