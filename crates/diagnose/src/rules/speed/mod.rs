//! `CG5xx`: what keeps a program from getting faster.

pub(super) mod captured_and_never_replayed;
pub(super) mod input_copies_dominate;
pub(super) mod many_small_graphs;
pub(super) mod too_many_streams;
