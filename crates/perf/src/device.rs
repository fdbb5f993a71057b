//! What launches and replays cost on a machine.

use serde::{Deserialize, Serialize};

use crate::Bounds;

/// What launches and replays cost on a machine, in nanoseconds. `cgsan perf -- …` measures it; for files, typical values stand in.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Device {
    /// The GPU.
    pub name: String,
    /// Whether it was measured on the machine that the timeline is from.
    pub measured: bool,
    /// How much longer a short kernel takes as a node of a graph than the profiler says of it. It may be negative: profilers count
    /// in what a launch costs.
    pub node_gap_ns: Bounds,
    /// From the end of a replay to the begin of the next one, if the host has launched it long before.
    pub replay_gap_ns: Bounds,
    /// What the launch of a graph costs the host, whatever its size.
    pub replay_host_ns: Bounds,
    /// What each node adds to it.
    pub replay_host_ns_per_node: Bounds,
    /// How much longer a launch takes on the host while a profiler watches.
    pub profiler_launch_ns: Bounds,
}

impl Device {
    /// An H100, with ranges wide enough for other machines of its time.
    pub fn h100() -> Self {
        Self {
            name: "NVIDIA H100".to_owned(),
            measured: false,
            node_gap_ns: Bounds::new(-500.0, 1500.0),
            replay_gap_ns: Bounds::new(1000.0, 8000.0),
            replay_host_ns: Bounds::new(3000.0, 12_000.0),
            replay_host_ns_per_node: Bounds::new(100.0, 500.0),
            profiler_launch_ns: Bounds::new(500.0, 3000.0),
        }
    }
}

/// What `python/cgsan/agent/calibrate.py` measured on a machine: ranges, in nanoseconds.
#[derive(Debug, Deserialize)]
pub struct Calibration {
    device: String,
    node_gap_ns: (f64, f64),
    replay_gap_ns: (f64, f64),
    replay_host_ns: (f64, f64),
    replay_host_ns_per_node: (f64, f64),
    profiler_launch_ns: (f64, f64),
}

impl From<Calibration> for Device {
    fn from(measured: Calibration) -> Self {
        let bounds = |(low, high): (f64, f64)| Bounds::new(low, high);
        Self {
            name: measured.device,
            measured: true,
            node_gap_ns: bounds(measured.node_gap_ns),
            replay_gap_ns: bounds(measured.replay_gap_ns),
            replay_host_ns: bounds(measured.replay_host_ns),
            replay_host_ns_per_node: bounds(measured.replay_host_ns_per_node),
            profiler_launch_ns: bounds(measured.profiler_launch_ns),
        }
    }
}
