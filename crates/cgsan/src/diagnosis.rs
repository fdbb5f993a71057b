//! From the traces of a run to one report.

use cgsan_diagnose::Report;
use cgsan_trace::Trace;

use crate::progress::Progress;
use crate::reach::Reach;
use crate::recording::Recordings;
use crate::symbols::Symbols;

/// Diagnoses each process, and puts the findings of all into one report, process by process.
///
/// With `symbols`, the native stacks get the names of their functions, from the files in reach.
pub fn diagnose(recordings: &Recordings, symbols: bool, reach: &Reach) -> Report {
    let _progress = Progress::start("looking for causes");
    let traces: Vec<&Trace> = recordings.used.iter().map(|it| &it.trace).collect();
    let mut whole = cgsan_diagnose::diagnose_all(&traces, &recordings.forked);
    if symbols {
        name_functions(&mut whole, &traces, reach);
    }
    whole
}

fn name_functions(report: &mut Report, traces: &[&Trace], reach: &Reach) {
    let addresses = report
        .findings
        .iter()
        .flat_map(|finding| &finding.native_stack);
    let symbols = Symbols::of(traces, addresses, reach);
    for finding in &mut report.findings {
        finding.native_stack = symbols.readable(&finding.native_stack);
    }
}

#[cfg(test)]
mod tests {
    use cgsan_diagnose::Coverage;

    use super::*;

    #[test]
    fn without_a_recording_nothing_was_watched() {
        let report = diagnose(&Recordings::default(), true, &Reach::OwnRun);
        assert_eq!(report.coverage, Some(Coverage::default()));
        assert!(report.findings.is_empty());
    }
}
