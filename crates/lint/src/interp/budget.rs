//! How much of a program is followed.

use std::cell::Cell;

use super::Interp;

/// Statements and expressions that are looked at for one file, at most.
const STEPS: u32 = 200_000;
/// The same for all functions together that nobody calls.
const STEPS_OF_UNCALLED: u32 = 10 * STEPS;
/// How deep expressions are followed, over all calls.
const DEEPEST: usize = 5_000;

/// What is left.
#[derive(Debug)]
pub(super) struct Budget {
    steps: Cell<u32>,
    /// What functions that nobody calls may still be granted beyond it.
    of_uncalled: u32,
    /// How deep the expression that is followed is nested, over all calls.
    pub(super) nesting: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: Cell::new(STEPS),
            of_uncalled: STEPS_OF_UNCALLED,
            nesting: 0,
        }
    }
}

impl Budget {
    /// Grants what is missing for one more function that nobody calls, as far as there is something left for those.
    pub(super) fn renew(&mut self) {
        let left = self.steps.get();
        let granted = (STEPS / 8).saturating_sub(left).min(self.of_uncalled);
        self.of_uncalled -= granted;
        self.steps.set(left + granted);
    }

    /// Whether expressions may be nested deeper.
    pub(super) fn may_nest(&self) -> bool {
        self.nesting < DEEPEST
    }
}

impl Interp<'_> {
    /// Whether there is a step left, which is then used up.
    pub(super) fn spend(&self) -> bool {
        self.spend_many(1);
        self.budget.steps.get() > 0
    }

    /// Uses up steps.
    pub(crate) fn spend_many(&self, steps: u32) {
        let left = self.budget.steps.get().saturating_sub(steps);
        self.budget.steps.set(left);
    }
}
