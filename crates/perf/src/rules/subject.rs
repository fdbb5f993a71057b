//! What rules look at, and the form of what they find.

use cgsan_finding::{Basis, Confidence, Finding, Location, Observed};

use crate::bounds::float;
use crate::indexed::Indexed;
use crate::step::Step;
use crate::{DeviceMeasures, Measures, Stretch};

/// The default of `CUDA_DEVICE_MAX_CONNECTIONS` by the CUDA Programming Guide.
pub(crate) const CONNECTIONS: u32 = 8;

/// The part of a step's time that is worth a finding.
pub(super) const NOTABLE: f64 = 0.1;

/// What rules look at.
pub(crate) struct Subject<'a> {
    pub(crate) measures: &'a Measures,
    pub(crate) device: &'a DeviceMeasures,
    pub(crate) windows: &'a [(Indexed<'a>, Vec<Step>)],
    pub(crate) stretches: &'a [Stretch],
    /// How many connections the process has to its device.
    pub(crate) connections: u32,
}

impl Subject<'_> {
    /// A time as a part of a step.
    pub(super) fn part(&self, time: u64) -> f64 {
        float(time) / float(self.measures.duration_ns.max(1))
    }

    /// The idle time that is not within replays.
    pub(super) fn idle_outside(&self) -> u64 {
        self.device
            .idle_ns
            .saturating_sub(self.device.idle_in_replays_ns)
    }

    /// The place of the stretch with the most idle time.
    pub(super) fn idlest_place(&self) -> Option<Location> {
        let stretches = self.stretches.iter();
        let idlest = stretches.max_by_key(|it| it.idle_ns)?;
        idlest.place.location.clone()
    }
}

/// A finding about each step; its id is that of its rule.
pub(super) fn finding(
    title: String,
    confidence: Confidence,
    location: Option<Location>,
) -> Finding {
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
