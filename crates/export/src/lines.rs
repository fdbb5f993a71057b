//! The lines of the program that events come from.

use cgsan_diagnose::own_location;
use cgsan_finding::Location;
use cgsan_trace::{FrameId, Trace};
use rustc_hash::FxHashMap;

/// The lines of the program behind the stacks of a trace, each looked up once: a loop has as many events as it likes.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    trace: &'t Trace,
    known: FxHashMap<FrameId, Option<Line>>,
}

/// A line of the program.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) file: String,
    pub(crate) location: Location,
}

impl Line {
    /// As it is shown.
    pub(crate) fn of(location: Location) -> Line {
        Line {
            file: location.file_name(),
            location,
        }
    }
}

impl<'t> Lines<'t> {
    /// Those of a trace.
    pub(crate) fn of(trace: &'t Trace) -> Lines<'t> {
        Lines {
            trace,
            known: FxHashMap::default(),
        }
    }

    /// The line of the program that a stack leads through, named by its innermost frame.
    pub(crate) fn at(&mut self, stack: Option<FrameId>) -> Option<&Line> {
        let stack = stack?;
        let trace = self.trace;
        let line = self
            .known
            .entry(stack)
            .or_insert_with(|| own_location(&trace.stack(stack)).map(Line::of));
        line.as_ref()
    }
}
