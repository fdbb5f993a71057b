//! The ranks of a run side by side: where they part, and whose capture failed while others went on.
//!
//! | file | what it is |
//! |---|---|
//! | `side` | what one rank did: its collectives in order, a replay standing for those of its graph; its captures |
//! | `shared` | what many ranks have in common, kept once |
//! | `wire` | the same as text, for summaries |
//! | `clocks` | which of two moments was first, on one machine or on two |
//! | `part` | the first collective at which ranks differ, and which of them are the odd ones |
//! | `alike` | ranks by what they did |
//! | `disagree` | CG403 |
//! | `swallowed` | CG404 |
//! | `followed` | errors of other ranks that followed from a failed capture of one |
//!
//! This is a step over all traces of a run, where everything else here looks at one. They are gone through one by one, and there
//! may be thousands: what is kept of each rank is its captures, and for each group the collectives of its first rank, with
//! which the others are compared.

mod alike;
mod clocks;
mod disagree;
mod followed;
mod part;
mod shared;
mod side;
mod swallowed;
mod wire;

use std::collections::BTreeSet;

use cgsan_finding::{Basis, Finding, Label, LabelRole, Location, Observed, Process, Report};

use self::alike::Did;
use self::clocks::Clocks;
use self::part::{Comparison, Parting};
use self::shared::Shared;
use self::side::{Called, Groups, Side};
pub(crate) use self::wire::{Unfit, Wire};
use crate::activity::Activity;
use crate::history::History;
use crate::summary::Found;

/// Whether a failure mode is one that is found by comparing ranks.
pub(crate) fn detects(id: &str) -> bool {
    matches!(id, disagree::ID | swallowed::ID)
}

/// What is kept of the ranks of a run.
#[derive(Debug, Default)]
pub(crate) struct Ranks {
    sides: Vec<Side>,
    /// The same, as far as ranks are told apart.
    did: Vec<Did>,
    shared: Shared,
    clocks: Clocks,
    comparison: Comparison,
}

impl Ranks {
    /// Adds a rank, of which this was found out.
    pub(crate) fn add(&mut self, rank: OfRank, found: &Found) {
        self.did.push(Did::of(found, &rank));
        let OfRank {
            mut side,
            groups,
            began_ns,
        } = rank;
        self.clocks.learn(&side.process, began_ns);
        let captures = std::mem::take(&mut side.captures).into_iter();
        side.captures = captures.map(|it| self.shared.captured(it)).collect();
        self.sides.push(side);
        self.comparison.add(&self.sides, groups, &mut self.shared);
    }

    /// Adds to the report on single processes what the ranks show side by side. What few ranks did comes first then.
    pub(crate) fn complete(&self, report: &mut Report) {
        let findings = &mut report.findings;
        let are_of_one_job = self.are_of_one_job();
        if are_of_one_job {
            followed::follow(findings, &self.sides, &self.clocks);
        }
        let parting = self.comparison.first();
        let parting = parting.as_ref();
        let swallowed = are_of_one_job.then(|| swallowed::find(&self.sides, parting));
        // A failed capture explains more than that ranks part later.
        let disagree = || Some(disagree::told(&self.sides, parting?));
        findings.extend(swallowed.flatten().or_else(disagree));
        if are_of_one_job {
            report.ranks = alike::groups(&self.sides, &self.did, parting);
        }
        if !report.ranks.is_empty() {
            let is_of_most = |finding: &Finding| {
                let processes = finding.observed().map_or(0, |it| it.processes.len());
                2 * processes >= self.sides.len()
            };
            report.findings.sort_by_key(is_of_most);
        }
    }

    /// Whether no rank is there twice, as in a run of several jobs, or of one that was started again.
    fn are_of_one_job(&self) -> bool {
        let ranks: BTreeSet<Option<u32>> = self.sides.iter().map(|it| it.process.rank).collect();
        ranks.len() == self.sides.len()
    }
}

/// What a rank did, as far as ranks are compared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OfRank {
    side: Side,
    groups: Groups,
    /// What the clock of its machine showed when its recording began, in nanoseconds.
    began_ns: u64,
}

impl OfRank {
    /// What the process of a trace did, if it is a rank.
    pub(crate) fn of(history: &History<'_>, activity: &Activity<'_>) -> Option<OfRank> {
        history.trace.rank()?;
        let (side, groups) = side::side(history, activity);
        Some(OfRank {
            side,
            groups,
            began_ns: history.trace.began_ns(),
        })
    }

    /// The lines that a finding about ranks may show.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Location> {
        let called = self.groups.values().flatten();
        let captures = self.side.captures.iter();
        let places = called.map(|it| &it.location);
        let places = places.chain(captures.flat_map(|it| [&it.location, &it.failed_at]));
        let crashed = self.side.crashed.iter().flat_map(|it| &it.location);
        places.flatten().map(|it| &**it).chain(crashed)
    }
}

/// A finding of several ranks, which points to a place in one of them.
fn finding(id: &'static str, at: Place, others: Vec<Place>, ranks: &[&Side]) -> Finding {
    let location = at.location.clone();
    let places = [(at, LabelRole::Primary)];
    let others = others.into_iter().map(|it| (it, LabelRole::Secondary));
    let labels = places.into_iter().chain(others);
    Finding {
        id,
        title: String::new(),
        confidence: cgsan_finding::Confidence::Likely,
        location,
        labels: merged(labels),
        notes: Vec::new(),
        help: Vec::new(),
        basis: Basis::Run(Box::new(Observed {
            of_replays: true,
            count: 1,
            processes: ranks.iter().map(|side| side.process.clone()).collect(),
            ..Observed::default()
        })),
    }
}

/// A place of one rank, with what is said of it.
#[derive(Default)]
struct Place {
    location: Option<Location>,
    text: String,
}

impl Place {
    fn of(location: Option<Location>, text: String) -> Place {
        Place { location, text }
    }
}

/// Labels, those of one line as one.
fn merged(places: impl Iterator<Item = (Place, LabelRole)>) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::new();
    for (place, role) in places {
        let Some(location) = place.location else {
            continue;
        };
        match labels.iter_mut().find(|label| label.location == location) {
            Some(label) => label.text = format!("{}; {}", label.text, place.text),
            None => labels.push(Label {
                location,
                text: place.text,
                role,
            }),
        }
    }
    labels
}

/// What a sentence calls ranks.
fn name(ranks: &[&Side]) -> String {
    let mut processes: Vec<Process> = ranks.iter().map(|it| it.process.clone()).collect();
    Process::sort(&mut processes);
    Process::names(&processes)
}

/// What a sentence calls a collective of ranks.
fn described(ranks: &[&Side], called: &Called) -> String {
    let calls = if ranks.len() == 1 { "calls" } else { "call" };
    let replay = if called.is_replayed {
        ", by a replay"
    } else {
        ""
    };
    format!("{} {calls} {}{replay}", name(ranks), called.what())
}
