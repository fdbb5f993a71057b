//! CG505: gradients arrive only after the whole graphed backward.

use cgsan_finding::{Confidence, Finding};
use cgsan_timeline::{CallKind, Work};

use super::subject::{self, NOTABLE, Subject};
use crate::bounds::median;
use crate::busy::Busy;
use crate::indexed::Indexed;
use crate::measure;
use crate::step::Step;
use crate::units::{nanoseconds, share};

/// The node of autograd that `make_graphed_callables` makes, within the names of operators.
const BACKWARD: &str = "GraphedBackward";
/// How many collectives a step has at least: with one, there is nothing to spread.
const SEVERAL: usize = 2;

pub(super) fn find(subject: &Subject<'_>) -> Option<Finding> {
    let windows = subject.windows.iter();
    let steps: Vec<Option<Behind>> = windows
        .flat_map(|(indexed, steps)| of_steps(indexed, steps))
        .collect();
    // Every step shows it, or it is something else.
    let steps: Vec<Behind> = steps.into_iter().collect::<Option<_>>()?;
    let alone = median(steps.iter().map(|it| it.alone))?;
    let collectives = median(steps.iter().map(|it| it.collectives))?;
    let lost = subject.part(alone);
    if lost < NOTABLE {
        return None;
    }
    let mut finding = subject::finding(
        format!(
            "no collective begins before the graphed backward ends: {} of a step",
            share(lost)
        ),
        Confidence::Likely,
        None,
    );
    finding.notes = vec![format!(
        "one replay does the whole backward; the {collectives} collectives of a step begin behind it, and for {} the device does \
         nothing else",
        nanoseconds(alone)
    )];
    finding.help = vec![
        "make one callable for each layer, so that the gradients of the last ones are there while the first ones compute; \
         or capture the whole step, collectives included"
            .to_owned(),
    ];
    Some(finding)
}

/// The collectives of a step whose backward is one replay.
struct Behind {
    collectives: usize,
    /// How long they run with nothing beside them.
    alone: u64,
}

fn of_steps(indexed: &Indexed<'_>, steps: &[Step]) -> Vec<Option<Behind>> {
    let others = indexed.busy_without(|it| is_collective(indexed, it));
    let steps = steps.iter();
    steps.map(|it| of_step(indexed, it, &others)).collect()
}

fn of_step(indexed: &Indexed<'_>, step: &Step, others: &Busy) -> Option<Behind> {
    let backward = the_backward(indexed, step)?;
    let work = indexed.work_of_call(backward).iter();
    let backward_ends = work.map(|it| indexed.work(*it).span.end).max()?;
    let collectives: Vec<&Work> = indexed
        .work_of(step.launches.clone())
        .filter(|it| is_collective(indexed, it))
        .collect();
    // One that begins before is not held back, whatever it is.
    let first = collectives.iter().map(|it| it.span.start).min()?;
    if collectives.len() < SEVERAL || first < backward_ends {
        return None;
    }
    let window = measure::window(indexed, step)?;
    Some(Behind {
        collectives: collectives.len(),
        alone: indexed.busy.within(window) - others.within(window),
    })
}

/// Whether work is a collective that no graph does.
fn is_collective(indexed: &Indexed<'_>, work: &Work) -> bool {
    let timeline = indexed.timeline;
    timeline.names.text(work.name).starts_with("nccl") && !timeline.is_in_graph(work)
}

/// The replay of the backward, if a step has exactly one.
fn the_backward(indexed: &Indexed<'_>, step: &Step) -> Option<u32> {
    let timeline = indexed.timeline;
    let first = timeline
        .operators
        .partition_point(|it| it.span.start < step.begin);
    let mut found = None;
    for operator in &timeline.operators[first..] {
        if operator.span.start >= step.end {
            break;
        }
        if !timeline.names.text(operator.name).contains(BACKWARD) {
            continue;
        }
        let calls = indexed.launches[step.launches.clone()].iter();
        let mut replays = calls.filter(|it| {
            let call = indexed.call(**it);
            call.kind == CallKind::Replay
                && call.thread == operator.thread
                && operator.span.covers(call.span)
        });
        if let Some(replay) = replays.next() {
            if found.is_some_and(|it| it != *replay) {
                return None;
            }
            found = Some(*replay);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::sketch::{Sketch, found};

    const LAYER: [(&str, u64); 5] = [("gemm", 20_000); 5];
    const NODE: &str = "autograd::engine::evaluate_function: GraphedBackward";
    const GRADIENT: &str = "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad";

    fn backward(it: &mut Sketch, layers: usize) {
        it.thread(2).operator(NODE, |it| {
            it.replay(&LAYER.repeat(layers), 500);
        });
    }

    fn gradient(it: &mut Sketch) {
        it.operator(GRADIENT, |it| {
            it.kernel("add", 2_000);
            it.follow(20, 7);
            it.kernel_on(20, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 60_000);
        });
    }

    #[test]
    fn one_callable_for_all_layers_holds_the_collectives_back() {
        let ids = found(|it| {
            it.thread(1).replay(&[("gemm", 15_000); 10], 500);
            backward(it, 2);
            gradient(it);
            gradient(it);
            it.thread(1).wait();
        });
        assert!(ids.contains(&"CG505"), "{ids:?}");
    }

    #[test]
    fn one_callable_for_each_layer_does_not() {
        let ids = found(|it| {
            it.thread(1).replay(&[("gemm", 15_000); 10], 500);
            for _ in 0..2 {
                backward(it, 1);
                gradient(it);
            }
            it.thread(1).wait();
        });
        assert!(!ids.contains(&"CG505"), "{ids:?}");
    }

    #[test]
    fn gradients_that_nobody_sends_are_not_late() {
        let ids = found(|it| {
            it.thread(1).replay(&[("gemm", 15_000); 10], 500);
            backward(it, 2);
            for _ in 0..4 {
                it.operator(GRADIENT, |it| {
                    it.kernel("add", 2_000);
                });
            }
            it.thread(1).wait();
        });
        assert!(!ids.contains(&"CG505"), "{ids:?}");
    }
}
