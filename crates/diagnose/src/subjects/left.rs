//! What regions leave that ask whether a capture runs: on the virtual GPU, the agent computes it with a capture and without one.

use cgsan_finding::Confidence;
use cgsan_trace::AgentEvent;
use rustc_hash::FxHashMap;

use crate::history::History;

/// What a region leaves without a capture, beside what it leaves in one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LeftEagerly {
    /// Nobody has computed it.
    #[default]
    Unknown,
    /// The same, at all replays that were looked at.
    Same,
    /// Something else.
    Other,
}

impl LeftEagerly {
    /// How sure it is that results differ, where the operators do; `None` where they do not.
    pub(crate) fn confidence(self) -> Option<Confidence> {
        match self {
            LeftEagerly::Unknown => Some(Confidence::Possible),
            LeftEagerly::Same => None,
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
        for (_, event) in history.trace.agent_events() {
            let AgentEvent::LeftCompared { graph, differs, .. } = event else {
                continue;
            };
            if let Some(graph) = graphs.get(graph) {
                let known = left.entry(*graph).or_insert(LeftEagerly::Same);
                if *differs {
                    *known = LeftEagerly::Other;
                }
            }
        }
        Left(left)
    }

    pub(super) fn by(&self, graph: usize) -> LeftEagerly {
        self.0.get(&graph).copied().unwrap_or_default()
    }
}
