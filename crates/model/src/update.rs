//! What an update of an executable graph may change.

use crate::{CopyKind, Graph, Node, NodeIndex, NodeKind, UpdateResult};

/// Whether an executable graph can take over the parameters of another graph.
///
/// The two must have the same nodes and edges, and so must the graphs within (`built` recordings). Addresses, sizes,
/// scalars, and even a kernel's function may change; the kind of a node, the direction of a copy and whether a fill has
/// rows may not (`u02_graph_update_codes`, `nested` recordings).
pub(crate) fn compare(old: &Graph, new: &Graph) -> UpdateResult {
    let nothing = Graph::default();
    let mut todo = vec![(old, new)];
    let mut differences = Differences::default();
    let mut is_within = false;
    while let Some((old, new)) = todo.pop() {
        let Some(pairs) = pair(old.nodes(), new.nodes()) else {
            return UpdateResult::TopologyChanged;
        };
        for (from, to) in pairs {
            let (one, other) = (old.nodes().get(from.at()), new.nodes().get(to.at()));
            let (Some(one), Some(other)) = (one, other) else {
                continue;
            };
            if differences.note(&one.kind, &other.kind, is_within) {
                todo.extend(within(old.held_by(from), new.held_by(to), &nothing));
            }
        }
        is_within = true;
    }
    differences.result()
}

/// In what nodes differ that take each other's place.
#[derive(Default)]
struct Differences {
    kinds: bool,
    kinds_within: bool,
    parameters: bool,
}

impl Differences {
    /// Notes in what two nodes differ. Returns whether they are of one kind.
    fn note(&mut self, old: &NodeKind, new: &NodeKind, is_within: bool) -> bool {
        let is_same_type = is_same_type(old, new);
        if is_same_type {
            self.parameters |= !is_same_copy(old, new) || !is_same_fill(old, new);
        } else if is_within {
            self.kinds_within = true;
        } else {
            self.kinds = true;
        }
        is_same_type
    }

    /// The driver names a difference in kind before one in parameters, and has a result of its own where the kinds of
    /// nodes differ both in the graph and in one within (`nested` recordings).
    fn result(&self) -> UpdateResult {
        match self {
            Differences {
                kinds: true,
                kinds_within: true,
                ..
            } => UpdateResult::NotSupported,
            Differences { kinds: true, .. }
            | Differences {
                kinds_within: true, ..
            } => UpdateResult::NodeTypeChanged,
            Differences {
                parameters: true, ..
            } => UpdateResult::ParametersChanged,
            Differences { .. } => UpdateResult::Success,
        }
    }
}

/// The graphs that two nodes hold, to be compared. A body of which nothing was said has nothing in it.
fn within<'a>(
    mut old: impl Iterator<Item = Option<&'a Graph>>,
    mut new: impl Iterator<Item = Option<&'a Graph>>,
    nothing: &'a Graph,
) -> impl Iterator<Item = (&'a Graph, &'a Graph)> {
    let held = std::iter::from_fn(move || match (old.next(), new.next()) {
        (None, None) => None,
        (old, new) => Some((old.unwrap_or(Some(nothing)), new.unwrap_or(Some(nothing)))),
    });
    let known = held.filter_map(|(old, new)| Some((old?, new?)));
    known.filter(|(old, new)| !std::ptr::eq(*old, *new))
}

/// Each old node with the new one that takes its place, or `None` if the graphs differ in shape.
///
/// The driver pairs the nodes that nothing waits for, in their order, and from there follows the dependencies of each
/// pair, in the order they were made (CUDA driver API, `cuGraphExecUpdate`). So branches may be captured in another
/// order than before, as long as they are joined in the same order.
fn pair(old: &[Node], new: &[Node]) -> Option<Vec<(NodeIndex, NodeIndex)>> {
    let (old_sinks, new_sinks) = (sinks(old), sinks(new));
    if old.len() != new.len() || old_sinks.len() != new_sinks.len() {
        return None;
    }
    let mut partners = vec![None; old.len()];
    let mut is_taken = vec![false; new.len()];
    let mut pairs = Vec::with_capacity(old.len());
    let mut todo: Vec<(NodeIndex, NodeIndex)> = old_sinks.into_iter().zip(new_sinks).collect();
    while let Some((from, to)) = todo.pop() {
        let partner = partners.get_mut(from.at())?;
        if *partner == Some(to) {
            continue;
        }
        let is_taken = is_taken.get_mut(to.at())?;
        if partner.is_some() || *is_taken {
            return None;
        }
        *partner = Some(to);
        *is_taken = true;
        pairs.push((from, to));

        let (from, to) = (old.get(from.at())?, new.get(to.at())?);
        if from.dependencies.len() != to.dependencies.len() {
            return None;
        }
        todo.extend(
            from.dependencies
                .iter()
                .copied()
                .zip(to.dependencies.iter().copied()),
        );
    }
    Some(pairs)
}

