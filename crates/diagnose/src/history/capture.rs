//! What happened to one capture.

use std::sync::Arc;

use cgsan_model::{
    CaptureId, CaptureMode, Graph, GraphId, NodeIndex, NodeKind, Obstacle, Reason, Stream,
    ThreadId, Update, UpdateResult,
};

use super::Step;

/// A capture from its begin to its end.
#[derive(Clone, Debug)]
pub(crate) struct CaptureRun<'t> {
    /// Its name in the model; `None` if the model would not have begun it.
    pub(crate) id: Option<CaptureId>,
    pub(crate) began: Step<'t>,
    pub(crate) origin: Stream,
    pub(crate) mode: CaptureMode,
    /// The streams that joined it, in order.
    pub(crate) forks: Vec<Fork<'t>>,
    /// The calls that were refused on its account, in order.
    pub(crate) refusals: Vec<Refusal<'t>>,
    /// The call that ended it.
    pub(crate) ended: Option<Step<'t>>,
    /// The streams with work that had no path back to the origin when it ended.
    pub(crate) unjoined: Vec<Stream>,
    /// For each node that it recorded, the position of the call that did; in the order of the nodes.
    pub(crate) nodes_at: Vec<usize>,
    /// What it recorded. `None` while it runs, or if the model would not have begun it.
    pub(crate) graph: Option<Arc<Graph>>,
    /// The exception that was in flight as it ended, or ended the program before it did: an index into
    /// [`super::History::thrown`].
    pub(crate) left_by: Option<usize>,
    /// The exceptions that were being handled when that one was raised, latest first.
    pub(crate) raised_before: Vec<usize>,
}

/// A stream becomes part of a capture by waiting for an event of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fork<'t> {
    pub(crate) stream: Stream,
    /// The wait.
    pub(crate) waited: Step<'t>,
    /// The record of the event that it waited for.
    pub(crate) recorded: Option<Step<'t>>,
}

/// A call that did not do what it was asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal<'t> {
    pub(crate) step: Step<'t>,
    /// Why, if the model agrees that it is refused.
    pub(crate) reason: Option<Reason>,
    /// Whether it broke the capture: invalidated it, or ended it without a graph.
    pub(crate) breaks: bool,
}

/// An update of an executable graph that was refused, as the model sees it.
#[derive(Clone, Debug)]
pub(crate) struct RefusedUpdate {
    /// What came of it.
    pub(crate) result: UpdateResult,
    /// The graph that the executable runs.
    pub(crate) old: UpdatedGraph,
    /// The graph that it was to run.
    pub(crate) new: UpdatedGraph,
}

/// One of the two graphs of an update.
#[derive(Clone, Debug)]
pub(crate) struct UpdatedGraph {
    pub(crate) id: GraphId,
    /// How many nodes it has.
    pub(crate) nodes: usize,
    /// The first node that stands in the way, if one does.
    pub(crate) obstacle: Option<(NodeIndex, NodeKind)>,
}

impl RefusedUpdate {
    /// What a refused update of an executable graph of `old` to `new` failed for.
    pub(super) fn of(
        (old_id, old): (GraphId, &Graph),
        (new_id, new): (GraphId, &Graph),
    ) -> RefusedUpdate {
        let update = Update::of(old, new);
        let (in_old, in_new) = match update.obstacle {
            Some(
                Obstacle::Dependencies(from, to)
                | Obstacle::Pairing(from, to)
                | Obstacle::Kind(from, to)
                | Obstacle::Parameters(from, to),
            ) => (Some(from.at()), Some(to.at())),
            Some(Obstacle::Nodes) => {
                let parts_at = parts_at(old, new);
                (Some(parts_at), Some(parts_at))
            }
            Some(Obstacle::Ends | Obstacle::Within) | None => (None, None),
        };
        RefusedUpdate {
            result: update.result,
            old: UpdatedGraph::of(old_id, old, in_old),
            new: UpdatedGraph::of(new_id, new, in_new),
        }
    }
}

impl UpdatedGraph {
    fn of(id: GraphId, graph: &Graph, obstacle: Option<usize>) -> UpdatedGraph {
        let node = |at: usize| {
            let node = graph.nodes().get(at)?;
            Some((NodeIndex(u32::try_from(at).ok()?), node.kind.clone()))
        };
        UpdatedGraph {
            id,
            nodes: graph.nodes().len(),
            obstacle: obstacle.and_then(node),
        }
    }
}

/// The first place at which two graphs do not do the same kind of thing.
fn parts_at(old: &Graph, new: &Graph) -> usize {
    let both = old.nodes().iter().zip(new.nodes());
    both.take_while(|(old, new)| match (&old.kind, &new.kind) {
        (
            NodeKind::Kernel { function: one, .. },
            NodeKind::Kernel {
                function: other, ..
            },
        ) => one == other,
        (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
    })
    .count()
}

impl<'t> CaptureRun<'t> {
    pub(crate) fn thread(&self) -> ThreadId {
        self.began.thread
    }

    /// The call that broke it.
    pub(crate) fn broken_by(&self) -> Option<&Refusal<'t>> {
        self.refusals.iter().find(|refusal| refusal.breaks)
    }

    /// Where it failed, if a call that it refused broke it.
    pub(crate) fn failed_at(&self) -> Option<usize> {
        self.broken_by().map(|refusal| refusal.step.position)
    }

    /// Whether a position in the trace lies between its begin and its end.
    pub(crate) fn spans(&self, position: usize) -> bool {
        self.began.position < position && self.ended.is_none_or(|ended| position <= ended.position)
    }

    /// Whether it ended without a graph.
    pub(crate) fn ended_badly(&self) -> bool {
        self.ended.is_some_and(|ended| ended.failed())
    }
}
