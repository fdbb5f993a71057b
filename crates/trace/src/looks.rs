//! Which replays of a graph the agent looks at.

/// How many of the first replays are all looked at, and so recorded; of the later ones, those whose number is a power of two are.
/// On the virtual GPU a look takes time that nobody measures.
#[must_use]
pub const fn first_replays(virtual_gpu: bool) -> u64 {
    if virtual_gpu { 32 } else { 4 }
}
