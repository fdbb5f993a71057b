//! `CG2xx`: captured functions that do not do the same in all of their calls.

pub(super) mod frozen_control_flow;
pub(super) mod frozen_scalar;
pub(super) mod host_plan_frozen;
pub(super) mod shape_fixed_at_capture;

use cgsan_finding::Location;

use crate::subjects::Region;

/// The line of the eager operator that differs, if it is another one than the captured operator's.
fn eager_line(region: &Region<'_, '_>) -> Option<Location> {
    let captured = region.location_of(region.difference.captured);
    region
        .location_of(region.difference.eager)
        .filter(|eager| Some(eager) != captured.as_ref())
}
