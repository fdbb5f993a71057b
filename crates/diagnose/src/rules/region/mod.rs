//! `CG2xx`: captured functions that do not do the same in all of their calls.

pub(super) mod capture_changes_the_computation;
pub(super) mod frozen_control_flow;
pub(super) mod frozen_scalar;
pub(super) mod host_plan_frozen;
pub(super) mod shape_fixed_at_capture;
