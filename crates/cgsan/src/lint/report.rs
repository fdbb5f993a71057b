//! Findings of the source in the form that all of cgsan's reports have.

use cgsan_diagnose::{
    Cell, Confidence, Finding, Label, LabelRole, Location, Note, NoteLevel, Report, Span,
};
use cgsan_lint::{Outcome, Unfinished};

/// The report on what was found.
pub fn of(outcome: &Outcome) -> Report {
    let errors = outcome.errors.iter().map(error);
    let unfinished = outcome.unfinished.iter().map(unfinished);
    Report {
        findings: outcome.findings.iter().map(finding).collect(),
        notes: errors.chain(unfinished).collect(),
        coverage: None,
    }
}

fn finding(found: &cgsan_lint::Finding) -> Finding {
    let labels = found.labels.iter().map(|label| Label {
        location: location(&label.location),
        text: label.text.clone(),
        role: LabelRole::Secondary,
    });
    Finding {
        id: found.id,
        title: found.title.clone(),
        confidence: match found.confidence {
            cgsan_lint::Confidence::Confirmed => Confidence::Confirmed,
            cgsan_lint::Confidence::Likely => Confidence::Likely,
            cgsan_lint::Confidence::Possible => Confidence::Possible,
        },
        location: Some(location(&found.location)),
        call: None,
        thread: None,
        capture: None,
        labels: labels.collect(),
        notes: found.notes.clone(),
        help: help(found),
        consequences: Vec::new(),
        stack: Vec::new(),
        native_stack: Vec::new(),
        of_replays: false,
        count: 1,
        processes: Vec::new(),
    }
}

/// What to change, and how to have it changed.
fn help(found: &cgsan_lint::Finding) -> Vec<String> {
    let mut help = found.help.clone();
    let Some(fix) = &found.fix else {
        return help;
    };
    let option = if fix.safe {
        "--fix"
    } else {
        "--fix --unsafe-fixes"
    };
    let command = format!("`cgsan lint {option}` can do it");
    // What is said already, as `keep a copy: ...`, is not said again.
    let is_said = |it: &&mut String| {
        let rest = it.strip_prefix(fix.title.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(": "))
    };
    match help.iter_mut().find(is_said) {
        Some(said) => *said = format!("{said}; {command}"),
        None => help.push(format!("{command}: {}", fix.title)),
    }
    help
}

fn error(error: &cgsan_lint::SyntaxError) -> Note {
    let location = location(&error.location);
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
    Note::new(unfinished.message(), Some(location(&unfinished.location)))
}

fn location(place: &cgsan_lint::Location) -> Location {
    Location {
        file: place.file.to_string_lossy().into_owned(),
        line: place.start.line,
        span: Some(Span {
            column: place.start.column,
            end_line: place.end.line,
            end_column: place.end.column,
        }),
        cell: place.cell.map(|(number, line)| Cell { number, line }),
        function: place.function.clone(),
    }
}
