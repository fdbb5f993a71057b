//! Reports as short text, for snapshots.

use std::fmt::Write;

use cgsan_finding::{Finding, Location, Observed, Report};

/// A report as text: everything that a person would be shown.
pub(crate) fn describe(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        describe_finding(finding, &mut text).expect("a string takes all text");
    }
    for note in &report.notes {
        writeln!(
            text,
            "run note: {}{}",
            note.text,
            at(note.location.as_ref())
        )
        .expect("a string takes all text");
    }
    text
}

/// What the trace says of a finding.
pub(crate) fn observed(finding: &Finding) -> &Observed {
    finding.observed().expect("the program of a trace ran")
}

fn describe_finding(finding: &Finding, text: &mut String) -> std::fmt::Result {
    let observed = observed(finding);
    writeln!(
        text,
        "{} {:?}: {}",
        finding.id, finding.confidence, finding.title
    )?;
    if let Some(call) = &observed.call {
        let library = call.library_function.as_ref();
        let library = library.map(|it| format!(" in {it}")).unwrap_or_default();
        let reason = call.reason.as_deref().unwrap_or("no reason");
        writeln!(
            text,
            "  call: {}{library} -> {} ({reason})",
            call.function, call.code
        )?;
    }
    if let Some(thread) = &observed.thread {
        writeln!(text, "  thread: {}", thread.name.as_deref().unwrap_or("?"))?;
    }
    if let Some(capture) = &observed.capture {
        writeln!(text, "  capture: {}, {}", capture.mode, capture.stream)?;
    }
    for label in &finding.labels {
        let place = at(Some(&label.location));
        writeln!(text, "  {:?}: {}{place}", label.role, label.text)?;
    }
    for note in &finding.notes {
        writeln!(text, "  note: {note}")?;
    }
    for help in &finding.help {
        writeln!(text, "  help: {help}")?;
    }
    for consequence in &observed.consequences {
        let id = consequence
            .id
            .map(|id| format!("{id} "))
            .unwrap_or_default();
        let place = at(consequence.location.as_ref());
        writeln!(text, "  then: {id}{}{place}", consequence.text)?;
    }
    Ok(())
}

fn at(location: Option<&Location>) -> String {
    location.map_or_else(String::new, |it| {
        format!(" [{}:{}]", it.file_name(), it.line)
    })
}
