//! From the traces of a run to one report.

use cgsan_diagnose::trial::Try;
use cgsan_finding::Report;
use cgsan_symbols::Reach;
use cgsan_trace::Trace;

use crate::progress::Progress;
use crate::recording::Recordings;

/// Diagnoses each process, and puts the findings of all into one report, process by process.
///
/// `attempt` runs trials of changes that may save memory. With `symbols`, the native stacks get the names of their
/// functions, from the files in reach.
pub fn diagnose(
    recordings: &Recordings,
    symbols: bool,
    reach: &Reach,
    attempt: &mut Try<'_>,
) -> Report {
    let _progress = Progress::start("looking for causes");
    let traces: Vec<&Trace> = recordings.used.iter().map(|it| &it.trace).collect();
    let mut report = cgsan_diagnose::diagnose_all(&traces, &recordings.forked, attempt);
    if symbols {
        cgsan_symbols::name_functions(&mut report, &traces, reach);
    }
    report
}

#[cfg(test)]
mod tests {
    use cgsan_finding::Coverage;

    use super::*;

    #[test]
    fn without_a_recording_nothing_was_watched() {
        let report = diagnose(&Recordings::default(), true, &Reach::OwnRun, &mut |_, _| {
            None
        });
        assert_eq!(report.coverage, Some(Coverage::default()));
        assert!(report.findings.is_empty());
    }
}
