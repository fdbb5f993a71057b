//! What work would take as a graph.

use serde::Serialize;

use crate::bounds::float;
use crate::{Bounds, Device};

/// What a step, or a part of it, would take as a graph. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Prediction {
    /// What it takes now, without a profiler.
    pub now_ns: Bounds,
    /// What it would take.
    pub graph_ns: Bounds,
    /// What the device would take for it.
    pub device_ns: Bounds,
    /// What the host would take for it.
    pub host_ns: Bounds,
    /// What it gains, as a share of the time of the whole step. Negative where a graph is slower.
    pub gain: Bounds,
}

/// What is known of work that may become a graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// How long the device has work.
    pub(crate) busy: u64,
    /// How long the work of the stream with the most takes. In a graph, what other streams have may run beside it.
    pub(crate) longest: u64,
    /// How many pieces of work are not in a graph yet.
    pub(crate) eager: u64,
    /// How many pieces of work there are.
    pub(crate) nodes: u64,
    /// What the host does before and within it that may stay outside of a graph, at most.
    pub(crate) outside: u64,
    /// Whether the host waits at its end.
    pub(crate) waits: bool,
}

impl Part {
    /// What the device would take: its work, what each node takes beside its duration, and the gap to the next replay.
    pub(crate) fn device(&self, device: &Device) -> Bounds {
        let busy = float(self.busy);
        let longest = float(self.longest).min(busy);
        // Of the nodes, the longest stream has its share.
        let share = if busy > 0.0 { longest / busy } else { 1.0 };
        let gaps = device.node_gap_ns;
        let nodes = Bounds {
            low: gaps.low * float(self.eager) * share,
            high: gaps.high * float(self.eager),
        };
        let sum = Bounds::new(longest, busy) + nodes + device.replay_gap_ns;
        // Profilers do not count in more than the work itself.
        sum.at_least(longest / 2.0)
    }

    /// What the host would take: one launch, and what stays outside of the graph.
    pub(crate) fn host(&self, device: &Device) -> Bounds {
        let nodes = device.replay_host_ns_per_node.times(float(self.nodes));
        device.replay_host_ns + nodes + Bounds::new(0.0, float(self.outside))
    }

    /// What it would take as a graph.
    pub(crate) fn as_graph(&self, device: &Device) -> Bounds {
        if self.waits {
            self.device(device) + self.host(device)
        } else {
            self.device(device).max(self.host(device))
        }
    }
}

/// What is gained, as a share of a whole.
pub(crate) fn gain(now: Bounds, graph: Bounds, whole: Bounds) -> Bounds {
    let share = |saved: f64, whole: f64| if whole > 0.0 { saved / whole } else { 0.0 };
    Bounds::new(
        share(now.low - graph.high, whole.low),
        share(now.high - graph.low, whole.high),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device() -> Device {
        Device {
            node_gap_ns: Bounds::new(-100.0, 1000.0),
            replay_gap_ns: Bounds::exactly(2000.0),
            replay_host_ns: Bounds::exactly(5000.0),
            replay_host_ns_per_node: Bounds::exactly(100.0),
            ..Device::h100()
        }
    }

    #[test]
    fn without_waits_the_slower_of_both_decides() {
        let part = Part {
            busy: 100_000,
            longest: 100_000,
            eager: 50,
            nodes: 50,
            outside: 20_000,
            waits: false,
        };
        let device = device();
        assert_eq!(part.device(&device), Bounds::new(97_000.0, 152_000.0));
        assert_eq!(part.host(&device), Bounds::new(10_000.0, 30_000.0));
        assert_eq!(part.as_graph(&device), part.device(&device));
        let waiting = Part {
            waits: true,
            ..part
        };
        assert_eq!(waiting.as_graph(&device), Bounds::new(107_000.0, 182_000.0));
    }

    #[test]
    fn branches_of_a_graph_may_run_side_by_side() {
        let part = Part {
            busy: 100_000,
            longest: 20_000,
            eager: 50,
            nodes: 50,
            outside: 0,
            waits: false,
        };
        assert_eq!(part.device(&device()), Bounds::new(21_000.0, 152_000.0));
    }

    #[test]
    fn a_gain_is_a_share_of_the_whole_step() {
        let gain = gain(
            Bounds::exactly(100.0),
            Bounds::new(40.0, 60.0),
            Bounds::exactly(200.0),
        );
        assert_eq!(gain, Bounds::new(0.2, 0.3));
    }
}
