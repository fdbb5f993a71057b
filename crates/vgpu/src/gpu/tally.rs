//! What an operator has enqueued: by this, who computes its values knows what they stand in for.

use std::cell::Cell;

use cgsan_model::{CaptureId, NodeKind};

/// Work that an operator has enqueued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Kernels among it, which do not compute by themselves.
    pub kernels: usize,
    /// Launches of the program's own kernels that were noted as not computed.
    pub launches: usize,
    /// The nodes that it became, the kernels' and others.
    pub nodes: usize,
    /// The capture that they were added to last.
    pub capture: Option<CaptureId>,
}

thread_local! {
    /// What the operator that the thread is in has enqueued so far, where values are computed.
    static RUNNING: Cell<Option<Tally>> = const { Cell::new(None) };
}

/// An operator begins.
pub fn begin() {
    RUNNING.set(Some(Tally::default()));
}

/// The operator has ended; what it has enqueued.
pub fn end() -> Tally {
    RUNNING.take().unwrap_or_default()
}

/// Work was enqueued, and became a node of a capture if there is one.
#[inline]
pub fn add(node: &NodeKind, capture: Option<CaptureId>) {
    change(|tally| {
        tally.kernels += usize::from(matches!(node, NodeKind::Kernel { .. }));
        if capture.is_some() {
            tally.nodes += 1;
            tally.capture = capture;
        }
    });
}

/// A kernel of the program's is being launched.
#[inline]
pub fn add_launch() {
    change(|tally| tally.launches += 1);
}

/// Launches of the operator that the thread is in.
pub fn launches() -> usize {
    RUNNING.get().unwrap_or_default().launches
}

#[inline]
fn change(how: impl FnOnce(&mut Tally)) {
    if let Some(mut tally) = RUNNING.get() {
        how(&mut tally);
        RUNNING.set(Some(tally));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operators_work_is_counted_until_it_ends() {
        add(&NodeKind::Empty, Some(CaptureId(3)));
        begin();
        add_launch();
        add(&NodeKind::Empty, Some(CaptureId(3)));
        assert_eq!(launches(), 1);
        let done = end();
        assert_eq!(
            (done.nodes, done.launches, done.capture),
            (1, 1, Some(CaptureId(3)))
        );
        assert_eq!((end(), launches()), (Tally::default(), 0));
    }
}
