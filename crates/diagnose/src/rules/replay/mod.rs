//! `CG2xx`: what replays and computes something else.

pub(super) mod address_shared_outside;
pub(super) mod autocast_cache_baked_in;
pub(super) mod graphed_callables_out_of_order;
pub(super) mod graphed_callables_under_autocast;
pub(super) mod host_source_freed;
pub(super) mod input_freed_after_capture;
pub(super) mod input_rebound_after_capture;
pub(super) mod library_workspace_freed;
pub(super) mod live_tensor_inside_graph_pool;
pub(super) mod memory_shared_across_branches;
pub(super) mod padding_rows_keep_old_values;
pub(super) mod pinned_result_read_early;
pub(super) mod pinned_source_overwritten;
pub(super) mod pool_contents_lost;
pub(super) mod results_compared_with_themselves;
pub(super) mod shared_pool_overwrites_live_tensor;
pub(super) mod shared_pool_replayed_concurrently;
pub(super) mod static_gradient_aliased;
pub(super) mod warm_up_left_its_mark;
pub(super) mod work_left_out_of_the_graph;
mod writer_replaced;
