//! Sets of cells: a bit for each, since cells are numbered from 0.

use super::value::CellId;

/// Some cells of the heap.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    words: Vec<u64>,
}

impl Cells {
    /// Adds a cell; whether it was not there yet.
    pub(crate) fn insert(&mut self, cell: CellId) -> bool {
        let (word, bit) = place(cell);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    /// Whether a cell is there.
    pub(crate) fn contains(&self, cell: CellId) -> bool {
        let (word, bit) = place(cell);
        self.words.get(word).is_some_and(|it| it & bit != 0)
    }

    /// All of them, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = CellId> + '_ {
        let words = (0u32..).zip(&self.words);
        words.flat_map(|(word, bits)| {
            let set = (0..u64::BITS).filter(move |bit| bits >> bit & 1 == 1);
            set.map(move |bit| CellId(word * u64::BITS + bit))
        })
    }
}

/// The word of a cell, and its bit there.
fn place(cell: CellId) -> (usize, u64) {
    ((cell.0 / u64::BITS) as usize, 1 << (cell.0 % u64::BITS))
}

#[cfg(test)]
mod tests {
    use super::{CellId, Cells};

    #[test]
    fn cells_are_there_once_and_in_their_order() {
        let mut cells = Cells::default();
        for (cell, is_new) in [(64, true), (3, true), (64, false), (200, true)] {
            assert_eq!(cells.insert(CellId(cell)), is_new);
        }
        assert!(cells.contains(CellId(3)) && !cells.contains(CellId(4)));
        assert!(!cells.contains(CellId(1_000)));
        let all: Vec<u32> = cells.iter().map(|it| it.0).collect();
        assert_eq!(all, [3, 64, 200]);
    }
}
