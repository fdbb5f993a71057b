//! From a trace to findings.
//!
//! 1. `history` re-runs the recorded calls through the model and keeps what happened by capture: where it began, who
//!    forked and joined, what was refused, which exceptions were in flight, how it ended.
//!    `activity` goes through the operators, the blocks of memory and the replays, and keeps whose data lies where.
//! 2. `subjects` lists what there is to explain, such as failed captures, and is what a rule can ask of one.
//! 3. `rules` recognises the failure mode: one file per failure mode, tried in the order of one table.
//! 4. `assemble` adds to the rule's words what every finding has: places, threads, and the later errors that the event
//!    brought about. A subject of any kind gives these as `evidence`.
//!    `decided` says which of a process's subjects become findings.
//! 5. What is known of a process is its `summary`. `merge` puts those of a run's processes together, and `ranks` compares what the ranks
//!    of a job did.
//!
//! Where calls could not be watched, `unwatched` makes a finding of what Python saw and what the driver logged; `early_end` says
//! that a program failed before there was anything to judge.
//!
//! Nothing here does I/O, and nothing can fail: a trace goes in, a [`Report`] comes out.
#![forbid(unsafe_code)]

mod activity;
mod also;
mod assemble;
mod consequences;
mod contradiction;
mod coverage;
mod decided;
mod diagnosis;
mod early_end;
mod evidence;
mod graphs;
mod history;
mod kernel_name;
mod merge;
mod notes;
mod part;
mod pools;
mod process;
pub mod race;
mod ranks;
mod rules;
mod seen;
mod shorten;
mod subjects;
pub mod summary;
pub mod trial;
mod unwatched;
mod waste;

pub use contradiction::contradiction;
pub use diagnosis::Diagnosis;
pub use graphs::graphs;
pub use history::stack::{location as place, own_location};
pub use part::{Part, narrow};
pub use seen::{Capture, Look, Seen};
pub use shorten::shorten;
pub use summary::{Found, Summary};
pub use unwatched::Unwatched;

use std::process::ExitStatus;

use cgsan_finding::{Note, Process, Report};
use cgsan_trace::{AgentEvent, Trace};

/// The failure mode that is seen while a program runs, and not in its trace.
const NO_PROGRESS: &str = "CG405";

/// Whether a failure mode, named by its id, is one that a trace is examined for.
pub fn detects(id: &str) -> bool {
    rules::detects(id) || ranks::detects(id) || id == NO_PROGRESS
}

/// Whether a failure mode, named by its id, shows in what replays compute, so that a program with it may end well.
pub fn shows_in_replays(id: &str) -> bool {
    rules::shows_in_replays(id)
}

/// Explains what went wrong in the process that a trace is of.
pub fn diagnose(trace: &Trace) -> Report {
    let mut diagnosis = Diagnosis::new(true);
    diagnosis.add(trace, &mut |_, _| None);
    diagnosis.finish()
}

/// That another tool kept the calls of a run from being watched, with what the driver's log says first unless a finding was
/// made all the same.
pub fn another_tool_watches(log: &str, found: bool) -> Note {
    unwatched::note(log, found)
}

/// What `torch.compile` said of captures that it did not make, or made again, of events of the agent.
pub fn compiled(events: &[AgentEvent]) -> Vec<Note> {
    notes::compiled::of_events(events.iter())
}

/// That a program failed before it replayed a graph, for a reason that no finding of its report tells.
pub fn ended_early(ended: ExitStatus, report: &Report) -> Option<Note> {
    early_end::note(ended, report)
}

/// The process that a trace is of.
pub fn process_of(trace: &Trace) -> Process {
    process::of(trace, 1)
}
