//! What a rule about a compiled function that has several graphs can ask.

use cgsan_finding::Location;
use cgsan_trace::{AgentEvent, SplitAround, StackFrame};
use rustc_hash::FxHashSet;

use crate::evidence::Evidence;
use crate::history::History;

/// A compiled function that Inductor has split.
pub(crate) struct Partitioned<'h, 't> {
    history: &'h History<'t>,
    /// How many graphs it has.
    pub(crate) graphs: u64,
    /// The operators that it was split around.
    pub(crate) operators: &'t [SplitAround],
    definition: StackFrame,
    position: usize,
}

/// All such functions, each once.
pub(super) fn partitioned<'h, 't>(history: &'h History<'t>) -> Vec<Partitioned<'h, 't>> {
    // Where Inductor skips the graphs after all, there is only the empty one that a tree begins with.
    let captures = history.captures.iter();
    if captures.filter(|run| history.is_of_inductor(run)).count() < 3 {
        return Vec::new();
    }
    let mut seen = FxHashSet::default();
    let told = history.trace.agent_events();
    told.filter_map(|(position, event)| {
        let AgentEvent::Partitioned {
            function,
            file,
            line,
            graphs,
            operators,
        } = event
        else {
            return None;
        };
        seen.insert((file, *line)).then(|| Partitioned {
            history,
            graphs: *graphs,
            operators,
            definition: StackFrame {
                file: file.clone(),
                line: *line,
                function: function.clone(),
            },
            position,
        })
    })
    .collect()
}

impl<'h, 't> Partitioned<'h, 't> {
    /// The line that calls an operator.
    pub(crate) fn place(operator: &SplitAround) -> Location {
        Location {
            file: operator.file.as_str().into(),
            line: operator.line,
            span: None,
            cell: None,
            function: operator.function.clone(),
        }
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn evidence(&self) -> Evidence<'h, 't> {
        Evidence {
            stack: vec![self.definition.clone()],
            ..Evidence::at(self.history, self.position)
        }
    }
}
