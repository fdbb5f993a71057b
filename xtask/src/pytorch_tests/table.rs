//! The table of what the tests did.

use std::fmt::Write as _;

use super::Row;
use super::one::Outcome;

/// The page as Markdown.
pub fn of(rows: &[Row]) -> String {
    let mut text = format!(
        "# PyTorch's own graph tests\n\nWritten by `cargo xtask pytorch-tests --write`: the tests of PyTorch 2.6's `test/test_cuda.py` \
         whose names speak of graphs, each in a process of its own, with PyTorch 2.11 on the virtual GPU. A number is the line at which a \
         test stopped. *With values* is `cgsan run --values`, and the findings are those of that run.\n\n\
         {} tests; {} do the same with the recording as without it; {} pass without values, {} with them.\n\n\
         | test | without recording | with | with values | findings |\n|---|---|---|---|---|\n",
        rows.len(),
        count(rows, |row| row.unrecorded == row.recorded),
        count(rows, |row| row.recorded.outcome == "passed"),
        count(rows, |row| row.with_values.outcome == "passed"),
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} |",
            row.test.name,
            words(&row.unrecorded),
            words(&row.recorded),
            words(&row.with_values),
            row.findings.join(", ")
        );
    }
    text
}

fn count(rows: &[Row], is: impl Fn(&Row) -> bool) -> usize {
    rows.iter().filter(|row| is(row)).count()
}

fn words(outcome: &Outcome) -> String {
    match outcome.line {
        Some(line) if outcome.failed() => format!("{} at {line}", outcome.outcome),
        _ => outcome.outcome.clone(),
    }
}
