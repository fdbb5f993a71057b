//! `CG3xx`: memory that graphs hold.

pub(super) mod eager_cannot_reuse_graph_pool;
pub(super) mod fragmentation_across_pools;
pub(super) mod free_suppressed_in_capture;
pub(super) mod freed_memory_at_replay;
pub(super) mod gradient_accumulator_on_other_stream;
pub(super) mod memory_grows_with_replays;
pub(super) mod pool_leaked_by_failed_capture;
pub(super) mod pool_per_graph;
pub(super) mod recycling_deferred_by_record_stream;
pub(super) mod static_inputs_per_graph;
