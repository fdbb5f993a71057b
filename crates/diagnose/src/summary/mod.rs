//! What is known of a process once its trace was diagnosed.
//!
//! A summary is made from a trace alone, so summaries of many traces can be made at once, or where the traces lie. A
//! [`Diagnosis`](crate::Diagnosis) absorbs them in the order in which their findings are to be told, and comes to the same report
//! as from the traces.
//!
//! | file | what it is |
//! |---|---|
//! | `mod` | the summary, and how it comes from a trace |
//! | `found` | what was found out |
//! | `stretch` | what of a trace a summary is about, and two summaries of one process as one |
//! | `text` | summaries as lines of a file |
//! | `wire` | findings as they are written there |

mod found;
mod stretch;
mod text;
mod wire;

pub use found::Found;
pub use text::{Unreadable, check_header, header, is_header, process_in};

use std::collections::BTreeMap;

use cgsan_finding::{Finding, Location, Note, Process, Report};
use cgsan_trace::{ProcessInfo, Rank, Trace};
use rustc_hash::FxHashMap;

use crate::activity::Activity;
use crate::decided::Decided;
use crate::history::History;
use crate::notes::Limits;
use crate::part::Lasts;
use crate::pools::{self, Pools};
use crate::ranks::OfRank;
use crate::rules::{self, Explanation};
use crate::seen::{Look, Seen};
use crate::subjects::{self, Input};
use crate::trial::{Trial, Try};
use crate::{assemble, coverage, merge, notes, process, waste};
use stretch::Stretch;

/// What is known of a process.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// What the process said of itself when it started.
    pub info: ProcessInfo,
    /// What findings call it.
    pub process: Process,
    /// The processes that it forked.
    pub forked: Vec<u32>,
    /// What was found out of it; `None` if it did not use CUDA.
    pub found: Option<Box<Found>>,
}

impl Summary {
    /// Of a process that did not use CUDA.
    pub fn passed_over(trace: &Trace) -> Summary {
        Summary {
            info: trace.process().clone(),
            process: process::of(trace, 1),
            forked: trace.children().collect(),
            found: None,
        }
    }

    /// Explains what went wrong in the process of a trace. With `keeps_memory`, it has who held memory: that is as long as the trace
    /// is. `attempt` runs trials of changes that may save memory; without it, what they save is computed.
    pub fn of(trace: &Trace, keeps_memory: bool, attempt: &mut Try<'_>) -> Summary {
        Self::of_and_show(trace, keeps_memory, attempt, &mut |_| {})
    }

    /// The same, and lets `look` at what was found out on the way.
    pub fn of_and_show(
        trace: &Trace,
        keeps_memory: bool,
        attempt: &mut Try<'_>,
        look: Look<'_>,
    ) -> Summary {
        let stretch = Stretch::newest(trace);
        let summary = Self::of_stretch(trace, &stretch, attempt, &mut |pools, found| {
            look(&Seen::new(pools.history, pools.activity));
            found.memory = keeps_memory.then(|| pools::table(pools).into_iter().collect());
        });
        match trace.summarized() {
            Some(earlier) => summary.behind_all(earlier),
            None => summary,
        }
    }

    /// Explains what went wrong in the beginning of a trace, which is to give way to this. `look` is shown what the allocator held.
    pub(crate) fn of_beginning(
        trace: &Trace,
        lasts: &Lasts,
        look: &mut dyn FnMut(&Pools<'_, '_>),
    ) -> Summary {
        let stretch = Stretch::beginning(trace, lasts);
        let untried = &mut |_: &Trace, _: &Trial| None;
        let mut summary = Self::of_stretch(trace, &stretch, untried, &mut |pools, _| look(pools));
        if let Some(found) = &mut summary.found {
            found.unless_forked = None;
        }
        match trace.summarized() {
            Some(earlier) => summary.behind(earlier),
            None => summary,
        }
    }

