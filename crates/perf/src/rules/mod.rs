//! What keeps graphs from paying: one rule per file, each a ladder of early returns over what was measured.

mod bottleneck_outside_the_graph;
mod gpu_bound;
mod gradient_hooks_deferred;
mod graph_breaks;
mod input_copies_dominate;
mod many_small_graphs;
mod too_many_streams;

use cgsan_finding::{Basis, Confidence, Finding, Location, Observed};

use crate::bounds::float;
use crate::indexed::Indexed;
use crate::step::Step;
use crate::{DeviceMeasures, Measures, Stretch};

/// The default of `CUDA_DEVICE_MAX_CONNECTIONS` by the CUDA Programming Guide.
pub(crate) const CONNECTIONS: u32 = 8;

/// The part of a step's time that is worth a finding.
const NOTABLE: f64 = 0.1;

/// What rules look at.
pub(crate) struct Subject<'a> {
    pub(crate) measures: &'a Measures,
    pub(crate) device: &'a DeviceMeasures,
    pub(crate) windows: &'a [(Indexed<'a>, Vec<Step>)],
    pub(crate) stretches: &'a [Stretch],
    /// How many connections the process has to its device.
    pub(crate) connections: u32,
}

/// Each gives at most one finding.
type Rule = fn(&Subject<'_>) -> Option<Finding>;

/// The rules, with the failure mode that each finds.
const RULES: [(&str, Rule); 7] = [
    ("CG501", gpu_bound::find),
    ("CG502", bottleneck_outside_the_graph::find),
    ("CG503", many_small_graphs::find),
    ("CG504", input_copies_dominate::find),
    ("CG505", gradient_hooks_deferred::find),
    ("CG506", too_many_streams::find),
    ("CG507", graph_breaks::find),
];

/// Whether there is a rule for a failure mode.
pub fn detects(id: &str) -> bool {
    RULES.iter().any(|rule| rule.0 == id)
}

/// All that is found, by id.
pub(crate) fn findings(subject: &Subject<'_>) -> Vec<Finding> {
    // What happens once is no pattern: a start, a compilation.
    if subject.windows.iter().map(|it| it.1.len()).sum::<usize>() < 2 {
        return Vec::new();
    }
    let found = RULES.iter();
    found
        .filter_map(|(id, rule)| {
            Some(Finding {
                id,
                ..rule(subject)?
            })
        })
        .collect()
}

impl Subject<'_> {
    /// A time as a part of a step.
    fn part(&self, time: u64) -> f64 {
        float(time) / float(self.measures.duration_ns.max(1))
    }

    /// The idle time that is not within replays.
    fn idle_outside(&self) -> u64 {
        self.device
            .idle_ns
            .saturating_sub(self.device.idle_in_replays_ns)
    }

    /// The place of the stretch with the most idle time.
    fn idlest_place(&self) -> Option<Location> {
        let stretches = self.stretches.iter();
        let idlest = stretches.max_by_key(|it| it.idle_ns)?;
        idlest.place.location.clone()
    }

    /// Whether compiled code of PyTorch's is what launches.
    fn is_compiled(&self) -> bool {
        graph_breaks::regions(self) > 0
    }
}

/// A finding about each step; its id is that of its rule.
fn finding(title: String, confidence: Confidence, location: Option<Location>) -> Finding {
    Finding {
        id: "",
        title,
        confidence,
        location,
        labels: Vec::new(),
        notes: Vec::new(),
        help: Vec::new(),
        basis: Basis::Run(Box::new(Observed {
            of_replays: true,
            count: 1,
            ..Observed::default()
        })),
    }
}
