//! `cargo xtask coverage`: docs/coverage.md, from the declared tables of `crates/vgpu/api`.

use std::collections::BTreeMap;
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
}

/// Writes the page, or checks it.
pub fn run(options: &Options) -> Result<()> {
    if options.check {
        return check();
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

    fn total(&self) -> usize {
        self.functions.values().map(Vec::len).sum()
    }
}

fn generate() -> Result<String> {
    let libraries = read_all()?;
    let mut text = String::from(
        "# What the virtual GPU answers\n\n\
         Written by `cargo xtask coverage` from the tables in `crates/vgpu/api`; not to be edited by hand.\n\n\
         Every function listed is exported, so that a program that links to it starts. A call to one that is *missing* \
         returns the library's own \"not supported\", and `cgsan run` names it, once; so does one that is *refused*, with the \
         reason. Both are counted as missing.\n\n\
         | library | functions | implemented | missing |\n|---|--:|--:|--:|\n",
    );
    for library in &libraries {
        let (total, missing) = (
            library.total(),
            library.count("missing") + library.count("refused"),
        );
        let name = &library.name;
        let _ = writeln!(
            text,
            "| [{name}](#{name}) | {total} | {} | {missing} |",
            total - missing
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
