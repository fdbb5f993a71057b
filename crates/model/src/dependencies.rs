//! The nodes that a node, or a stream's next node, waits for.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::NodeIndex;

/// A set of nodes, in the order in which the stream came to wait for them.
///
/// Nearly every node depends on one other, so that case needs no memory of its own; a larger set is shared, so that
/// recording an event behind a wide join costs no more than behind a single node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies(Set);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Set {
    #[default]
    Empty,
    One(NodeIndex),
    Many(Arc<[NodeIndex]>),
}

impl Dependencies {
    /// The set of one node.
    pub(crate) fn one(node: NodeIndex) -> Dependencies {
        Dependencies(Set::One(node))
    }

    /// Both sets together, the nodes of `self` first. A node that another one already waits for stays: the driver keeps
    /// it too, as the dependency counts of `fuzz.jsonl.gz` show.
    pub(crate) fn union(&self, other: &Dependencies) -> Dependencies {
        if self.is_empty() {
            return other.clone();
        }
        let added: Vec<NodeIndex> = other
            .iter()
            .filter(|node| !self.contains(node))
            .copied()
            .collect();
        if added.is_empty() {
            return self.clone();
        }
        Dependencies(Set::Many(self.iter().copied().chain(added).collect()))
    }
}

impl FromIterator<NodeIndex> for Dependencies {
    fn from_iter<I: IntoIterator<Item = NodeIndex>>(nodes: I) -> Self {
        let mut nodes: Vec<NodeIndex> = nodes.into_iter().collect();
        let mut seen = FxHashSet::default();
        nodes.retain(|node| seen.insert(*node));
        match *nodes {
            [] => Dependencies::default(),
            [node] => Dependencies::one(node),
            _ => Dependencies(Set::Many(nodes.into())),
        }
    }
}

impl std::ops::Deref for Dependencies {
    type Target = [NodeIndex];

    fn deref(&self) -> &[NodeIndex] {
        match &self.0 {
            Set::Empty => &[],
            Set::One(node) => std::slice::from_ref(node),
            Set::Many(nodes) => nodes,
        }
    }
}

impl<'a> IntoIterator for &'a Dependencies {
    type Item = &'a NodeIndex;
    type IntoIter = std::slice::Iter<'a, NodeIndex>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(nodes: &[u32]) -> Dependencies {
        nodes.iter().fold(Dependencies::default(), |set, &node| {
            set.union(&Dependencies::one(NodeIndex(node)))
        })
    }

    #[test]
    fn a_union_keeps_the_order_of_waiting_and_repeats_nothing() {
        let union = set(&[5, 1]).union(&set(&[3, 5]));
        assert_eq!(*union, [NodeIndex(5), NodeIndex(1), NodeIndex(3)]);
    }

    #[test]
    fn equal_sets_are_equal_however_they_were_built() {
        assert_eq!(set(&[2, 2]), Dependencies::one(NodeIndex(2)));
        assert_eq!(set(&[]).union(&set(&[7, 8])), set(&[7]).union(&set(&[8])));
    }
}
