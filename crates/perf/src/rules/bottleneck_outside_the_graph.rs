//! CG502: the time is lost outside of the graph.

use cgsan_finding::{Confidence, Finding};

use super::graph_breaks;
use super::many_small_graphs;
use super::subject::{self, Subject};
use crate::units::{count, nanoseconds, share};

/// The part of a step that the device is idle outside of replays, at least.
const LOST: f64 = 0.2;

pub(super) fn find(subject: &Subject<'_>) -> Option<Finding> {
    let (measures, device) = (subject.measures, subject.device);
    // Many graphs, or those of a compiler, have other causes.
    if measures.replays == 0
        || measures.replays >= many_small_graphs::MANY
        || graph_breaks::is_compiled(subject)
    {
        return None;
    }
    let outside = subject.idle_outside();
    let lost = subject.part(outside);
    if lost < LOST || outside / 2 < device.idle_in_replays_ns {
        return None;
    }
    let mut finding = subject::finding(
        format!(
            "the device is idle for {} of a step outside of its graphs",
            share(lost)
        ),
        Confidence::Confirmed,
        subject.idlest_place(),
    );
    finding.notes = vec![
        format!(
            "of {} that a step takes, the device is idle for {}: {} within replays, {} outside of them",
            nanoseconds(measures.duration_ns),
            nanoseconds(device.idle_ns),
            nanoseconds(device.idle_in_replays_ns),
            nanoseconds(outside)
        ),
        format!(
            "{} of the work runs in graphs; beside {}, a step has {} and {} of the host",
            share(device.work_in_graphs),
            count(measures.replays, "replay", "replays"),
            count(
                measures.launches.saturating_sub(measures.replays),
                "launch",
                "launches"
            ),
            count(measures.waits, "wait", "waits")
        ),
    ];
    finding.help = vec![
        "capture what is launched eagerly too, or take work of the host between the replays away: prepare input in \
         advance, read values every few steps"
            .to_owned(),
    ];
    Some(finding)
}

#[cfg(test)]
mod tests {
    use crate::sketch::found;

    const NODES: [(&str, u64); 30] = [("gemm", 5_000); 30];

    #[test]
    fn an_eager_optimizer_and_a_value_that_is_read_lose_the_time() {
        let ids = found(|it| {
            it.replay(&NODES, 500).wait().host(80_000);
            for _ in 0..20 {
                it.kernel("adam", 2_000).host(5_000);
            }
        });
        assert_eq!(ids, ["CG502"]);
    }

    #[test]
    fn a_whole_step_in_a_graph_does_not() {
        let ids = found(|it| {
            it.replay(&NODES, 500).host(20_000);
        });
        assert!(ids.is_empty(), "{ids:?}");
    }

    #[test]
    fn gaps_between_the_nodes_of_a_graph_are_not_outside() {
        let ids = found(|it| {
            it.replay(&NODES, 8_000);
        });
        assert!(ids.is_empty(), "{ids:?}");
    }
}
