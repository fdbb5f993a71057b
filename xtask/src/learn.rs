//! `cargo xtask learn`: what `explain` says is likely, learned from the made-up reports of `crates/explain/reports`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use cgsan_explain::{LearnError, Report, held_out, learn};
use clap::Args;
use serde::Deserialize;

use crate::failure::{Context, Failure, Result};
use crate::workspace;

/// What `cargo xtask learn` understands.
#[derive(Args)]
pub struct Options {
    /// Write nothing; fail if crates/explain/learned.tsv is not what would be written.
    #[arg(long)]
    check: bool,
    /// Write nothing; learn COUNT times from all reports but some, and print how well those are answered.
    #[arg(long, value_name = "COUNT", conflicts_with = "check", value_parser = clap::value_parser!(u16).range(2..))]
    folds: Option<u16>,
}

/// The weight of a field, in hundredths, that another machine may have left out.
const HARDLY_WORTH: i32 = 21;

/// The reports of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reports {
    reports: Vec<Made>,
}

/// A report that was made up.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Made {
    right: Vec<String>,
    text: String,
}

/// Learns, and writes the table, checks it, or says how well it is learned.
pub fn run(options: &Options) -> Result<()> {
    if options.check {
        return check();
    }
    let reports = reports()?;
    if let Some(folds) = options.folds {
        return measure(&reports, folds.into());
    }
    let path = table();
    let learned = learn(&reports).map_err(unlearned)?;
    fs::write(&path, learned).context(|| format!("cannot write {}", path.display()))
}

/// Fails if the table is not what is learned from the reports. The last digit of a number may differ between machines.
pub fn check() -> Result<()> {
    let path = table();
    let written = fs::read_to_string(&path).unwrap_or_default();
    let learned = learn(&reports()?).map_err(unlearned)?;
    let (written, learned) = (fields(&written), fields(&learned));
    let names = written.keys().chain(learned.keys());
    let parts = |fields: &BTreeMap<(&str, &str), i32>, name| fields.get(name).copied();
    let is_same =
        names.into_iter().all(
            |name| match (parts(&written, name), parts(&learned, name)) {
                (Some(a), Some(b)) => (a - b).abs() <= 1,
                // What is hardly worth its place may have it on one machine alone.
                (Some(one), None) | (None, Some(one)) => one.abs() <= HARDLY_WORTH,
                (None, None) => true,
            },
        );
    if is_same {
        Ok(())
    } else {
        Err(Failure::new(
            "crates/explain/learned.tsv is not what crates/explain/reports teach; run `cargo xtask learn`",
        ))
    }
}

/// The numbers of a table, by the feature and the column.
fn fields(table: &str) -> BTreeMap<(&str, &str), i32> {
    let mut fields = BTreeMap::new();
    for line in table.lines() {
        let (feature, columns) = line.split_once('\t').unwrap_or((line, ""));
        for column in columns.split('\t') {
            let (column, number) = column.split_once(':').unwrap_or(("rarity", column));
            fields.insert((feature, column), number.parse().unwrap_or_default());
        }
    }
    fields
}

fn measure(reports: &[Report], folds: usize) -> Result<()> {
    let held = held_out(reports, folds).map_err(unlearned)?;
    let (beside, silent) = held.beside;
    println!(
        "{} reports, each answered by what was learned from others:",
        held.reports
    );
    println!("  right first                     {}", held.first);
    println!("  right among the first three     {}", held.three);
    println!("  about no graph, and told so     {silent} of {beside}");
    println!("  decided wrongly                 {}", held.falsely_decided);
    Ok(())
}

#[allow(clippy::needless_pass_by_value, reason = "it is what `map_err` calls")]
fn unlearned(error: LearnError) -> Failure {
    Failure::new(error.to_string())
}

fn reports() -> Result<Vec<Report>> {
    let folder = workspace::root().join("crates/explain/reports");
    let listed = fs::read_dir(&folder).context(|| format!("cannot list {}", folder.display()))?;
    let mut paths = Vec::new();
    for file in listed {
        let file = file.context(|| format!("cannot list {}", folder.display()))?;
        paths.push(file.path());
    }
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    paths.sort();
    let mut reports = Vec::new();
    for path in paths {
        let text =
            fs::read_to_string(&path).context(|| format!("cannot read {}", path.display()))?;
        let made: Reports =
            toml::from_str(&text).context(|| format!("cannot read {}", path.display()))?;
        let made = made.reports.into_iter();
        reports.extend(made.map(|Made { right, text }| Report { text, right }));
    }
    Ok(reports)
}

fn table() -> PathBuf {
    workspace::root().join("crates/explain/learned.tsv")
}
