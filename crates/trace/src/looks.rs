//! Which replays of a graph the agent looks at.

/// How many of the first replays are all recorded, and looked at by the agent as long as that takes little of a program's time; of
/// the later ones, those whose number is a power of two are.
pub const FIRST_REPLAYS: u64 = 32;
