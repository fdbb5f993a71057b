//! The table of what the tests did.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::Row;
use super::one::{Outcome, Test};

/// The page as Markdown.
pub fn of(
    graphs: &[Row],
    others: &[(Test, Outcome)],
    compiled: &[Row],
    hardware: &HashMap<String, String>,
) -> String {
    let mut text = "# PyTorch's own tests\n\nWritten by `cargo xtask pytorch-tests --write`: the tests of PyTorch 2.6's \
         `test/test_cuda.py` and `test/inductor/test_cudagraph_trees.py`, each in a process of its own, with PyTorch 2.11 on the virtual GPU, and on an H200 without cgsan \
         (`xtask/src/pytorch_tests/hardware.py`). A number is the line at which a test stopped. *With values* is \
         `cgsan run`, and the findings are those of that run.\n\n"
        .to_owned();
    of_graphs(&mut text, "Tests about graphs", graphs, hardware);
    of_graphs(&mut text, "Graphs of `torch.compile`", compiled, hardware);
    of_others(&mut text, others, hardware);
    text
}

fn of_graphs(text: &mut String, title: &str, rows: &[Row], hardware: &HashMap<String, String>) {
    let _ = write!(
        text,
        "## {title}\n\n{} tests; {} do the same with the recording as without it; {} pass without values, {} with them, \
         {} on the H200; with values, {} end as there.\n\n\
         | test | without recording | with | with values | H200 | findings |\n|---|---|---|---|---|---|\n",
        rows.len(),
        rows.iter()
            .filter(|row| row.is_unchanged_by_recording())
            .count(),
        passed(rows.iter().map(|row| row.recorded.word.as_str())),
        passed(rows.iter().map(|row| row.with_values.word.as_str())),
        passed(rows.iter().map(|row| on(hardware, &row.test))),
        rows.iter()
            .filter(|row| row.with_values.word == on(hardware, &row.test))
            .count(),
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} |",
            row.test.name,
            words(&row.unrecorded),
            words(&row.recorded),
            words(&row.with_values),
            on(hardware, &row.test),
            row.findings.join(", ")
        );
    }
    text.push('\n');
}

fn of_others(text: &mut String, rows: &[(Test, Outcome)], hardware: &HashMap<String, String>) {
    let differs = |(test, outcome): &&(Test, Outcome)| outcome.word != on(hardware, test);
    let _ = write!(
        text,
        "## The others\n\n{} tests with values: {} end as on the H200, {} of them passed. The rest:\n\n\
         | test | with values | H200 | what stopped it |\n|---|---|---|---|\n",
        rows.len(),
        rows.len() - rows.iter().filter(differs).count(),
        rows.iter()
            .filter(|row| !differs(row) && row.1.word == "passed")
            .count(),
    );
    for (test, outcome) in rows.iter().filter(differs) {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            test.name,
            words(outcome),
            on(hardware, test),
            outcome.message.as_deref().map(cell).unwrap_or_default()
        );
    }
}

/// How a test ended on the H200.
fn on<'h>(hardware: &'h HashMap<String, String>, test: &Test) -> &'h str {
    hardware.get(&test.name).map_or("not run", String::as_str)
}

/// A message as it may stand in a table.
fn cell(message: &str) -> String {
    let short: String = message.chars().take(160).collect();
    format!("`{}`", short.replace('`', "'").replace('|', "\\|"))
}

fn passed<'r>(outcomes: impl Iterator<Item = &'r str>) -> usize {
    outcomes.filter(|outcome| *outcome == "passed").count()
}

fn words(outcome: &Outcome) -> String {
    match outcome.line {
        Some(line) if outcome.failed() => format!("{} at {line}", outcome.word),
        _ => outcome.word.clone(),
    }
}
