//! What an update of an executable graph may change.

use crate::{CopyKind, Graph, Node, NodeKind, UpdateResult};

/// Whether an executable graph can take over the parameters of another graph.
///
/// The two must have the same nodes in the same order with the same edges. Addresses, sizes, scalars, and even a
/// kernel's function may change; the kind of a node and the direction of a copy may not (`u02_graph_update_codes`).
pub(crate) fn compare(old: &Graph, new: &Graph) -> UpdateResult {
    let (old, new) = (old.nodes(), new.nodes());
    if old.len() != new.len() || pairs(old, new).any(|(a, b)| a.dependencies != b.dependencies) {
        return UpdateResult::TopologyChanged;
    }
    if pairs(old, new)
        .any(|(a, b)| std::mem::discriminant(&a.kind) != std::mem::discriminant(&b.kind))
    {
        return UpdateResult::NodeTypeChanged;
    }
    if pairs(old, new).any(|(a, b)| !is_same_copy(&a.kind, &b.kind)) {
        return UpdateResult::ParametersChanged;
    }
    UpdateResult::Success
}

fn pairs<'a>(old: &'a [Node], new: &'a [Node]) -> impl Iterator<Item = (&'a Node, &'a Node)> {
    old.iter().zip(new)
}

/// Whether two nodes, if they copy, copy in the same direction. How the host side was allocated does not matter.
fn is_same_copy(old: &NodeKind, new: &NodeKind) -> bool {
    match (old, new) {
        (NodeKind::Memcpy { kind: old, .. }, NodeKind::Memcpy { kind: new, .. }) => {
            matches!(
                (old, new),
                (CopyKind::HostToDevice(_), CopyKind::HostToDevice(_))
                    | (CopyKind::DeviceToHost(_), CopyKind::DeviceToHost(_))
                    | (CopyKind::DeviceToDevice, CopyKind::DeviceToDevice)
                    | (CopyKind::HostToHost, CopyKind::HostToHost)
            )
        }
        _ => true,
    }
}
