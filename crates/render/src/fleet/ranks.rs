//! Ranks with their steps.

/// What a thread spends its time on, in the order of [`FleetStep::spent_on`].
pub const SPENT_ON: [&str; 5] = ["host", "gpu", "copy", "collective", "launch"];

/// Ranks with their steps.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    /// The ranks, in the order in which they are shown.
    pub ranks: Vec<FleetRank>,
    /// Lines of the program that steps waited at.
    pub places: Vec<String>,
}

/// A process and its steps.
#[derive(Clone, Debug, Default)]
pub struct FleetRank {
    /// What it is called: `rank 7`.
    pub name: String,
    /// Its machine.
    pub host: String,
    /// The ids of what was found in it.
    pub findings: Vec<String>,
    /// Its steps, ascending.
    pub steps: Vec<FleetStep>,
}

/// A step of a rank. Times are in nanoseconds; there are very many steps, so that they are kept as short numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FleetStep {
    /// Its number.
    pub step: u32,
    /// How long it lasted; of one that was not seen to end, as long as it was seen.
    pub lasted: f32,
    /// How long the rank did work of its own.
    pub host: f32,
    /// How long it was in what it spent most of its time on.
    pub spent: f32,
    /// The line that it waited at, among the places.
    pub place: Option<u16>,
    /// What it spent most of its time on: an index into [`SPENT_ON`].
    pub spent_on: u8,
    /// Whether it was seen to end.
    pub is_over: bool,
}
