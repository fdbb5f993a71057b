//! CG503: a step is many small graphs.

use cgsan_finding::{Confidence, Finding};
use cgsan_timeline::{CallKind, Span};

use super::graph_breaks;
use super::subject::{self, NOTABLE, Subject};
use crate::bounds::{median, sum};
use crate::indexed::Indexed;
use crate::step::Step;
use crate::units::{nanoseconds, share};

/// How many replays of a step are many.
pub(super) const MANY: u64 = 8;
/// How many nodes a small graph has at most.
const SMALL: u64 = 10;

pub(super) fn find(subject: &Subject<'_>) -> Option<Finding> {
    let measures = subject.measures;
    if measures.replays < MANY || graph_breaks::is_compiled(subject) {
        return None;
    }
    let steps = subject
        .windows
        .iter()
        .flat_map(|(indexed, steps)| steps.iter().map(move |it| of_step(indexed, it)));
    let steps: Vec<Replays> = steps.collect();
    let nodes = median(steps.iter().flat_map(|it| it.nodes.iter().copied()))?;
    let between = median(steps.iter().map(|it| it.idle_between))?;
    let lost = subject.part(between);
    if nodes > SMALL || lost < NOTABLE {
        return None;
    }
    let mut finding = subject::finding(
        format!(
            "a step replays {} graphs of {nodes} nodes each",
            measures.replays
        ),
        Confidence::Confirmed,
        subject.idlest_place(),
    );
    finding.notes = vec![format!(
        "between one replay and the next, the device is idle for {} of a step, {} of its time",
        nanoseconds(between),
        share(lost)
    )];
    finding.help =
        vec!["capture several of them as one graph: one launch instead of many".to_owned()];
    Some(finding)
}

/// The replays of a step.
struct Replays {
    /// How many nodes each has.
    nodes: Vec<u64>,
    /// How long the device is idle between one and the next, if nothing else was launched in between.
    idle_between: u64,
}

fn of_step(indexed: &Indexed<'_>, step: &Step) -> Replays {
    let mut nodes = Vec::new();
    let mut idle_between = 0u64;
    let mut before: Option<u64> = None;
    for call in &indexed.launches[step.launches.clone()] {
        if indexed.call(*call).kind != CallKind::Replay {
            before = None;
            continue;
        }
        let work = indexed.work_of_call(*call).iter();
        let spans: Vec<Span> = work.map(|it| indexed.work(*it).span).collect();
        nodes.push(spans.len() as u64);
        let start = spans.iter().map(|it| it.start).min().unwrap_or(0);
        if let Some(end) = before
            && start > end
        {
            let window = Span {
                start: end,
                end: start,
            };
            let idle = window.length() - indexed.busy.within(window);
            idle_between = sum([idle_between, idle]);
        }
        before = spans.iter().map(|it| it.end).max();
    }
    Replays {
        nodes,
        idle_between,
    }
}

#[cfg(test)]
mod tests {
    use crate::sketch::found;

    #[test]
    fn each_layer_as_its_own_graph_waits_for_the_host_each_time() {
        let ids = found(|it| {
            for _ in 0..24 {
                it.replay(&[("gemm", 3_000), ("relu", 2_000)], 500)
                    .host(20_000);
            }
        });
        assert_eq!(ids, ["CG503"]);
    }

    #[test]
    fn one_graph_of_all_layers_does_not() {
        let ids = found(|it| {
            it.replay(&[("gemm", 3_000); 48], 500).host(20_000);
        });
        assert!(ids.is_empty(), "{ids:?}");
    }

    #[test]
    fn many_graphs_that_follow_without_a_gap_cost_nothing() {
        let ids = found(|it| {
            for _ in 0..24 {
                it.replay(&[("gemm", 30_000), ("relu", 20_000)], 500);
            }
        });
        assert!(ids.is_empty(), "{ids:?}");
    }
}
