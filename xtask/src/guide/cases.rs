//! `cargo xtask guide`: docs/guide/cases.md, NVIDIA's guide case by case.
//!
//! The page is made of `docs/guide/cases.toml` and of what tests keep: what each program did in each version of PyTorch
//! (`cargo xtask matrix`), and what the linter does not find (`crates/lint/tests/examples.toml`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use cgsan_catalogue::{entry, releases};
use clap::Args;
use serde::Deserialize;

use super::explained::{HARDWARE, Raised};
use crate::failure::{Context, Failure, Result};
use crate::matrix::Table;
use crate::workspace;

/// What `cargo xtask guide` understands.
#[derive(Args)]
pub struct Options {
    /// Write nothing; fail if docs/guide/cases.md is not what would be written.
    #[arg(long)]
    check: bool,
}

const CASES: &str = "docs/guide/cases.toml";
const PAGE: &str = "docs/guide/cases.md";
const MISSED_BY_LINT: &str = "crates/lint/tests/examples.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Guide {
    chapters: Vec<Chapter>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chapter {
    title: String,
    cases: Vec<Case>,
}

/// A case of the guide.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    ids: Vec<String>,
    /// The program that fails so, in `examples/`.
    program: Option<String>,
    /// The repaired one, if it is not `fixed.py` beside it.
    repaired: Option<String>,
    note: Option<String>,
}

/// What the linter's tests expect to be missed.
#[derive(Deserialize)]
struct Lint {
    missed: BTreeMap<String, String>,
    elsewhere: BTreeMap<String, Elsewhere>,
}

impl Lint {
    /// What it says of a program of these ids.
    fn says_of(&self, program: &str, ids: &[String]) -> String {
        let has_rule = |id: &String| cgsan_lint::RULES.iter().any(|rule| rule.id == id);
        match self.elsewhere.get(program) {
            _ if self.missed.contains_key(program) => "no".to_owned(),
            Some(found) if !ids.contains(&found.id) => format!("found, as {}", found.id),
            None if !ids.iter().any(has_rule) => "no".to_owned(),
            _ => "found".to_owned(),
        }
    }
}

/// What the linter finds at another line, or as another id.
#[derive(Deserialize)]
struct Elsewhere {
    id: String,
}

/// Writes the page, or checks it.
pub fn run(options: &Options) -> Result<()> {
    if options.check {
        return check();
    }
    fs::write(path(PAGE), generate()?).context(|| format!("cannot write {PAGE}"))
}

/// Fails if the page is not what the cases and the tests' tables say.
pub fn check() -> Result<()> {
    let written = fs::read_to_string(path(PAGE)).unwrap_or_default();
    if written == generate()? {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "{PAGE} does not say what {CASES} and the results of the programs say; run `cargo xtask guide`"
        )))
    }
}

fn path(file: &str) -> PathBuf {
    workspace::root().join(file)
}

fn read<T: for<'de> Deserialize<'de>>(file: &str) -> Result<T> {
    let text = fs::read_to_string(path(file)).context(|| format!("cannot read {file}"))?;
    toml::from_str(&text).context(|| format!("cannot read {file}"))
}

fn generate() -> Result<String> {
    let guide: Guide = read(CASES)?;
    let lint: Lint = read(MISSED_BY_LINT)?;
    let programs = Table::read()?;
    let raised: Raised = read(HARDWARE)?;
    let mut page = String::from(
        "# NVIDIA's guide, executable\n\n\
         The cases of NVIDIA's guide to CUDA graphs in PyTorch, each with a program of ours that shows it, and what `cgsan run` (on the virtual \
         GPU, with its default options), `cgsan lint` and, of the traceback on a real GPU, `cgsan explain` say of it. Behind *found* and *silent* are the versions of PyTorch in which that was \
         recorded, of those from ",
    );
    let all = releases();
    if let (Some(first), Some(last)) = (all.first(), all.last()) {
        let _ = write!(page, "{} to {}", first.minor(), last.minor());
    }
    page += ". Written by `cargo xtask guide` from `docs/guide/cases.toml`.\n";
    for chapter in &guide.chapters {
        let _ = write!(
            page,
            "\n## {}\n\n| case | id | program | `run` | `lint` | `explain` | repaired |\n|---|---|---|---|---|---|---|\n",
            chapter.title
        );
        for case in &chapter.cases {
            page += &row(case, &lint, &programs, &raised)?;
        }
        for note in chapter.cases.iter().filter(|case| case.program.is_some()) {
            if let Some(text) = &note.note {
                let _ = write!(page, "\n- {}: {text}", capitalized(&note.name));
            }
        }
        page = page.trim_end().to_owned() + "\n";
    }
    Ok(page)
}

