//! `CG2xx`: what only Python knows of graphs and their replays.

mod attribute_not_assigned_again;
pub(super) mod gradient_buffer_dropped;
pub(super) mod host_side_effect_skipped;
pub(super) mod input_renamed_after_capture;
pub(super) mod module_hook_skipped;
pub(super) mod optimizer_number_frozen;
pub(super) mod output_kept_without_clone;
pub(super) mod static_gradient_kept;
