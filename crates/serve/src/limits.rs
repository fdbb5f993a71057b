//! What a client has to wait for at most.

/// Bytes of the largest message, log and report: clients wait for a result before they do anything else.
pub const LARGEST: u64 = 16 << 20;
