//! From a trace to findings.
//!
//! 1. `history` replays the recorded calls through the model and keeps what happened by capture: where it began, who
//!    forked and joined, what was refused, which exceptions were in flight, how it ended.
//! 2. `causes` lists the failures, each with the one event that came first; `failure` is what a rule can ask of one.
//! 3. `rules` recognises the failure mode: one file a mode, tried in the order of one table.
//! 4. `assemble` adds to the rule's words what every finding has: places, threads, and the later errors that the cause
//!    brought about.
//!
//! Nothing here does I/O, and nothing can fail: a trace goes in, a [`Report`] comes out.
#![forbid(unsafe_code)]

mod assemble;
mod causes;
mod consequences;
mod failure;
mod finding;
mod history;
mod notes;
mod rules;

pub use finding::{
    CallInfo, CaptureInfo, Confidence, Consequence, Finding, Label, LabelRole, Location, Note,
    Report, ThreadInfo,
};

use cgsan_trace::Trace;

use crate::history::History;

/// Explains what went wrong in the process that a trace is of.
pub fn diagnose(trace: &Trace) -> Report {
    let history = History::new(trace);
    let mut report = Report::default();
    for failure in causes::failures(&history) {
        match rules::explain(&failure) {
            Some((id, verdict)) => {
                let finding = assemble::finding(&failure, id, verdict);
                if !repeats(&report.findings, &finding) {
                    report.findings.push(finding);
                }
            }
            None => report.notes.extend(notes::abandoned(&failure)),
        }
    }
    report.notes.extend(notes::limits(&history));
    report
}

/// Whether the same line failed in the same way before, e.g. in an earlier iteration of a loop.
fn repeats(earlier: &[Finding], finding: &Finding) -> bool {
    let is_same = |other: &Finding| {
        other.id == finding.id
            && other.location == finding.location
            && other.call.as_ref().map(|call| &call.function)
                == finding.call.as_ref().map(|call| &call.function)
            && other
                .capture
                .as_ref()
                .map(|capture| (&capture.file, capture.line))
                == finding
                    .capture
                    .as_ref()
                    .map(|capture| (&capture.file, capture.line))
    };
    earlier.iter().any(is_same)
}
