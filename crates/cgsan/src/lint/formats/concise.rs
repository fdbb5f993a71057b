//! A line a finding, as editors and `grep` read it: `file:line:column: id title`.

use std::fmt::Write as _;

use cgsan_lint::{Location, Outcome};

use super::is_repairable;

/// All findings, then syntax errors, then what was evaluated in part only.
pub fn write(outcome: &Outcome) -> String {
    let mut text = String::new();
    for found in &outcome.findings {
        let mark = if is_repairable(found) { "[*] " } else { "" };
        let line = format_args!(
            "{}: {} {mark}{}",
            place(&found.location),
            found.id,
            found.title
        );
        let _ = writeln!(text, "{line}");
    }
    for error in &outcome.errors {
        let _ = writeln!(text, "{}: error: {}", place(&error.location), error.message);
    }
    for it in &outcome.unfinished {
        let _ = writeln!(text, "{}: note: {}", place(&it.location), it.message());
    }
    cgsan_render::shown(&text)
}

/// `file:line:column`; in a notebook `file:cell N:line:column`, where the line is that of the cell.
pub fn place(location: &Location) -> String {
    let file = cgsan_render::printable(&location.file.to_string_lossy());
    let column = location.start.column;
    match location.cell {
        Some((cell, line)) => format!("{file}:cell {cell}:{line}:{column}"),
        None => format!("{file}:{}:{column}", location.start.line),
    }
}
