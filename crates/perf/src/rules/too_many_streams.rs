//! CG506: more branches than the device has queues.

use cgsan_finding::{Confidence, Finding};
use cgsan_timeline::{Work, WorkKind};

use super::subject::{self, Subject};
use crate::bounds::{float, median};
use crate::indexed::Indexed;
use crate::measure::{at_level, at_once};
use crate::step::Step;
use crate::units::share;

/// The part of the busy time in which as many streams work as there are connections, at least.
const FULL: f64 = 0.1;

pub(super) fn find(subject: &Subject<'_>) -> Option<Finding> {
    let connections = u64::from(subject.connections);
    let steps = subject.windows.iter().flat_map(|(indexed, steps)| {
        steps
            .iter()
            .map(move |it| of_step(indexed, it, connections))
    });
    let steps: Vec<Branches> = steps.collect();
    let streams = median(steps.iter().map(|it| it.streams))?;
    // Never more, and often as many: a limit shows. Fewer may be all that the program's order allows.
    if streams <= connections || steps.iter().any(|it| it.at_once > connections) {
        return None;
    }
    let full = median(steps.iter().map(|it| it.full))?;
    let part = float(full) / float(subject.device.busy_ns.max(1));
    if part < FULL {
        return None;
    }
    let mut finding = subject::finding(
        format!("kernels of {streams} streams run on at most {connections} at once"),
        Confidence::Possible,
        subject.idlest_place(),
    );
    finding.notes = vec![
        format!(
            "for {} of the time in which the device works, kernels of exactly {connections} streams run, never of more",
            share(part)
        ),
        format!(
            "a process has {connections} connections to its device{}; kernels that fill the device show the same",
            if subject.connections == super::CONNECTIONS {
                " unless `CUDA_DEVICE_MAX_CONNECTIONS` says otherwise"
            } else {
                ""
            }
        ),
    ];
    finding.help = vec![format!(
        "let chains of work share {connections} streams, or set `CUDA_DEVICE_MAX_CONNECTIONS` before the program starts"
    )];
    Some(finding)
}

/// How a step uses streams.
struct Branches {
    streams: u64,
    at_once: u64,
    /// How long as many work as there are connections.
    full: u64,
}

fn of_step(indexed: &Indexed<'_>, step: &Step, connections: u64) -> Branches {
    // Copies have engines of their own.
    let kernels = indexed.work_of(step.launches.clone());
    let kernels: Vec<&Work> = kernels.filter(|it| it.kind == WorkKind::Kernel).collect();
    let mut streams: Vec<u32> = kernels.iter().map(|it| it.stream).collect();
    streams.sort_unstable();
    streams.dedup();
    Branches {
        streams: streams.len() as u64,
        at_once: at_once(&kernels),
        full: at_level(&kernels, connections),
    }
}

#[cfg(test)]
mod tests {
    use crate::sketch::{Sketch, found};

    /// Kernels on streams, of which so many run at once.
    fn on_streams(it: &mut Sketch, streams: u32, queues: u32) {
        for round in 0..streams.div_ceil(queues) {
            let in_round = (round * queues..streams.min((round + 1) * queues)).collect::<Vec<_>>();
            for stream in &in_round {
                it.kernel_on(100 + stream, "small", 400_000);
            }
            it.wait();
        }
    }

    #[test]
    fn sixteen_streams_of_which_eight_run_at_once() {
        let ids = found(|it| on_streams(it, 16, 8));
        assert!(ids.contains(&"CG506"), "{ids:?}");
    }

    #[test]
    fn eight_streams_have_a_queue_each() {
        let ids = found(|it| on_streams(it, 8, 8));
        assert!(!ids.contains(&"CG506"), "{ids:?}");
    }

    #[test]
    fn what_the_program_orders_otherwise_shows_no_limit() {
        let ids = found(|it| on_streams(it, 16, 4));
        assert!(!ids.contains(&"CG506"), "{ids:?}");
        let ids = found(|it| on_streams(it, 16, 12));
        assert!(!ids.contains(&"CG506"), "{ids:?}");
    }
}
