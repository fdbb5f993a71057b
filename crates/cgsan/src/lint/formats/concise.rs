//! One line per finding, as editors and `grep` read it: `file:line:column: id title`.

use std::fmt::Write as _;

use cgsan_finding::{Cell, Location};
use cgsan_lint::Outcome;

use super::is_repairable;

/// All findings, then syntax errors, then what was evaluated in part only.
pub fn write(outcome: &Outcome) -> String {
    let mut text = String::new();
    for found in &outcome.findings {
        let mark = if is_repairable(found) { "[*] " } else { "" };
        let line = format_args!(
            "{}: {} {mark}{}",
            found.location.as_ref().map(place).unwrap_or_default(),
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
    let column = location.span.as_ref().map_or(1, |span| span.column);
    match location.cell {
        Some(Cell { number, line }) => format!("{file}:cell {number}:{line}:{column}"),
        None => format!("{file}:{}:{column}", location.line),
    }
}
