//! Which of the explained subjects of a process become findings: what one shows, another need not infer.

use cgsan_finding::Location;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::rules::Explanation;
use crate::subjects::{Region, Subject, Twin};

/// What is shown of each graph: the ids, by the twins of regions, by what Python knows, and by eager calls.
#[derive(Default)]
pub(crate) struct Decided {
    by_twins: FxHashMap<usize, Vec<&'static str>>,
    by_facts: FxHashMap<usize, Vec<&'static str>>,
    /// The graphs of which a twin has told something that is frozen.
    told: FxHashSet<usize>,
    /// The graphs that are told to work on one size of several.
    sizes: FxHashSet<usize>,
    /// By graph: where steps of optimizers were captured whose numbers are others by now.
    steps: FxHashMap<usize, Vec<Location>>,
    /// By graph: where inputs were freed that the program has replaced by others, or gradients that it has dropped.
    replaced: FxHashMap<usize, Vec<Location>>,
}

impl Decided {
    pub(crate) fn of(explained: &[(Option<Explanation>, Subject<'_, '_>)]) -> Decided {
        let mut decided = Decided::default();
        for (explanation, subject) in explained {
            let Some(explanation) = explanation else {
                continue;
            };
            if let Subject::Region(Region { graph, .. }) | Subject::Twin(Twin { graph, .. }) =
                subject
                && explanation.id == SIZE
            {
                decided.sizes.insert(*graph);
            }
            let (shown, graph) = match subject {
                Subject::Twin(twin) => (&mut decided.by_twins, twin.graph),
                Subject::Fact(fact) => (&mut decided.by_facts, fact.graph),
                _ => continue,
            };
            let place = match subject {
                Subject::Twin(twin) if REPLACED.contains(&explanation.id) => twin.freed_at(),
                Subject::Fact(fact) if explanation.id == DROPPED => fact.freed_at(),
                _ => None,
            };
            if let Subject::Fact(fact) = subject {
                let steps = decided.steps.entry(graph).or_default();
                steps.extend(fact.stepped_with_old_number());
            }
            decided.replaced.entry(graph).or_default().extend(place);
            shown.entry(graph).or_default().push(explanation.id);
        }
        decided
    }

    /// Whether it is the first that the twin of a graph shows to be frozen: what differs behind it follows from it.
    pub(crate) fn is_first_of_twin(&mut self, id: &str, subject: &Subject<'_, '_>) -> bool {
        match subject {
            Subject::Twin(twin) if FROZEN.contains(&id) => self.told.insert(twin.graph),
            _ => true,
        }
    }

    /// Whether a line is that of a captured step whose number is another one by now. One that is 0 leaves work out, such as that of
    /// weight decay.
    fn is_of_step(&self, graph: usize, line: Option<Location>) -> bool {
        let mut steps = self.steps.get(&graph).into_iter().flatten();
        line.is_some_and(|line| steps.any(|it| (&it.file, it.line) == (&line.file, line.line)))
    }

    /// Whether a finding with this id is left out. What eager calls did before is inferred, what the region does now was seen; a
    /// name that Python knows says more than an operator.
    pub(crate) fn leaves_out(&self, id: &str, subject: &Subject<'_, '_>) -> bool {
        let is_frozen = |graph: usize| {
            let shown = self.by_twins.get(&graph);
            shown.is_some_and(|shown| shown.iter().any(|it| FROZEN.contains(it)))
        };
        match subject {
            Subject::Region(region) => {
                (FROZEN.contains(&id) && is_frozen(region.graph))
                    || (id == CHOICE && self.is_of_step(region.graph, region.location()))
            }
            Subject::Fact(fact) => {
                let shown = self.by_twins.get(&fact.graph);
                fact.is_of_random_numbers() && shown.is_some_and(|it| it.contains(&CHOICE))
            }
            Subject::Twin(twin) if twin.is_without_capture() => false,
            Subject::Twin(twin) => {
                let line = twin.then().or_else(|| twin.now());
                if id == CHOICE && self.is_of_step(twin.graph, line) {
                    return true;
                }
                let shown = self.by_facts.get(&twin.graph);
                let is_drawn =
                    |shown: &Vec<&str>| twin.draws && id != CHOICE && shown.contains(&SIDE_EFFECT);
                shown.is_some_and(|shown| shown.contains(&id) || is_drawn(shown))
            }
            // Rows beyond a smaller batch are old ones where the graph works on as many as were captured.
            Subject::Replay(replay) if id == OLD_ROWS => self.sizes.contains(&replay.found.graph),
            // That it is gone follows from its having been replaced; to keep it would not help.
            Subject::Replay(replay) if id == FREED => {
                let places = self.replaced.get(&replay.found.graph);
                let freed_at = replay.freed_at();
                places.is_some_and(|places| freed_at.is_some_and(|it| places.contains(&it)))
            }
            _ => false,
        }
    }
}

/// What chance decides is frozen, too; a number that is drawn is named by what draws it.
const CHOICE: &str = "CG201";
const SIDE_EFFECT: &str = "CG212";

/// That a graph works on one size, and that rows of an earlier batch count.
const SIZE: &str = "CG207";
const OLD_ROWS: &str = "CG223";

/// That an input was replaced, and that one is gone.
const REPLACED: &[&str] = &["CG203", "CG207"];
const FREED: &str = "CG209";
/// That gradients are gone that the graph writes.
const DROPPED: &str = "CG222";

/// What a capture freezes that eager calls do differently.
const FROZEN: &[&str] = &["CG201", "CG205", "CG207", "CG220"];
