//! One line per finding, as editors and `grep` read it: `file:line:column: id title`.

use std::fmt::Write as _;

use cgsan_finding::{Cell, Location, NoteLevel, Report};

use crate::text;

/// All findings, then errors, then other remarks.
pub fn concise(report: &Report) -> String {
    let mut lines = String::new();
    for found in &report.findings {
        let mark = if found.is_repairable() { "[*] " } else { "" };
        let place = place(found.location.as_ref());
        let _ = writeln!(lines, "{place}{} {mark}{}", found.id, found.title);
    }
    for level in [NoteLevel::Error, NoteLevel::Note] {
        let word = match level {
            NoteLevel::Error => "error",
            NoteLevel::Note => "note",
        };
        for note in report.notes.iter().filter(|it| it.level == level) {
            let place = place(note.location.as_ref());
            let _ = writeln!(lines, "{place}{word}: {}", note.text);
        }
    }
    text::shown(&lines)
}

/// `file:line:column: `; in a notebook `file:cell N:line:column: `, where the line is that of the cell.
fn place(location: Option<&Location>) -> String {
    let Some(location) = location else {
        return String::new();
    };
    let file = text::printable(&location.file.to_string_lossy());
    let column = location.span.as_ref().map_or(1, |span| span.column);
    match location.cell {
        Some(Cell { number, line }) => format!("{file}:cell {number}:{line}:{column}: "),
        None => format!("{file}:{}:{column}: ", location.line),
    }
}
