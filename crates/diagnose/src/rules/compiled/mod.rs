//! `CG2xx`: what goes wrong with the graphs that `torch.compile` captures.

pub(super) mod graph_partitioned;
pub(super) mod output_kept_across_calls;