fn row(case: &Case, lint: &Lint, programs: &Table, raised: &Raised) -> Result<String> {
    if let Some(unknown) = case.ids.iter().find(|id| entry(id).is_none()) {
        return Err(Failure::new(format!(
            "{CASES} names {unknown}, which has no entry"
        )));
    }
    let ids = case.ids.join(", ");
    let Some(program) = &case.program else {
        let note = case.note.as_deref().unwrap_or_default();
        return Ok(format!("| {} | {ids} | | {note} | | | |\n", case.name));
    };
    let folder = program.split('/').next().unwrap_or_default();
    let beside = format!("{folder}/fixed.py");
    let repaired = case.repaired.as_deref().unwrap_or(&beside);
    let is_found = |found: &[String]| found.iter().any(|id| case.ids.contains(id));
    let run = versions(programs, program, is_found)?;
    let run = run.map_or_else(|| NOT_RUN.to_owned(), |it| format!("found, {it}"));
    let silent = versions(programs, repaired, <[String]>::is_empty)?;
    let silent = silent.map_or_else(|| NOT_RUN.to_owned(), |it| format!("silent, {it}"));
    let lint = lint.says_of(program, &case.ids);
    let explained = raised.answer(program, &case.ids)?.unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default();
    Ok(format!(
        "| {} | {ids} | [`{name}`](../../examples/{program}) | {run} | {lint} | {explained} | {silent} |\n",
        case.name
    ))
}

const NOT_RUN: &str = "not recorded";

/// The versions in which a program had such findings, as ranges; `None` if there are none.
fn versions(
    programs: &Table,
    program: &str,
    is_such: impl Fn(&[String]) -> bool,
) -> Result<Option<String>> {
    let path = format!("examples/{program}");
    if !workspace::root().join(&path).is_file() {
        return Err(Failure::new(format!(
            "{CASES} names {path}, which is not there"
        )));
    }
    let Some(held) = programs.versions(&path, is_such) else {
        return Ok(None);
    };
    let minor = |version: &str| {
        let release = releases().iter().find(|it| it.pytorch == version);
        release.map_or_else(|| version.to_owned(), |it| it.minor().to_owned())
    };
    let held = held.into_iter();
    Ok(ranges(held.map(|(version, holds)| (minor(version), holds))))
}

/// Those of a sequence that hold, each run of them as its ends.
fn ranges(sequence: impl Iterator<Item = (String, bool)>) -> Option<String> {
    let mut runs: Vec<(String, String)> = Vec::new();
    let mut goes_on = false;
    for (name, holds) in sequence {
        match runs.last_mut() {
            Some(run) if holds && goes_on => run.1 = name,
            _ if holds => runs.push((name.clone(), name)),
            _ => {}
        }
        goes_on = holds;
    }
    let text = runs.iter().map(|(first, last)| {
        if first == last {
            first.clone()
        } else {
            format!("{first} to {last}")
        }
    });
    let text: Vec<String> = text.collect();
    (!text.is_empty()).then(|| text.join(", "))
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_that_follow_each_other_are_a_range() {
        let of = |holds: &[(&str, bool)]| {
            ranges(
                holds
                    .iter()
                    .map(|(name, holds)| ((*name).to_owned(), *holds)),
            )
        };
        assert_eq!(
            of(&[("2.6", true), ("2.7", true), ("2.8", true)]).as_deref(),
            Some("2.6 to 2.8")
        );
        assert_eq!(
            of(&[("2.6", true), ("2.7", false), ("2.8", true)]).as_deref(),
            Some("2.6, 2.8")
        );
        assert_eq!(of(&[("2.6", false)]), None);
    }
}
