//! What was reached, and what of it lasts while one function after the other is followed from the same state.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::cells::Cells;
use super::value::CellId;

/// What files lead to.
#[derive(Debug, Default)]
pub(super) struct Lasting {
    pub(super) cells: Cells,
    /// Functions, by their code and the scopes around them.
    pub(super) functions: FxHashSet<(usize, CellId)>,
    /// What it was reached from.
    pub(super) from: Origins,
}

/// How much there was to begin at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Origins {
    pub(super) files: usize,
    /// Cells that unknown values may refer to.
    pub(super) forgotten: usize,
}

/// Cells that were reached.
#[derive(Debug)]
pub(crate) struct Reached {
    /// Those that do not last.
    pub(super) new: Cells,
    pub(super) lasting: Option<Rc<Lasting>>,
}

impl Reached {
    /// Whether a cell is among them.
    pub(crate) fn contains(&self, cell: CellId) -> bool {
        let lasts = self.lasting.as_ref();
        self.new.contains(cell) || lasts.is_some_and(|it| it.cells.contains(cell))
    }

    /// All of them.
    pub(super) fn cells(&self) -> impl Iterator<Item = CellId> + '_ {
        let lasting = self.lasting.iter().flat_map(|it| it.cells.iter());
        self.new.iter().chain(lasting)
    }
}
