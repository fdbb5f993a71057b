//! The table of what the tests did.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::one::{Outcome, Test};
use super::{Both, is_unchanged};

/// The page about `test_cuda.py` as Markdown.
pub fn of_cuda(
    graphs: &[Both],
    others: &[(Test, Outcome)],
    hardware: &HashMap<String, String>,
) -> String {
    let mut text = head(
        "PyTorch's own tests",
        "",
        "test_cuda.py",
        "each in a process of its own",
    );
    of_graphs(&mut text, graphs, hardware);
    of_others(&mut text, others, hardware);
    text
}

/// The page about the graphs of `torch.compile`: how each test ended without values and with them, and what was found with them.
pub fn of_compiled(
    tests: &[Test],
    without: &[Outcome],
    with: &[Outcome],
    findings: &[String],
    hardware: &HashMap<String, String>,
) -> String {
    let file = "inductor/test_cudagraph_trees.py";
    let mut text = head(
        "PyTorch's own tests of compiled graphs",
        " --of compiled",
        file,
        "several in a process, and those that failed so in one of their own",
    );
    let like = |outcomes: &[Outcome]| {
        let pairs = tests.iter().zip(outcomes);
        pairs
            .filter(|(test, it)| it.word == on(hardware, test))
            .count()
    };
    let _ = write!(
        text,
        "{} tests, of which {} pass on the H200. Without values, {} pass and {} end as there; with them {} and {}. Found with values: {}.\n\n\
         | test | without values | with values | H200 | what stopped it with values |\n|---|---|---|---|---|\n",
        tests.len(),
        passed(tests.iter().map(|test| on(hardware, test))),
        passed(without.iter().map(|it| it.word.as_str())),
        like(without),
        passed(with.iter().map(|it| it.word.as_str())),
        like(with),
        if findings.is_empty() {
            "nothing".to_owned()
        } else {
            findings.join(", ")
        },
    );
    for ((test, without), with) in tests.iter().zip(without).zip(with) {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} |",
            test.name,
            words(without),
            words(with),
            on(hardware, test),
            why(with),
        );
    }
    text
}

/// How a page begins.
fn head(title: &str, option: &str, file: &str, how: &str) -> String {
    format!(
        "# {title}\n\nWritten by `cargo xtask pytorch-tests{option} --write`: the tests of PyTorch 2.6's \
         `test/{file}`, {how}, with PyTorch 2.11 on the virtual GPU, and on an H200 without cgsan \
         (`xtask/src/pytorch_tests/hardware.py`). A number is the line at which a test stopped. *With values* is \
         `cgsan run`, and the findings are those of that run.\n\n"
    )
}

fn of_graphs(text: &mut String, graphs: &[Both], hardware: &HashMap<String, String>) {
    let rows = || graphs.iter().map(|(_, row)| row);
    let _ = write!(
        text,
        "## Tests about graphs\n\n{} tests; {} do the same with the recording as without it; {} pass without values, {} with them, \
         {} on the H200.\n\n\
         | test | without recording | with | with values | H200 | findings |\n|---|---|---|---|---|---|\n",
        graphs.len(),
        graphs.iter().filter(|both| is_unchanged(both)).count(),
        passed(rows().map(|row| row.recorded.word.as_str())),
        passed(rows().map(|row| row.with_values.word.as_str())),
        passed(rows().map(|row| on(hardware, &row.test))),
    );
    for (unrecorded, row) in graphs {
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} |",
            row.test.name,
            words(unrecorded),
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
            why(outcome)
        );
    }
}

/// How a test ended on the H200.
fn on<'h>(hardware: &'h HashMap<String, String>, test: &Test) -> &'h str {
    hardware.get(&test.name).map_or("not run", String::as_str)
}

/// What stopped a test, as it may stand in a table.
fn why(outcome: &Outcome) -> String {
    let Some(message) = &outcome.message else {
        return String::new();
    };
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
