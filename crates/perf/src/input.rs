//! What is analysed.

use cgsan_timeline::Timeline;

use crate::Device;

/// What is analysed: one process.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// Windows of its run, in order; at least one.
    pub timelines: &'a [Timeline],
    /// A window with the stacks of Python, for the lines; `None` if those of `timelines` are all there is.
    pub lines: Option<&'a Timeline>,
    /// How long steps took while no profiler watched, in nanoseconds; empty if that is not known.
    pub undisturbed_steps: &'a [u64],
    /// What launches and replays cost on its machine.
    pub device: Device,
}

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The name of the range that marks a step; numbers behind the name are allowed.
    pub step_marker: Option<String>,
    /// How many times a step has the same sequence of launches, where that is known: its equal layers.
    pub together: Option<usize>,
    /// How many connections the process had to its device: `CUDA_DEVICE_MAX_CONNECTIONS`; `None` if that was not set.
    pub connections: Option<u32>,
}
