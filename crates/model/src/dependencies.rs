//! The nodes that a node, or a stream's next node, waits for.

use std::sync::Arc;

use crate::NodeIndex;

/// A set of nodes, ascending.
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

    /// Both sets together. A node that another one already waits for stays: the driver keeps it too, as the
    /// dependency counts of `fuzz.jsonl.gz` show.
    pub(crate) fn union(&self, other: &Dependencies) -> Dependencies {
        if other.iter().all(|node| self.binary_search(node).is_ok()) {
            return self.clone();
        }
        if self.is_empty() {
            return other.clone();
        }
        let mut nodes: Vec<NodeIndex> = self.iter().chain(other.iter()).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        Dependencies(match nodes[..] {
            [node] => Set::One(node),
            _ => Set::Many(nodes.into()),
        })
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
    fn a_union_is_ascending_and_without_repetition() {
        let union = set(&[5, 1]).union(&set(&[3, 5]));
        assert_eq!(*union, [NodeIndex(1), NodeIndex(3), NodeIndex(5)]);
    }

    #[test]
    fn equal_sets_are_equal_however_they_were_built() {
        assert_eq!(set(&[2, 2]), Dependencies::one(NodeIndex(2)));
        assert_eq!(set(&[]).union(&set(&[7, 8])), set(&[8, 7]));
    }
}
