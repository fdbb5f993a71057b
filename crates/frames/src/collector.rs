//! The objects that Python's collector tracks.
//!
//! Each generation is a ring, with its head in the state of the interpreter. Where there, no version says in the same way, so the
//! rings are found from any object that is tracked: its ring leads to a head, and the other heads lie next to that.

use std::collections::HashMap;

use crate::layout::Layout;
use crate::memory::Memory;
use crate::objects::type_of;

/// In front of a tracked object: the links to the next and the previous one of its ring.
const LINKS: usize = 16;

/// A node, in words: these links, how often the object is referred to, and its type.
const WORDS: usize = 4;
const NEXT: usize = 0;
const PREVIOUS: usize = 1;
const TYPE: usize = 3;

/// Bits of a link that are no part of the address.
const FLAGS: usize = 0b11;

/// The beginning of an object where there is one lock for all: how often it is referred to, and its type. Free-threaded builds have
/// no rings.
const HEAD: usize = 16;

/// How far from one head another one may lie: four generations of 24 bytes, and a word among them.
const NEAR: isize = 88;

/// How long the state of an interpreter is at most.
const STATE: usize = 2 << 20;

/// A tracked object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// Its address.
    pub object: usize,
    /// That of its type.
    pub of_type: usize,
}

/// Calls `see` with the tracked objects of the interpreter whose state is at this address, of which one is `start`. `None` if it has
/// no such rings. Objects that come or go meanwhile may be missing. No more are looked at than are `left`, which is counted down: a
/// ring that changes may lead anywhere.
pub fn tracked(
    memory: &impl Memory,
    layout: &Layout,
    interpreter: usize,
    start: usize,
    left: &mut usize,
    see: &mut impl FnMut(Tracked),
) -> Option<()> {
    if layout.head() != HEAD {
        return None;
    }
    let mut walk = Walk {
        memory,
        layout,
        types: HashMap::new(),
        left,
    };
    let state = interpreter..interpreter.checked_add(STATE)?;
    let node = start.checked_sub(LINKS)?;
    let heads = walk.ring(node, see);
    let head = heads.into_iter().find(|it| state.contains(it))?;
    for distance in (-NEAR..=NEAR).step_by(8).filter(|it| *it != 0) {
        let other = head.checked_add_signed(distance)?;
        if walk.is_head(other) {
            walk.ring(other, see);
        }
    }
    Some(())
}

struct Walk<'m, M> {
    memory: &'m M,
    layout: &'m Layout,
    /// What was said to be a type, and whether it is.
    types: HashMap<usize, bool>,
    left: &'m mut usize,
}

impl<M: Memory> Walk<'_, M> {
    /// Goes around a ring once. What of it is no object.
    fn ring(&mut self, start: usize, see: &mut impl FnMut(Tracked)) -> Vec<usize> {
        let mut heads = Vec::new();
        let mut node = start;
        while *self.left > 0 {
            *self.left -= 1;
            let Some(words) = self.node(node) else { break };
            let next = words[NEXT] & !FLAGS;
            match self.object(node, words) {
                Some(found) => see(found),
                // What leads nowhere is in no ring.
                None if next != 0 => heads.push(node),
                None => {}
            }
            if next == 0 || next == start {
                break;
            }
            node = next;
        }
        heads
    }

    /// A node: its links, and then the object behind it, with its type.
    fn node(&self, node: usize) -> Option<[usize; WORDS]> {
        self.memory.number(node)
    }

    fn link(&self, node: usize, which: usize) -> Option<usize> {
        let link = self.node(node)?[which] & !FLAGS;
        (link != 0).then_some(link)
    }

    /// The object behind a node; `None` if the node is the head of a ring.
    fn object(&mut self, node: usize, words: [usize; WORDS]) -> Option<Tracked> {
        let object = node.checked_add(LINKS)?;
        let of_type = words[TYPE];
        let (memory, layout) = (self.memory, self.layout);
        let is_type = self.types.entry(of_type);
        let is_type = is_type.or_insert_with(|| type_of(memory, layout, object).is_some());
        is_type.then_some(Tracked { object, of_type })
    }

    /// Whether the head of a ring lies here that has something in it.
    fn is_head(&mut self, node: usize) -> bool {
        let Some(words) = self.node(node) else {
            return false;
        };
        let [next, previous] = [NEXT, PREVIOUS].map(|it| words[it] & !FLAGS);
        next != node
            && self.link(next, PREVIOUS) == Some(node)
            && self.link(previous, NEXT) == Some(node)
            && self.object(node, words).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::LAYOUTS;
    use crate::words::Words;

    const STATE: usize = 0x1000;
    const HEAD: usize = 0x1100;
    const CLASS: usize = 0x9000;
    const OF_TYPES: usize = 0x9800;

    /// Two rings: one with the objects at these nodes, and one beside it with one object.
    fn rings(nodes: &[usize]) -> Words {
        let mut words = HashMap::from([
            (CLASS + 8, OF_TYPES),
            (OF_TYPES + 8, OF_TYPES),
            (OF_TYPES + 168, 1 << 31),
        ]);
        let mut ring = |nodes: &[usize]| {
            for (at, node) in nodes.iter().enumerate() {
                let next = nodes[(at + 1) % nodes.len()];
                words.insert(*node, next);
                // Flags of the collector are among the lowest bits.
                words.insert(next + 8, *node | usize::from(*node != HEAD));
            }
            for node in &nodes[1..] {
                words.extend([(node + 16, 1), (node + 24, CLASS)]);
            }
        };
        ring(&[&[HEAD], nodes].concat());
        ring(&[HEAD + 24, 0x8000]);
        Words(words)
    }

    fn seen(memory: &Words, start: usize) -> Option<Vec<usize>> {
        let mut found = Vec::new();
        let layout = &LAYOUTS[1].1;
        let mut see = |it: Tracked| found.push(it.object);
        tracked(memory, layout, STATE, start, &mut 1000, &mut see)?;
        Some(found)
    }

    #[test]
    fn all_generations_are_found_from_one_object() {
        let found = seen(&rings(&[0x5000, 0x6000, 0x7000]), 0x6010);
        assert_eq!(found, Some(vec![0x6010, 0x7010, 0x5010, 0x8010]));
    }

    #[test]
    fn what_is_not_tracked_leads_nowhere() {
        assert_eq!(seen(&rings(&[0x5000]), 0x4_0010), None);
        assert_eq!(seen(&rings(&[0x5000]), 0), None);
    }

    #[test]
    fn a_ring_that_never_comes_back_ends() {
        let mut memory = rings(&[0x5000, 0x6000, 0x7000]);
        memory.0.insert(0x7000, 0x5000);
        assert_eq!(seen(&memory, 0x6010), None);
    }
}
