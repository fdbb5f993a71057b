//! What was found in source, as a report.

use cgsan_finding::{Location, Note, NoteLevel, Report};
use cgsan_lint::{Outcome, SyntaxError, Unfinished};

/// The report on what was found.
pub fn of(outcome: &Outcome) -> Report {
    let errors = outcome.errors.iter().map(note);
    let unfinished = outcome.unfinished.iter().map(unfinished);
    Report {
        findings: outcome.findings.clone(),
        left_out: outcome.left_out.clone(),
        ranks: Vec::new(),
        notes: errors
            .chain(unfinished)
            .chain(outcome.notes.iter().cloned())
            .collect(),
        coverage: None,
        memory: None,
        graphs: None,
    }
}

fn note(error: &SyntaxError) -> Note {
    let location = error.location.clone();
    let (text, location) = if error.unreadable {
        let text = format!("this file was not checked: {}", error.message);
        let whole = Location {
            span: None,
            ..location
        };
        (text, whole)
    } else {
        (
            format!("invalid Python syntax: {}", error.message),
            location,
        )
    };
    Note {
        level: NoteLevel::Error,
        text,
        location: Some(location),
    }
}

fn unfinished(unfinished: &Unfinished) -> Note {
    Note::new(unfinished.message(), Some(unfinished.location.clone()))
}
