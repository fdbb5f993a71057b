//! From the traces of a run to one report.

use cgsan_diagnose::trial::Try;
use cgsan_finding::Report;
use cgsan_symbols::Reach;
use cgsan_trace::Trace;

use crate::progress::Progress;
use crate::recording::Recordings;

/// What a report is to have beside findings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// The names of functions in native stacks.
    pub symbols: bool,
    /// What the captures recorded.
    pub graphs: bool,
}

/// Diagnoses each process, and puts the findings of all into one report, process by process.
///
/// `attempt` runs trials of changes that may save memory. With `symbols`, the native stacks get the names of their
/// functions, from the files in reach; with `graphs`, what the captures recorded is part of the report.
pub fn diagnose(
    recordings: &Recordings,
    Wanted { symbols, graphs }: Wanted,
    reach: &Reach,
    attempt: &mut Try<'_>,
) -> Report {
    let _progress = Progress::start("looking for causes");
    let traces: Vec<&Trace> = recordings.used.iter().map(|it| &it.trace).collect();
    let mut report = cgsan_diagnose::diagnose_all(&traces, &recordings.forked, attempt);
    if symbols {
        cgsan_symbols::name_functions(&mut report, &traces, reach);
    }
    if graphs {
        let mut graphs: Vec<_> = traces
            .iter()
            .flat_map(|trace| cgsan_diagnose::graphs(trace))
            .collect();
        cgsan_symbols::name_kernels(&mut graphs);
        report.graphs = Some(graphs);
    }
    report
}

#[cfg(test)]
mod tests {
    use cgsan_finding::Coverage;

    use super::*;

    #[test]
    fn without_a_recording_nothing_was_watched() {
        let report = diagnose(
            &Recordings::default(),
            Wanted::default(),
            &Reach::OwnRun,
            &mut |_, _| None,
        );
        assert_eq!(report.coverage, Some(Coverage::default()));
        assert!(report.findings.is_empty());
    }
}
