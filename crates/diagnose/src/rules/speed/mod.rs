//! `CG5xx`: what keeps a program from getting faster.

pub(super) mod captured_and_never_replayed;