/// The nodes that no other waits for, in the order of capture.
fn sinks(nodes: &[Node]) -> Vec<NodeIndex> {
    let mut is_awaited = vec![false; nodes.len()];
    for node in nodes.iter().flat_map(|node| &node.dependencies) {
        if let Some(mark) = is_awaited.get_mut(node.at()) {
            *mark = true;
        }
    }
    (0..)
        .map(NodeIndex)
        .zip(is_awaited)
        .filter_map(|(node, is_awaited)| (!is_awaited).then_some(node))
        .collect()
}

fn is_same_type(old: &NodeKind, new: &NodeKind) -> bool {
    let fills =
        |kind: &NodeKind| matches!(kind, NodeKind::Memset { .. } | NodeKind::MemsetRows { .. });
    std::mem::discriminant(old) == std::mem::discriminant(new) || (fills(old) && fills(new))
}

/// Whether both nodes fill rows, or neither does.
fn is_same_fill(old: &NodeKind, new: &NodeKind) -> bool {
    let has_rows = |kind: &NodeKind| matches!(kind, NodeKind::MemsetRows { .. });
    has_rows(old) == has_rows(new)
}

/// Whether two nodes, if they copy, copy in the same direction. How the host side was allocated does not matter.
fn is_same_copy(old: &NodeKind, new: &NodeKind) -> bool {
    match (old, new) {
        (NodeKind::Memcpy { kind: old, .. }, NodeKind::Memcpy { kind: new, .. }) => matches!(
            (old, new),
            (CopyKind::HostToDevice(_), CopyKind::HostToDevice(_))
                | (CopyKind::DeviceToHost(_), CopyKind::DeviceToHost(_))
                | (CopyKind::DeviceToDevice, CopyKind::DeviceToDevice)
                | (CopyKind::HostToHost, CopyKind::HostToHost)
        ),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HostMemory;

    const KERNEL: NodeKind = NodeKind::Empty;
    const FILL: NodeKind = NodeKind::BatchMemOp;

    fn copy(kind: CopyKind, bytes: u64) -> NodeKind {
        NodeKind::Memcpy {
            kind,
            dst: 1,
            src: 2,
            bytes,
        }
    }

    fn graph(nodes: &[(NodeKind, &[u32])]) -> Graph {
        let mut graph = Graph::default();
        for (kind, dependencies) in nodes {
            let dependencies = dependencies.iter().copied().map(NodeIndex);
            graph.push(kind.clone(), dependencies.collect());
        }
        graph
    }

    #[test]
    fn branches_may_be_captured_in_another_order() {
        let old = graph(&[
            (KERNEL, &[]),
            (KERNEL, &[0]),
            (FILL, &[0]),
            (KERNEL, &[2, 1]),
        ]);
        let new = graph(&[
            (KERNEL, &[]),
            (FILL, &[0]),
            (KERNEL, &[0]),
            (KERNEL, &[1, 2]),
        ]);
        assert_eq!(compare(&old, &new), UpdateResult::Success);
    }

    #[test]
    fn branches_must_be_joined_in_the_same_order() {
        let old = graph(&[
            (KERNEL, &[]),
            (KERNEL, &[0]),
            (FILL, &[0]),
            (KERNEL, &[1, 2]),
        ]);
        let new = graph(&[
            (KERNEL, &[]),
            (KERNEL, &[0]),
            (FILL, &[0]),
            (KERNEL, &[2, 1]),
        ]);
        assert_eq!(compare(&old, &new), UpdateResult::NodeTypeChanged);
    }

    #[test]
    fn a_line_is_no_fork() {
        let line = graph(&[(KERNEL, &[]), (KERNEL, &[0]), (KERNEL, &[1])]);
        let fork = graph(&[(KERNEL, &[]), (KERNEL, &[0]), (KERNEL, &[0])]);
        assert_eq!(compare(&line, &fork), UpdateResult::TopologyChanged);
        assert_eq!(compare(&fork, &line), UpdateResult::TopologyChanged);
    }

    #[test]
    fn a_copy_keeps_its_direction_and_nothing_else() {
        let update = |old, new| compare(&graph(&[(old, &[])]), &graph(&[(new, &[])]));
        let pinned = copy(CopyKind::HostToDevice(HostMemory::Pinned), 4);
        let pageable = copy(CopyKind::HostToDevice(HostMemory::Pageable), 8);
        let back = copy(CopyKind::DeviceToHost(HostMemory::Pinned), 4);
        assert_eq!(update(pinned.clone(), pageable), UpdateResult::Success);
        assert_eq!(update(pinned, back), UpdateResult::ParametersChanged);
    }
}
