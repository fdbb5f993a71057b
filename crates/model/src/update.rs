//! What an update of an executable graph may change.

use crate::{CopyKind, Graph, Node, NodeIndex, NodeKind, UpdateResult};

/// What an update of an executable graph comes to, and what stands in its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// What the driver answers.
    pub result: UpdateResult,
    /// Why, unless that is success.
    pub obstacle: Option<Obstacle>,
}

/// Why an executable graph cannot take over the parameters of another graph. Nodes are named by their places, that of the old
/// graph first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// One has more nodes than the other.
    Nodes,
    /// Nothing waits for some nodes, and for another number of nodes in the other graph.
    Ends,
    /// Two nodes take each other's place, and wait for different numbers of nodes.
    Dependencies(NodeIndex, NodeIndex),
    /// Two nodes would take each other's place, and one of them has another partner already.
    Pairing(NodeIndex, NodeIndex),
    /// Two nodes take each other's place, and are of different kinds.
    Kind(NodeIndex, NodeIndex),
    /// Two nodes take each other's place, and differ in a parameter that may not change.
    Parameters(NodeIndex, NodeIndex),
    /// The graphs that two nodes hold differ.
    Within,
}

impl Update {
    /// Whether an executable graph of `old` can take over the parameters of `new`, as the driver sees it.
    ///
    /// The two must have the same nodes and edges, and so must the graphs within (`built` recordings). Addresses, sizes,
    /// scalars, and even a kernel's function may change; the kind of a node, the direction of a copy and whether a fill has
    /// rows may not (`u02_graph_update_codes`, `nested` recordings).
    pub fn of(old: &Graph, new: &Graph) -> Update {
        let nothing = Graph::default();
        let mut todo = vec![(old, new)];
        let mut differences = Differences::default();
        let mut is_within = false;
        while let Some((old, new)) = todo.pop() {
            let pairs = match pair(old.nodes(), new.nodes()) {
                Ok(pairs) => pairs,
                Err(obstacle) => {
                    let obstacle = if is_within {
                        Obstacle::Within
                    } else {
                        obstacle
                    };
                    return Update {
                        result: UpdateResult::TopologyChanged,
                        obstacle: Some(obstacle),
                    };
                }
            };
            for (from, to) in pairs {
                let (one, other) = (old.nodes().get(from.at()), new.nodes().get(to.at()));
                let (Some(one), Some(other)) = (one, other) else {
                    continue;
                };
                let places = (!is_within).then_some((from, to));
                if differences.note(&one.kind, &other.kind, places) {
                    todo.extend(within(old.held_by(from), new.held_by(to), &nothing));
                }
            }
            is_within = true;
        }
        differences.update()
    }
}

/// In what nodes differ that take each other's place.
#[derive(Default)]
struct Differences {
    /// The first nodes of the graph itself that differ in kind, and in parameters.
    kinds: Option<(NodeIndex, NodeIndex)>,
    parameters: Option<(NodeIndex, NodeIndex)>,
    kinds_within: bool,
    parameters_within: bool,
}

impl Differences {
    /// Notes in what two nodes differ, with their places unless they are within a node. Returns whether they are of one kind.
    fn note(
        &mut self,
        old: &NodeKind,
        new: &NodeKind,
        places: Option<(NodeIndex, NodeIndex)>,
    ) -> bool {
        let is_same_type = old.is_same_type(new);
        let (first, within) = if !is_same_type {
            (&mut self.kinds, &mut self.kinds_within)
        } else if !is_same_copy(old, new) || !is_same_fill(old, new) {
            (&mut self.parameters, &mut self.parameters_within)
        } else {
            return true;
        };
        match places {
            Some(places) if first.is_none_or(|known| places < known) => *first = Some(places),
            Some(_) => {}
            None => *within = true,
        }
        is_same_type
    }

