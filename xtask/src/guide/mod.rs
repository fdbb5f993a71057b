//! The pages whose commands are run: those of the guide, of the trace, and of captured graphs.
//!
//! A page is a script for a folder of its own. A block ```` ```python NAME ```` writes a file, each line of a block ```` ```sh ```` is run by a
//! shell, and the lines of a block ```` ```text ```` must be in what the block before it printed, in their order.

pub mod cases;
mod explained;
mod page;
mod session;

use std::fs;
use std::path::{Path, PathBuf};

use self::page::{Page, Step};
use self::session::{Folder, without_marks};
use crate::cargo::{self, Profile};
use crate::failure::{Context, Failure, Result};
use crate::parallel;
use crate::python;
use crate::workspace;

/// The pages, from the root of the repository.
const PAGES: [&str; 5] = [
    START,
    "docs/guide/findings.md",
    "docs/guide/failure-mode.md",
    "docs/trace.md",
    "docs/graphs.md",
];

/// The page whose session is kept.
const START: &str = "docs/guide/start.md";

/// What its commands printed.
const SESSION: &str = "docs/guide/session.ansi";

/// Runs every page, and fails where one does not say what its commands print, or where the kept session is another.
pub fn check() -> Result<()> {
    let (cgsan, python) = tools()?;
    let sessions = parallel::map(parallel::workers(), &PAGES, |_, page| {
        run(page, &cgsan, &python)
    })?;
    let kept = fs::read_to_string(workspace::root().join(SESSION)).unwrap_or_default();
    match sessions.first() {
        Some(session) if without_marks(session) == without_marks(&kept) => Ok(()),
        _ => Err(Failure::new(format!(
            "{SESSION} is not what the commands of {START} print; run `cargo xtask site --record`"
        ))),
    }
}

/// Runs the first page, and keeps what its commands print.
pub fn record() -> Result<()> {
    let (cgsan, python) = tools()?;
    let session = run(START, &cgsan, &python)?;
    fs::write(workspace::root().join(SESSION), session)
        .context(|| format!("cannot write {SESSION}"))
}

fn tools() -> Result<(PathBuf, PathBuf)> {
    Ok((
        cargo::build_cgsan(Profile::Development)?,
        python::for_tests()?,
    ))
}

/// What the commands of a page print, each behind its line; fails where the page says something else.
fn run(page: &str, cgsan: &Path, python: &Path) -> Result<String> {
    let source = fs::read_to_string(workspace::root().join(page))
        .context(|| format!("cannot read {page}"))?;
    let folder = Folder::new(cgsan, python)?;
    let mut session = String::new();
    let mut last = String::new();
    for step in Page::parse(&source).steps {
        match step {
            Step::File { name, content } => folder.write(&name, &content)?,
            Step::Commands(lines) => {
                last.clear();
                for line in lines.iter().filter(|line| is_run_here(line)) {
                    let printed = folder
                        .run(line)
                        .map_err(|failure| Failure::new(format!("{page}: {failure}")))?;
                    for text in ["$ ", line, "\n", &printed, "\n"] {
                        session.push_str(text);
                    }
                    last += &printed;
                }
            }
            Step::Printed(lines) => {
                if let Some(missing) = page::missing(&session::plain(&last), &lines) {
                    return Err(Failure::new(format!(
                        "{page} shows a line that its commands do not print: {missing}\nThey print:\n{last}"
                    )));
                }
            }
        }
    }
    Ok(session)
}

/// Whether a page's command is run with the page. The developers' tasks are not: `cargo xtask test` is what runs them.
fn is_run_here(command: &str) -> bool {
    !command.starts_with("cargo xtask ")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn every_task_that_a_page_names_exists() {
        let mut count = 0;
        for page in PAGES {
            let source = fs::read_to_string(workspace::root().join(page)).expect("the page");
            for step in Page::parse(&source).steps {
                let Step::Commands(lines) = step else {
                    continue;
                };
                for line in lines.iter().filter(|line| !is_run_here(line)) {
                    let words = line.split(' ').skip(1);
                    assert!(
                        crate::Arguments::try_parse_from(words).is_ok(),
                        "{page}: {line}"
                    );
                    count += 1;
                }
            }
        }
        assert!(count > 0);
    }
}
