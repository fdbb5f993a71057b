//! From the traces of a run to one report.

use cgsan_diagnose::Report;
use cgsan_model::Call;
use cgsan_trace::{Record, Trace};

use crate::progress::Progress;
use crate::recording::{Recording, Recordings};
use crate::symbols::Symbols;

/// Diagnoses each process, and puts the findings of all into one report, process by process.
///
/// With `symbols`, the native stacks get the names of their functions.
pub fn diagnose(recordings: &Recordings, symbols: bool) -> Report {
    let _progress = Progress::start("looking for causes");
    let traces: Vec<&Trace> = recordings.used.iter().map(|it| &it.trace).collect();
    let mut whole = cgsan_diagnose::diagnose_all(&traces, &recordings.forked);
    if symbols {
        name_functions(&mut whole, &traces);
    }
    whole
}

fn name_functions(report: &mut Report, traces: &[&Trace]) {
    let addresses = report
        .findings
        .iter()
        .flat_map(|finding| &finding.native_stack);
    let symbols = Symbols::of(traces, addresses);
    for finding in &mut report.findings {
        finding.native_stack = symbols.readable(&finding.native_stack);
    }
}

/// What the processes went through, e.g. `2 captures, 10 replays`.
pub fn watched(recordings: &[Recording]) -> String {
    if recordings.is_empty() {
        return "nothing was recorded".to_owned();
    }
    let calls = || {
        let entries = recordings
            .iter()
            .flat_map(|recording| recording.trace.entries());
        entries.filter_map(|entry| match &entry.record {
            Record::Call(call) if call.result.is_success() => Some(&call.call),
            _ => None,
        })
    };
    let captures = calls()
        .filter(|call| {
            matches!(
                call,
                Call::StreamBeginCapture { .. } | Call::StreamBeginCaptureToGraph { .. }
            )
        })
        .count();
    let replays = calls()
        .filter(|call| matches!(call, Call::GraphLaunch { .. }))
        .count();
    let mut parts = vec![count(captures, "capture"), count(replays, "replay")];
    if recordings.len() > 1 {
        parts.push(count(recordings.len(), "process"));
    }
    parts.join(", ")
}

fn count(number: usize, what: &str) -> String {
    let ending = match (number, what.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{number} {what}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_plural() {
        assert_eq!(count(0, "replay"), "0 replays");
        assert_eq!(count(1, "process"), "1 process");
        assert_eq!(count(2, "process"), "2 processes");
    }

    #[test]
    fn without_a_recording_nothing_was_watched() {
        assert_eq!(watched(&[]), "nothing was recorded");
        assert_eq!(diagnose(&Recordings::default(), true), Report::default());
    }
}
