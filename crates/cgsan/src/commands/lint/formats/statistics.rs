//! How often each id was found.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use cgsan_catalogue::entry;
use cgsan_lint::Outcome;
use serde::Serialize;

/// The version of the JSON's shape.
const VERSION: u32 = 1;

/// How often one id was found.
#[derive(Serialize)]
struct OfId {
    id: &'static str,
    name: &'static str,
    count: usize,
    /// How many of them `--fix` repairs.
    repairable: usize,
}

#[derive(Serialize)]
struct Document {
    version: u32,
    files: usize,
    /// Syntax errors, and files that could not be read.
    errors: usize,
    /// Files that were evaluated in part only.
    unfinished: usize,
    findings: usize,
    statistics: Vec<OfId>,
}

/// One line per id, the most frequent first.
pub fn text(outcome: &Outcome) -> String {
    let counts = counts(outcome);
    let most = counts.first().map_or(0, |it| it.count);
    let width = most.to_string().len();
    counts.iter().fold(String::new(), |mut text, it| {
        let mark = if it.repairable > 0 { "[*]" } else { "   " };
        let _ = writeln!(text, "{:>width$}  {}  {mark} {}", it.count, it.id, it.name);
        text
    })
}

/// The same as one JSON object.
pub fn json(outcome: &Outcome) -> String {
    let document = Document {
        version: VERSION,
        files: outcome.files,
        errors: outcome.errors.len(),
        unfinished: outcome.unfinished.len(),
        findings: outcome.findings.len(),
        statistics: counts(outcome),
    };
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    cgsan_render::escaped(&text)
}

fn counts(outcome: &Outcome) -> Vec<OfId> {
    let mut counts: BTreeMap<&str, OfId> = BTreeMap::new();
    for found in &outcome.findings {
        let count = counts.entry(found.id).or_insert_with(|| OfId {
            id: found.id,
            name: entry(found.id).map_or("", |it| it.name),
            count: 0,
            repairable: 0,
        });
        count.count += 1;
        count.repairable += usize::from(found.is_repairable());
    }
    let mut counts: Vec<OfId> = counts.into_values().collect();
    counts.sort_by_key(|it| std::cmp::Reverse(it.count));
    counts
}
