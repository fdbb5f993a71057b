//! `cgsan report`: shows the findings of a saved trace again.

use cgsan_render::Run;

use crate::cli::ReportOptions;
use crate::diagnosis;
use crate::error::Error;
use crate::exit::Exit;
use crate::output::{Output, Standard};
use crate::recording::Recordings;
use crate::sources;
use crate::trial::KeptTrials;

/// Shows the findings of the traces as one report.
pub fn run(options: &ReportOptions) -> Result<Exit, Error> {
    let output = Output::open("cgsan report", &options.display, Standard::Output)?;
    let reach = sources::reach_of_kept(&options.sources)?;
    let recordings = Recordings::read(&options.traces, &reach).map_err(Error::Trace)?;
    let mut trials = KeptTrials::default();
    let report = diagnosis::diagnose(&recordings, output.wants(), &reach, &mut |trace, _| {
        trials.next(trace)
    });
    let run = Run {
        program: recordings
            .used
            .first()
            .map(|recording| recording.trace.process().arguments.clone())
            .unwrap_or_default(),
        exit: None,
    };
    let exit = Exit::of_findings(options.strict, !report.findings.is_empty());
    output.write(report, &run, &recordings.used, &reach)?;
    Ok(exit)
}
