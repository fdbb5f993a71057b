//! The copy that a refused wait was for.

use cgsan_model::{Call, CopyKind, NodeKind};

use crate::subjects::Failure;

/// The kind and the bytes of the copy that the same line enqueued on the stream just before it waited for it.
pub(super) fn waited_copy(failure: &Failure<'_, '_>) -> Option<(CopyKind, u64)> {
    let wait = failure.refused()?;
    let Call::StreamSynchronize { stream: waited } = wait.record.call else {
        return None;
    };
    let mut same_line = failure
        .history
        .before(wait.position)
        .filter(|step| step.thread == wait.thread)
        .take_while(|step| step.record.stack == wait.record.stack);
    same_line.find_map(|step| match step.record.call {
        Call::Work {
            stream,
            node: NodeKind::Memcpy { kind, bytes, .. },
        } if stream == waited => Some((kind, bytes)),
        _ => None,
    })
}