    fn of_stretch(
        trace: &Trace,
        stretch: &Stretch<'_>,
        attempt: &mut Try<'_>,
        look: &mut dyn FnMut(&Pools<'_, '_>, &mut Found),
    ) -> Summary {
        let history = History::new(trace);
        let activity = Activity::new(&history);
        let pools = Pools::new(&history, &activity);
        let (findings, unexplained) = explain(&history, &activity, &pools, stretch, attempt);
        let Limits {
            notes: limiting,
            ending,
            unless_forked,
        } = notes::limits(&history);
        let ending = ending.filter(|_| !stretch.goes_on());
        let order = notes::order::notes(&history, &activity);
        let notes = unexplained.into_iter().chain(order).chain(limiting);
        let cells = trace.cells();
        let mut found = Found {
            findings,
            notes: notes.chain(ending).collect(),
            unless_forked,
            coverage: coverage::of(trace, stretch.entries()),
            memory: None,
            graphs: Vec::new(),
            rank: stretch
                .is_all()
                .then(|| OfRank::of(&history, &activity))
                .flatten(),
            cells: cells
                .map(|(name, code)| (name.to_owned(), code.to_owned()))
                .collect(),
            lines: BTreeMap::new(),
        };
        look(&pools, &mut found);
        Summary {
            found: Some(Box::new(found)),
            ..Self::passed_over(trace)
        }
    }

    /// Of a process that still runs, and of which there is no trace. Its findings are about it alone.
    pub fn of_running(info: ProcessInfo, rank: Option<Rank>, report: Report) -> Summary {
        let found = Found {
            findings: report.findings,
            notes: report.notes,
            coverage: report.coverage.unwrap_or_default(),
            memory: report.memory,
            graphs: report.graphs.unwrap_or_default(),
            ..Found::default()
        };
        Summary {
            process: process::known_by(&info, rank, 1),
            info,
            forked: Vec::new(),
            found: Some(Box::new(found)),
        }
    }

    /// The lines that a report on this process may show, those of notes and stacks included.
    pub fn places(&self) -> impl Iterator<Item = &Location> {
        let found = self.found.iter();
        found.flat_map(|found| {
            let findings = found.findings.iter().flat_map(of_finding);
            let notes = found.notes.iter().chain(&found.unless_forked);
            let ranks = found.rank.iter().flat_map(OfRank::places);
            findings
                .chain(notes.filter_map(|it| it.location.as_ref()))
                .chain(ranks)
        })
    }
}

/// The places that a finding shows.
fn of_finding(finding: &Finding) -> impl Iterator<Item = &Location> {
    let labels = finding.labels.iter().map(|it| &it.location);
    let observed = finding.observed().into_iter();
    let followed =
        observed.flat_map(|it| it.consequences.iter().filter_map(|it| it.location.as_ref()));
    finding.location.iter().chain(labels).chain(followed)
}

/// The findings of a process, and what is said of subjects that no rule explains.
fn explain(
    history: &History<'_>,
    activity: &Activity<'_>,
    pools: &Pools<'_, '_>,
    stretch: &Stretch<'_>,
    attempt: &mut Try<'_>,
) -> (Vec<Finding>, Vec<Note>) {
    let wastes = waste::find(pools, attempt);
    let explained: Vec<_> = subjects::of(history, activity, pools, &wastes)
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
    let mut decided = Decided::of(&explained);
    let mut findings = merge::Findings::default();
    let mut notes = Vec::new();
    for (explanation, subject) in explained {
        if !stretch.tells_of(&subject) {
            continue;
        }
        let Some(Explanation { rank, id, verdict }) = explanation else {
            notes.extend(subject.unexplained());
            continue;
        };
        if decided.leaves_out(id, &subject) || !decided.is_first_of_twin(id, &subject) {
            continue;
        }
        let is_first = |input| first.get(&input).is_none_or(|first| *first == rank);
        if subject.input().is_none_or(is_first) {
            findings.add(assemble::finding(&subject, id, verdict));
        }
    }
    (findings.finish(), notes)
}
