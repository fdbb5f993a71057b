//! From the traces of a run to one report.

use cgsan_diagnose::Report;
use cgsan_model::Call;
use cgsan_trace::{ProcessInfo, Record};

use crate::progress::Progress;
use crate::recording::Recording;
use crate::symbols::Symbols;

/// Diagnoses each process, and puts the findings of all into one report, process by process.
///
/// Where several have something to report, each finding and note says whose it is. With `symbols`, the native stacks
/// get the names of their functions.
pub fn diagnose(recordings: &[Recording], symbols: bool) -> Report {
    let _progress = Progress::start("looking for causes");
    let mut reports: Vec<(&ProcessInfo, Report)> = recordings
        .iter()
        .map(|recording| {
            (
                recording.trace.process(),
                cgsan_diagnose::diagnose(&recording.trace),
            )
        })
        .filter(|(_, report)| *report != Report::default())
        .collect();
    if reports.len() > 1 {
        for (process, report) in &mut reports {
            name_process(report, process);
        }
    }
    let mut whole = Report::default();
    for (_, report) in reports {
        whole.findings.extend(report.findings);
        whole.notes.extend(report.notes);
    }
    if symbols {
        name_functions(&mut whole);
    }
    whole
}

fn name_process(report: &mut Report, process: &ProcessInfo) {
    let name = match process.rank {
        Some(rank) => format!("process {} (rank {rank})", process.pid),
        None => format!("process {}", process.pid),
    };
    for finding in &mut report.findings {
        finding.notes.push(format!("this happened in {name}"));
    }
    for note in &mut report.notes {
        note.text = format!("in {name}: {}", note.text);
    }
}

fn name_functions(report: &mut Report) {
    let addresses = report
        .findings
        .iter()
        .flat_map(|finding| &finding.native_stack);
    let symbols = Symbols::look_up(addresses);
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
        .filter(|call| matches!(call, Call::StreamBeginCapture { .. }))
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
    use cgsan_diagnose::Note;

    use super::*;

    #[test]
    fn a_process_of_several_is_named_with_its_rank() {
        let mut report = Report {
            findings: Vec::new(),
            notes: vec![Note {
                text: "the trace was cut off".to_owned(),
                location: None,
            }],
        };
        let process = ProcessInfo {
            pid: 42,
            rank: Some(1),
            ..ProcessInfo::default()
        };
        name_process(&mut report, &process);
        assert_eq!(
            report.notes[0].text,
            "in process 42 (rank 1): the trace was cut off"
        );
    }

    #[test]
    fn numbers_have_their_plural() {
        assert_eq!(count(0, "replay"), "0 replays");
        assert_eq!(count(1, "process"), "1 process");
        assert_eq!(count(2, "process"), "2 processes");
    }

    #[test]
    fn without_a_recording_nothing_was_watched() {
        assert_eq!(watched(&[]), "nothing was recorded");
        assert_eq!(diagnose(&[], true), Report::default());
    }
}
