//! CG504: copying the inputs takes longer than the replay.

use cgsan_finding::{Confidence, Finding};
use cgsan_timeline::Work;
use rustc_hash::FxHashSet;

use super::subject::{self, NOTABLE, Subject};
use crate::bounds::median;
use crate::indexed::Indexed;
use crate::measure;
use crate::step::Step;
use crate::units::{count, nanoseconds, share};

pub(super) fn find(subject: &Subject<'_>) -> Option<Finding> {
    let (measures, device) = (subject.measures, subject.device);
    if measures.replays == 0 || measures.copies_before_replays == 0 {
        return None;
    }
    if device.copies_before_replays_ns < device.replays_ns {
        return None;
    }
    // A copy that runs beside other work, as one that is made in advance does, takes no time of the step.
    let windows = subject.windows.iter();
    let alone = median(windows.flat_map(|(indexed, steps)| alone(indexed, steps)))?;
    let lost = subject.part(alone);
    if alone < device.replays_ns || lost < NOTABLE {
        return None;
    }
    let mut finding = subject::finding(
        format!(
            "copies before the replays take {} of a step, the replays {}",
            share(lost),
            share(subject.part(device.replays_ns))
        ),
        Confidence::Confirmed,
        subject.idlest_place(),
    );
    finding.notes = vec![format!(
        "a step has {} right before {}: {} in which the device does nothing else, against {} of the replays",
        count(measures.copies_before_replays, "copy", "copies"),
        count(measures.replays, "replay", "replays"),
        nanoseconds(alone),
        nanoseconds(device.replays_ns)
    )];
    finding.help = vec![
        "let what makes the input write into the tensors that the graph reads, or capture the copies' sources as well; \
         copy the next input on another stream while the graph runs"
            .to_owned(),
    ];
    Some(finding)
}

/// Of each step: how long the copies before replays run with nothing beside them.
fn alone(indexed: &Indexed<'_>, steps: &[Step]) -> Vec<u64> {
    let copies = steps
        .iter()
        .flat_map(|it| measure::copies_before_replays(indexed, it));
    let copies: FxHashSet<u32> = copies.collect();
    let is_copy = |it: &Work| it.call.is_some_and(|call| copies.contains(&call));
    let others = indexed.busy_without(is_copy);
    let windows = steps.iter().filter_map(|it| measure::window(indexed, it));
    windows
        .map(|it| indexed.busy.within(it) - others.within(it))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::sketch::{Sketch, found};

    const GRAPH: [(&str, u64); 4] = [("gemm", 10_000); 4];

    #[test]
    fn large_inputs_of_a_small_graph_take_the_time() {
        let ids = found(|it| {
            it.copy_on(7, 100_000)
                .copy_on(7, 50_000)
                .replay(&GRAPH, 500);
        });
        assert_eq!(ids, ["CG504"]);
    }

    #[test]
    fn inputs_that_are_written_in_place_do_not() {
        let ids = found(|it| {
            it.replay(&GRAPH, 500);
        });
        assert!(!ids.contains(&"CG504"), "{ids:?}");
    }

    #[test]
    fn copies_beside_the_graph_before_take_no_time() {
        let mut sketch = Sketch::new();
        for number in 0..8 {
            sketch.range(&format!("ProfilerStep#{number}"), |it| {
                it.copy_on(9, 45_000)
                    .replay(&[("gemm", 10_000); 4], 0)
                    .host(30_000);
            });
        }
        let performance = crate::sketch::judged(sketch.done());
        let ids: Vec<&str> = performance.findings.iter().map(|it| it.id).collect();
        assert!(!ids.contains(&"CG504"), "{ids:?}");
    }
}
