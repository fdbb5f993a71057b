//! What is said of a program's time.

use cgsan_finding::{Finding, Gap, Location};
use serde::Serialize;

use crate::{Device, Found, Measures, Prediction, Verdict};

/// What is said of a program's time.
#[derive(Clone, Debug)]
pub struct Performance {
    /// Whether one graph for each part of the step that can be one is worth it.
    pub verdict: Verdict,
    /// Why it is so, or what would decide: a sentence without a full stop.
    pub reason: String,
    /// The steps.
    pub steps: Steps,
    /// What a step takes.
    pub measures: Measures,
    /// What it would take with graphs; `None` if the file does not have what that needs.
    pub prediction: Option<Prediction>,
    /// Its parts between two waits of the host, in order; one if the host does not wait.
    pub stretches: Vec<Stretch>,
    /// The stretch to graph first, if one is worth it or may be: an index into `stretches`.
    pub first: Option<usize>,
    /// What keeps graphs from paying.
    pub findings: Vec<Finding>,
    /// What could not be measured, and why.
    pub lacks: Vec<Gap>,
    /// The costs that the prediction rests on.
    pub device: Device,
}

impl Performance {
    /// The same of a device that takes no time for its work: what was counted, and nothing that rests on times.
    #[must_use]
    pub fn counts_only(mut self, reason: &str) -> Self {
        self.verdict = Verdict::CannotTell;
        reason.clone_into(&mut self.reason);
        self.prediction = None;
        self.stretches.clear();
        self.first = None;
        self.findings.clear();
        self.measures = self.measures.counts_only();
        self
    }
}

/// The steps of a timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Steps {
    /// How they were found.
    pub found: Found,
    /// How many were measured.
    pub count: u64,
    /// How many were left out, since their launches deviate.
    pub left_out: u64,
    /// How many durations without a profiler were given.
    pub undisturbed: u64,
}

/// A part of a step between two waits of the host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stretch {
    /// Where it is in the program.
    pub place: Place,
    /// The call in which the host waits at its end; `None` if it does not.
    pub wait: Option<String>,
    /// How many launches it has.
    pub launches: u64,
    /// How many of them are replays.
    pub replays: u64,
    /// From its first work to that of the next stretch.
    pub duration_ns: u64,
    /// How long the device has none of that time.
    pub idle_ns: u64,
    /// What a graph of it alone would change; the gain is a share of the whole step.
    pub prediction: Prediction,
    /// Whether that is worth it.
    pub verdict: Verdict,
}

/// Where launches come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Place {
    /// The function that makes them, by the line of its definition; `None` without stacks.
    pub location: Option<Location>,
    /// The ranges or operators that make them, in words; empty if nothing is known.
    pub words: String,
}
