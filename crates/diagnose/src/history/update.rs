//! Updates of executable graphs that were refused.

use cgsan_model::{Graph, GraphId, NodeIndex, NodeKind, Obstacle, Update, UpdateResult};

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
