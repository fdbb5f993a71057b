//! Processes whose calls to CUDA could not be watched: what the driver's own log and the agent tell together.
//!
//! The agent knows where a capture began, and the exception with its Python stack; the log has the first call that was
//! refused, and its thread. Both as one text are what `cgsan explain` is good at.

mod note;
mod seen;

pub(crate) use note::note;

use cgsan_explain::driver_log::{self, Refusal};
use cgsan_finding::{
    Basis, CallInfo, Confidence, Finding, Label, LabelRole, Location, Observed, Report,
};
use cgsan_trace::{Record, Trace};

use crate::history::stack;
use crate::{merge, process};
use seen::{Capture, Thrown, thread};

/// How strongly the text must speak for a failure mode, of 100.
const STRONG: u8 = 60;

/// How many of the catalogue's fixes are shown.
const HELP: usize = 2;

/// What a finding says of its origin.
const FROM_BOTH: &str = "calls to CUDA were not watched: this finding rests on the exception and the driver's own log. Which \
                         streams were in the capture, and what ran before it, is unknown";
const FROM_THE_EXCEPTION: &str = "calls to CUDA were not watched: this finding rests on the exception alone. Which call was \
                                  refused first, which streams were in the capture, and what ran before it, is unknown";

/// What went wrong in the processes whose calls were not watched.
#[derive(Debug, Default)]
pub struct Unwatched {
    findings: Vec<Finding>,
}

impl Unwatched {
    /// Adds the process of a trace, for which the driver logged `log`.
    pub fn add(&mut self, trace: &Trace, log: &str) {
        self.findings.extend(finding(trace, log));
    }

    /// The findings on the processes of which `report` says nothing yet.
    pub fn unexplained(self, report: &Report) -> Vec<Finding> {
        let mut unexplained = merge::Findings::default();
        for finding in self.findings {
            let explained = report.findings.iter().filter_map(Finding::observed);
            let mut explained = explained.flat_map(|it| &it.processes);
            let mut own = finding.observed().into_iter().flat_map(|it| &it.processes);
            if !own.any(|own| explained.any(|it| it.is(own))) {
                unexplained.add(finding);
            }
        }
        unexplained.finish()
    }
}

/// What went wrong first while a process's calls were not watched, as far as its trace and the driver's log tell. `None` if
/// the calls were watched, or nothing went wrong, or it is not clear what.
fn finding(trace: &Trace, log: &str) -> Option<Finding> {
    let from = unwatched_from(trace)?;
    let thrown = Thrown::all_from(trace, from);
    let first = thrown.first()?;
    let capture = Capture::last_between(trace, from, first.position);
    let refused = driver_log::refusals(log).find(Refusal::is_of_a_capture);
    let by_another = match (&capture, &refused) {
        (Some(capture), Some(refused)) => refused.thread.is_some_and(|it| it != capture.thread),
        _ => false,
    };
    // What another thread broke surfaces as an exception that says nothing of it.
    let text = if by_another {
        log.to_owned()
    } else {
        format!(
            "{}{log}",
            thrown.iter().map(Thrown::text).collect::<String>()
        )
    };
    let explanation = cgsan_explain::text(&text).ok()?;
    let best = explanation.candidates.first()?;
    let is_of_graphs = capture.is_some() || refused.is_some();
    if best.score < STRONG || !is_of_graphs {
        return None;
    }
    let location = first.location();
    let note = if log.is_empty() {
        FROM_THE_EXCEPTION
    } else {
        FROM_BOTH
    };
    let observed = Observed {
        call: refused.as_ref().map(call),
        thread: (!by_another).then(|| thread(trace, first.thread, first.position)),
        capture: capture.as_ref().map(|capture| capture.info(trace)),
        consequences: thrown.iter().map(Thrown::consequence).collect(),
        stack: first.stack.iter().map(stack::location).collect(),
        count: 1,
        processes: vec![process::of(trace, 1)],
        ..Observed::default()
    };
    Some(Finding {
        id: best.entry.id,
        title: best.entry.title.english.to_owned(),
        confidence: if refused.is_some() {
            Confidence::Likely
        } else {
            Confidence::Possible
        },
        labels: labels(by_another, location.clone(), capture.as_ref()),
        location,
        notes: vec![note.to_owned()],
        help: best
            .entry
            .fixes
            .iter()
            .take(HELP)
            .map(|fix| fix.title.english.to_owned())
            .collect(),
        basis: Basis::Run(Box::new(observed)),
    })
}

/// Where the last calls that were not watched begin in a trace; `None` if the last ones were watched.
fn unwatched_from(trace: &Trace) -> Option<usize> {
    let last = |is_it: &dyn Fn(&Record) -> bool| {
        let mut entries = trace.entries().iter();
        entries.rposition(|entry| is_it(&entry.record))
    };
    let looked_away = last(&|record| *record == Record::Watched { on: false });
    match last(&|record| matches!(record, Record::Call(call) if !trace.is_aside(call))) {
        None => Some(0),
        Some(call) => looked_away.filter(|position| *position > call),
    }
}

fn call(refused: &Refusal<'_>) -> CallInfo {
    CallInfo {
        function: refused.function.to_owned(),
        runtime_function: None,
        library_function: None,
        code: refused.code,
        name: refused.name.to_owned(),
        reason: refused.reason.map(str::to_owned),
    }
}

fn labels(
    by_another: bool,
    location: Option<Location>,
    capture: Option<&Capture<'_>>,
) -> Vec<Label> {
    let at = location.map(|location| Label {
        location,
        text: if by_another {
            "the exception came here; another thread made the refused call"
        } else {
            "the exception came here"
        }
        .to_owned(),
        role: LabelRole::Primary,
    });
    let began = capture.and_then(|capture| {
        Some(Label {
            location: capture.location.clone()?,
            text: "the capture began here".to_owned(),
            role: LabelRole::Secondary,
        })
    });
    at.into_iter().chain(began).collect()
}

#[cfg(test)]
mod tests;
