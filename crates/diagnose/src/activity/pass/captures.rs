//! Which captures run at a place of the trace.

use rustc_hash::FxHashMap;

use crate::history::History;

/// The captures of a trace.
#[derive(Debug)]
pub(super) struct Captures {
    /// Those that run, in the order in which they began.
    pub(super) running: Vec<usize>,
    /// Where they begin and end.
    boundaries: FxHashMap<usize, Boundary>,
}

/// A capture begins or ends.
#[derive(Clone, Copy, Debug)]
enum Boundary {
    Begins(usize),
    Ends(usize),
}

impl Captures {
    pub(super) fn new(history: &History<'_>) -> Captures {
        let mut boundaries = FxHashMap::default();
        for (index, run) in history.captures.iter().enumerate() {
            boundaries.insert(run.began.position, Boundary::Begins(index));
            if let Some(ended) = run.ended {
                boundaries.insert(ended.position, Boundary::Ends(index));
            }
        }
        Captures {
            running: Vec::new(),
            boundaries,
        }
    }

    /// Goes on to a place of the trace, and gives the capture that ends there.
    pub(super) fn pass(&mut self, position: usize) -> Option<usize> {
        if let Some(Boundary::Begins(capture)) = self.boundaries.get(&position) {
            self.running.push(*capture);
        }
        let ended = self.that_ends(position)?;
        self.running.retain(|it| *it != ended);
        Some(ended)
    }

    pub(super) fn that_ends(&self, position: usize) -> Option<usize> {
        match self.boundaries.get(&position)? {
            Boundary::Ends(capture) => Some(*capture),
            Boundary::Begins(_) => None,
        }
    }
}
