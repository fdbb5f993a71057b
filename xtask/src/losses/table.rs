//! The page about losses and tokens.

use std::fmt::Write as _;
use std::time::Duration;

use super::{Compared, Row};

/// The page as Markdown: every program, and what is to be said about some.
pub fn of(rows: &[Row<'_>]) -> String {
    let mut text = format!(
        "# Losses and tokens with other packages\n\nWritten by `cargo xtask losses --write`: {} programs of [tests/losses](../../tests/losses/programs.toml), each \
         with a package as PyPI has it, on the virtual GPU with no option given, and on the CPU. The numbers are the \
         largest relative difference of what they print: losses, norms, tokens. *Seconds* are those on the CPU, of operators \
         called one by one, and of graphs. A difference of more than 1e-3 fails (of bitsandbytes, 1e-2: on a CPU it \
         does not round what its layers of eight bits are given). *Captured* is a whole step, or those parts that the program says. \
         Where a package needs a GPU, the CPU has a stand-in: Llama's own layers for Liger, a recurrence for \
         flash-linear-attention, AdamW for that of bitsandbytes. Adam's epsilon is 1e-5 where a program makes the \
         optimizer by `ways.adamw`, so that gradients of next to nothing do not decide.\n\n\
         | package | version | what it does | eager | captured | not computed | seconds |\n|---|---|---|---|---|---|---|\n",
        rows.len()
    );
    for row in rows {
        let _ = writeln!(text, "{}", line(row));
    }
    let words: Vec<(&str, &str)> = rows
        .iter()
        .filter_map(|row| {
            Some((
                row.program.name.as_str(),
                row.program.eager_only.as_deref()?,
            ))
        })
        .collect();
    if !words.is_empty() {
        let _ = writeln!(text, "\nNot captured:\n");
        for (name, why) in words {
            let _ = writeln!(text, "- `{name}`: {why}");
        }
    }
    text
}

/// One program's line of the table.
pub fn line(row: &Row<'_>) -> String {
    let captured = row
        .captured
        .as_ref()
        .map_or_else(|| "–".to_owned(), outcome);
    let mut named: Vec<String> = row
        .compared()
        .flat_map(|it| it.not_computed.iter().map(|name| format!("`{name}`")))
        .collect();
    named.dedup();
    let times = [row.cpu]
        .into_iter()
        .chain(row.compared().map(|it| it.took));
    let times: Vec<String> = times.map(seconds).collect();
    format!(
        "| {} | {} | {} | {} | {captured} | {} | {} |",
        row.program.package,
        row.version,
        row.what,
        outcome(&row.eager),
        named.join(", "),
        times.join(", ")
    )
}

fn outcome(compared: &Compared) -> String {
    match &compared.outcome {
        Ok(0.0) => "same".to_owned(),
        Ok(difference) => format!("{difference:.0e}"),
        Err(words) if compared.not_computed.is_empty() => {
            format!("**differs**: {}", words.replace('|', " "))
        }
        Err(words) => format!("named: {}", words.replace('|', " ")),
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.0}", time.as_secs_f64())
}
