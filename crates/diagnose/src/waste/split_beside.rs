//! Free parts of segments in which other tensors live: a capture reserves memory beside them.

use cgsan_trace::MemoryMoment;

use super::kind::{Kind, Waste};
use crate::pools::{EAGER, Pools};

/// Less lies beside tensors in any program that has made its optimizer's state between two steps.
const LEAST: u64 = 256 << 20;

pub(super) fn find(pools: &Pools<'_, '_>) -> Option<Waste> {
    let ends = pools.moments.iter();
    let ends = ends.filter(|it| it.kind == MemoryMoment::CaptureEnds);
    let of_capture = ends.filter_map(|moment| {
        let capture = moment.capture?;
        let run = pools.run(capture);
        // With such segments, the driver can take free parts back.
        let is_expandable = moment
            .settings
            .is_some_and(|it| it.contains("expandable_segments:True"));
        if is_expandable || run.ended_badly() || pools.history.is_of_inductor(run) {
            return None;
        }
        let free = moment.pool(EAGER).split;
        let reserved = moment.pool(pools.of_capture(capture)?).reserved;
        Some(Waste {
            estimate: free.min(reserved),
            kind: Kind::SplitBeside {
                capture,
                free,
                reserved,
            },
        })
    });
    let largest = of_capture.max_by_key(|it| it.estimate);
    largest.filter(|it| it.estimate >= LEAST)
}
