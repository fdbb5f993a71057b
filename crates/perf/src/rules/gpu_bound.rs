//! CG501: the device has no gaps that a graph could close.

use cgsan_finding::{Confidence, Finding};

use super::subject::{self, Subject};
use crate::units::{nanoseconds, share};

pub(super) fn find(subject: &Subject<'_>) -> Option<Finding> {
    let device = subject.device;
    // What runs in a graph may have had gaps before.
    if device.work_in_graphs > 0.0 || !subject.measures.is_bound_by_device() {
        return None;
    }
    let idle = subject.part(device.idle_ns);
    let mut finding = subject::finding(
        format!(
            "the device works for {} of a step: a graph has no gaps to close",
            share(1.0 - idle)
        ),
        Confidence::Confirmed,
        None,
    );
    finding.notes = vec![format!(
        "the device is idle for {} of {}; work begins {} after its launch has returned, so the host is far ahead",
        nanoseconds(device.idle_ns),
        nanoseconds(subject.measures.duration_ns),
        nanoseconds(device.ahead_ns.unsigned_abs())
    )];
    finding.help = vec![
        "leave graphs out here; larger gains are in the kernels: lower precision, fusion, less memory traffic".to_owned(),
    ];
    Some(finding)
}

#[cfg(test)]
mod tests {
    use crate::sketch::found;

    #[test]
    fn large_kernels_leave_no_gaps() {
        let ids = found(|it| {
            for _ in 0..20 {
                it.kernel("gemm", 200_000);
            }
        });
        assert_eq!(ids, ["CG501"]);
    }

    #[test]
    fn small_kernels_leave_gaps() {
        let ids = found(|it| {
            for _ in 0..20 {
                it.kernel("gemm", 2_000);
            }
        });
        assert!(ids.is_empty(), "{ids:?}");
    }

    #[test]
    fn a_graph_may_be_why_there_are_no_gaps() {
        let ids = found(|it| {
            it.replay(&[("gemm", 200_000); 20], 500);
        });
        assert!(ids.is_empty(), "{ids:?}");
    }
}
