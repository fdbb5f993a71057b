//! From a trace to findings.
//!
//! 1. `history` re-runs the recorded calls through the model and keeps what happened by capture: where it began, who
//!    forked and joined, what was refused, which exceptions were in flight, how it ended.
//!    `activity` goes through the operators, the blocks of memory and the replays, and keeps whose data lies where.
//! 2. `subjects` lists what there is to explain, such as failed captures, and is what a rule can ask of one.
//! 3. `rules` recognises the failure mode: one file per failure mode, tried in the order of one table.
//! 4. `assemble` adds to the rule's words what every finding has: places, threads, and the later errors that the event
//!    brought about. A subject of any kind gives these as `evidence`.
//! 5. `merge` puts the reports of a run's processes together, and `ranks` compares what the ranks of a job did.
//!
//! Where calls could not be watched, `unwatched` makes a finding of what Python saw and what the driver logged; `early_end` says
//! that a program failed before there was anything to judge.
//!
//! Nothing here does I/O, and nothing can fail: a trace goes in, a [`Report`] comes out.
#![forbid(unsafe_code)]

mod activity;
mod assemble;
mod consequences;
mod contradiction;
mod coverage;
mod early_end;
mod evidence;
mod graphs;
mod history;
mod merge;
mod notes;
mod pools;
mod process;
mod ranks;
mod rules;
mod subjects;
pub mod trial;
mod unwatched;
mod waste;

pub use contradiction::contradiction;
pub use graphs::graphs;

use std::collections::BTreeSet;
use std::process::ExitStatus;

use cgsan_finding::{Finding, Location, Note, Process, Report};
use cgsan_trace::{StackFrame, Trace};
use rustc_hash::FxHashMap;

use crate::activity::Activity;
use crate::history::History;
use crate::pools::Pools;
use crate::ranks::Side;
use crate::rules::Explanation;
use crate::subjects::Input;
use crate::trial::Try;

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
    diagnose_all(&[trace], &BTreeSet::new(), &mut |_, _| None)
}

/// Explains what went wrong in the processes of a run, which the traces are of, in one report.
///
/// What several processes, such as the ranks of a job, did in the same way is said once, with all their names. `forked` are
/// the ids of processes that another one forked. `attempt` runs trials of changes that may save memory; without it, what they save
/// is computed.
pub fn diagnose_all(traces: &[&Trace], forked: &BTreeSet<u32>, attempt: &mut Try<'_>) -> Report {
    let mut sides = Vec::new();
    let reports = traces.iter().map(|trace| {
        let is_forked = forked.contains(&trace.process().pid);
        let (report, side) = diagnose_one(trace, is_forked, attempt);
        sides.push(side);
        (process::of(trace, 1), report)
    });
    let mut report = merge::merge(reports.collect());
    ranks::follow(&mut report.findings, &sides);
    report.findings.extend(ranks::findings(&sides));
    report
}

/// Explains what went wrong in the processes whose calls were not watched, and of which `report` says nothing yet: from what
/// Python saw and what the driver logged for a process.
pub fn diagnose_unwatched<'t>(
    report: &Report,
    traces: impl Iterator<Item = &'t Trace>,
    log_of: impl Fn(u32) -> String,
) -> Vec<Finding> {
    unwatched::findings(report, traces, log_of)
}

/// That another tool kept the calls of a run from being watched, with what the driver's log says first unless a finding was
/// made all the same.
pub fn another_tool_watches(log: &str, found: bool) -> Note {
    unwatched::note(log, found)
}

/// That a program failed before it replayed a graph, for a reason that no finding of its report tells.
pub fn ended_early(ended: ExitStatus, report: &Report) -> Option<Note> {
    early_end::note(ended, report)
}

/// The line of the program's own code that a stack, innermost frame first, leads through.
pub fn own_location(stack: &[StackFrame]) -> Option<Location> {
    let own = history::stack::own_frame(stack).map(place);
    own.or_else(|| history::stack::user_location(stack))
}

/// A frame as a place to show.
pub fn place(frame: &StackFrame) -> Location {
    history::stack::location(frame)
}

/// The process that a trace is of.
pub fn process_of(trace: &Trace) -> Process {
    process::of(trace, 1)
}

fn diagnose_one(trace: &Trace, is_forked: bool, attempt: &mut Try<'_>) -> (Report, Side) {
    let history = History::new(trace);
    let mut report = Report {
        coverage: Some(coverage::of(trace)),
        ..Report::default()
    };
    let activity = Activity::new(&history);
    let pools = Pools::new(&history, &activity);
    let wastes = waste::find(&pools, attempt);
    let explained: Vec<_> = subjects::of(&history, &activity, &pools, &wastes)
        .into_iter()
        .map(|subject| (rules::explain(&subject), subject))
        .collect();
    let mut first: FxHashMap<Input, usize> = FxHashMap::default();
    for (explanation, subject) in &explained {
        if let (Some(explanation), Some(input)) = (explanation, subject.input()) {
            let first = first.entry(input).or_insert(explanation.rank);
            *first = explanation.rank.min(*first);
        }
    }
    for (explanation, subject) in explained {
        let Some(Explanation { rank, id, verdict }) = explanation else {
            report.notes.extend(subject.unexplained());
            continue;
        };
        let is_first = |input| first.get(&input).is_none_or(|first| *first == rank);
        if subject.input().is_none_or(is_first) {
            let finding = assemble::finding(&subject, id, verdict);
            merge::add(&mut report.findings, finding);
        }
    }
    report.notes.extend(notes::limits(&history, is_forked));
    report.memory = Some(pools::table(&pools).into_iter().collect());
    (report, ranks::side(&history, &activity))
}
