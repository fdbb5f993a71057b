//! How much of a program is followed.

use std::cell::Cell;

use super::{Interp, Semantics};
use crate::site::Site;
use crate::syntax::ast::TextRange;

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
    /// The first place that was not followed, since nothing was left.
    stopped: Cell<Option<Site>>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: Cell::new(STEPS),
            of_uncalled: STEPS_OF_UNCALLED,
            nesting: 0,
            stopped: Cell::new(None),
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

    /// The first place that was not followed, if there is one.
    pub(super) fn stopped(&self) -> Option<Site> {
        self.stopped.get()
    }
}

impl<L: Semantics> Interp<'_, L> {
    /// Whether there is a step left for what stands at `range`, which is then used up.
    pub(super) fn spend(&self, range: TextRange) -> bool {
        self.spend_many(1);
        let goes_on = self.budget.steps.get() > 0 && self.budget.nesting < DEEPEST;
        if !goes_on && self.budget.stopped().is_none() {
            self.budget.stopped.set(Some(self.site(range)));
        }
        goes_on
    }

    /// Uses up steps.
    pub(crate) fn spend_many(&self, steps: u32) {
        let left = self.budget.steps.get().saturating_sub(steps);
        self.budget.steps.set(left);
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use super::{Interp, STEPS, STEPS_OF_UNCALLED};
    use crate::project::Project;
    use crate::rules::Rules;
    use crate::settings::Settings;
    use crate::torch::Torch;

    /// How many steps a file of so many functions takes, each of which captures, and whether all are followed.
    fn steps_of(functions: usize) -> (u32, bool) {
        let text = (0..functions).fold("import torch\n".to_owned(), |mut text, at| {
            let _ = write!(
                text,
                "\n\ndef step_{at}(x):\n    graph = torch.cuda.CUDAGraph()\n    with torch.cuda.graph(graph):\n        y = x + 1\n    graph.replay()\n    return graph, y\n"
            );
            text
        });
        let path = Path::new("program.py");
        let mut project = Project::new([]);
        project.set_text(path, text);
        let file = project.id(path).expect("it was added");
        let settings = Settings::default();
        let mut rules = Rules::default();
        let mut interp = Interp::<Torch>::new(&project, &settings, &mut rules, file);
        interp.enter_module(file);
        interp.uncalled_functions(file);
        let granted = STEPS + STEPS_OF_UNCALLED - interp.budget.of_uncalled;
        let taken = granted - interp.budget.steps.get();
        (taken, interp.budget.stopped().is_none())
    }

    #[test]
    fn the_steps_grow_with_the_functions_that_capture() {
        let (few, few_are_whole) = steps_of(500);
        let (many, many_are_whole) = steps_of(5_000);
        assert!(few_are_whole && many_are_whole);
        assert!(many <= 11 * few, "{many} steps, and {few} for a tenth");
    }
}
