//! The model against recordings of a real driver: every recorded call must get the recorded answer.
//!
//! A recording is a file of JSON lines, plain or compressed with gzip, of one of two kinds: random **programs** (what
//! every call returned, and the capture state of every stream after it) and **probes** (one call while a stream
//! captures). `recorder/` at the root of the repository makes both; what each operation does is told there. A first
//! line without a program or probe is the header: the recorder, the GPU, the driver.
//!
//! [`check`] re-runs a recording and yields a [`Report`]; [`table`] turns probes into the table of what a capture permits.
#![forbid(unsafe_code)]

mod built;
mod error;
mod minimise;
mod operations;
mod player;
mod probed_calls;
mod probes;
mod programs;
mod recording;
mod report;
pub mod table;

pub use error::Error;
pub use recording::{Header, Op, Probe, Program, Recording, read};
pub use report::{Disagreement, Report, Score, Subject};

/// Re-runs a recording through the model.
pub fn check(recording: &Recording) -> Report {
    let mut report = Report::default();
    match recording {
        Recording::Programs { header, programs } => {
            for program in programs {
                programs::check(program, header, &mut report);
            }
        }
        Recording::Probes { probes, .. } => {
            for probe in probes {
                probes::check(probe, &mut report);
            }
        }
    }
    report
}