    /// The driver names a difference in kind before one in parameters, and has a result of its own where the kinds of
    /// nodes differ both in the graph and in one within (`nested` recordings).
    fn update(&self) -> Update {
        let kind = self.kinds.map(|(old, new)| Obstacle::Kind(old, new));
        let parameters = self.parameters;
        let parameters = parameters.map(|(old, new)| Obstacle::Parameters(old, new));
        let (result, obstacle) = match (kind, parameters) {
            (Some(kind), _) if self.kinds_within => (UpdateResult::NotSupported, kind),
            (Some(kind), _) => (UpdateResult::NodeTypeChanged, kind),
            (None, _) if self.kinds_within => (UpdateResult::NodeTypeChanged, Obstacle::Within),
            (None, Some(parameters)) => (UpdateResult::ParametersChanged, parameters),
            (None, None) if self.parameters_within => {
                (UpdateResult::ParametersChanged, Obstacle::Within)
            }
            (None, None) => {
                return Update {
                    result: UpdateResult::Success,
                    obstacle: None,
                };
            }
        };
        Update {
            result,
            obstacle: Some(obstacle),
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

/// Each old node with the new one that takes its place, or in what the graphs differ in shape.
///
/// The driver pairs the nodes that nothing waits for, in their order, and from there follows the dependencies of each
/// pair, in the order they were made (CUDA driver API, `cuGraphExecUpdate`). So branches may be captured in another
/// order than before, as long as they are joined in the same order.
fn pair(old: &[Node], new: &[Node]) -> Result<Vec<(NodeIndex, NodeIndex)>, Obstacle> {
    if old.len() != new.len() {
        return Err(Obstacle::Nodes);
    }
    let (old_sinks, new_sinks) = (sinks(old), sinks(new));
    if old_sinks.len() != new_sinks.len() {
        return Err(Obstacle::Ends);
    }
    let mut partners = vec![None; old.len()];
    let mut is_taken = vec![false; new.len()];
    let mut pairs = Vec::with_capacity(old.len());
    let mut todo: Vec<(NodeIndex, NodeIndex)> = old_sinks.into_iter().zip(new_sinks).collect();
    while let Some((from, to)) = todo.pop() {
        let contradiction = Obstacle::Pairing(from, to);
        let partner = partners.get_mut(from.at()).ok_or(contradiction)?;
        if *partner == Some(to) {
            continue;
        }
        let is_taken = is_taken.get_mut(to.at()).ok_or(contradiction)?;
        if partner.is_some() || *is_taken {
            return Err(contradiction);
        }
        *partner = Some(to);
        *is_taken = true;
        pairs.push((from, to));

        let (one, other) = (&old[from.at()], &new[to.at()]);
        if one.dependencies.len() != other.dependencies.len() {
            return Err(Obstacle::Dependencies(from, to));
        }
        todo.extend(
            one.dependencies
                .iter()
                .copied()
                .zip(other.dependencies.iter().copied()),
        );
    }
    Ok(pairs)
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
        let node = |(kind, dependencies): &(NodeKind, &[u32])| Node {
            kind: kind.clone(),
            dependencies: dependencies.iter().copied().map(NodeIndex).collect(),
        };
        nodes.iter().map(node).collect()
    }

    fn compare(old: &Graph, new: &Graph) -> UpdateResult {
        Update::of(old, new).result
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

    #[test]
    fn the_first_node_in_the_way_is_named() {
        let obstacle = |old: &[(NodeKind, &[u32])], new: &[(NodeKind, &[u32])]| {
            Update::of(&graph(old), &graph(new)).obstacle
        };
        let line = [(KERNEL, &[][..]), (KERNEL, &[0]), (KERNEL, &[1])];
        let fills = [(KERNEL, &[][..]), (FILL, &[0]), (FILL, &[1])];
        let [first, second, third] = [NodeIndex(0), NodeIndex(1), NodeIndex(2)];
        assert_eq!(obstacle(&line, &line), None);
        assert_eq!(obstacle(&line, &line[..2]), Some(Obstacle::Nodes));
        assert_eq!(
            obstacle(&line, &fills),
            Some(Obstacle::Kind(second, second))
        );
        let apart = [(KERNEL, &[][..]), (KERNEL, &[]), (KERNEL, &[1])];
        assert_eq!(obstacle(&line, &apart), Some(Obstacle::Ends));
        let both = [(KERNEL, &[][..]), (KERNEL, &[0]), (KERNEL, &[0, 1])];
        assert_eq!(
            obstacle(&line, &both),
            Some(Obstacle::Dependencies(third, third))
        );
        let there = [(copy(CopyKind::DeviceToDevice, 4), &[][..])];
        let back = [(copy(CopyKind::HostToHost, 4), &[][..])];
        assert_eq!(
            obstacle(&there, &back),
            Some(Obstacle::Parameters(first, first))
        );
    }
}
