//! What regions leave that ask whether a capture runs: on the virtual GPU, the agent computes it with a capture and without one.

use cgsan_finding::Confidence;
use cgsan_trace::AgentEvent;
use rustc_hash::FxHashMap;

use crate::history::History;

/// What a region leaves without a capture, beside what it leaves in one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LeftEagerly {
    /// Nobody has computed it, and each of its operators is known.
    #[default]
    Unknown,
    /// Nobody has computed it, and what it does depends on numbers of the GPU that the host looks at: it may find the same by other means.
    Undecided,
    /// The same, at all replays that were looked at, or because its operators do the same work.
    Same,
    /// Something else.
    Other,
}

impl LeftEagerly {
    /// How sure it is that results differ, where the operators do; `None` where they do not.
    pub(crate) fn confidence(self) -> Option<Confidence> {
        match self {
            LeftEagerly::Unknown => Some(Confidence::Possible),
            LeftEagerly::Undecided | LeftEagerly::Same => None,
            LeftEagerly::Other => Some(Confidence::Likely),
        }
    }
}

/// What is known of each graph.
pub(super) struct Left(FxHashMap<usize, LeftEagerly>);

impl Left {
    pub(super) fn of(history: &History<'_>) -> Left {
        let graphs = history.captures_by_number();
        let mut left = FxHashMap::default();
        let mut by_operators = Vec::new();
        for (_, event) in history.trace.agent_events() {
            match event {
                AgentEvent::LeftCompared { graph, differs, .. } => {
                    if let Some(graph) = graphs.get(graph) {
                        let known = left.entry(*graph).or_insert(LeftEagerly::Same);
                        if *differs {
                            *known = LeftEagerly::Other;
                        }
                    }
                }
                AgentEvent::TwinCompared {
                    graph,
                    replay: 0,
                    differences,
                    stopped,
                    ..
                } => {
                    let known = match (differences.is_empty(), stopped) {
                        (_, Some(_)) => LeftEagerly::Undecided,
                        (true, None) => LeftEagerly::Same,
                        (false, None) => LeftEagerly::Unknown,
                    };
                    by_operators.extend(graphs.get(graph).map(|it| (*it, known)));
                }
                _ => {}
            }
        }
        for (graph, known) in by_operators {
            left.entry(graph).or_insert(known);
        }
        Left(left)
    }

    /// Whether the program asks in the region of a graph if a capture runs, and the region was run without one.
    pub(super) fn asks(&self, graph: usize) -> bool {
        self.0.contains_key(&graph)
    }

    pub(super) fn by(&self, graph: usize) -> LeftEagerly {
        self.0.get(&graph).copied().unwrap_or_default()
    }
}
