//! Messages that the host sent or received in a capture.

use cgsan_trace::{AgentEvent, StackFrame};
use rustc_hash::FxHashSet;

use crate::activity::{Activity, is_host_message};
use crate::evidence::Evidence;
use crate::history::History;

/// A message, with the graph whose replays leave it out.
pub(crate) struct Message<'h, 't> {
    history: &'h History<'t>,
    /// The capture that the graph came from: an index into [`History::captures`].
    graph: usize,
    /// What sent or received it: an operator, or a method of Python's.
    pub(crate) call: &'t str,
    /// How often the graph was replayed.
    pub(crate) replays: usize,
    stack: Vec<StackFrame>,
    position: usize,
}

/// The first message of each capture.
pub(super) fn messages<'h, 't>(
    history: &'h History<'t>,
    activity: &Activity<'t>,
) -> Vec<Message<'h, 't>> {
    let operators = activity.operations.iter().filter(|it| is_host_message(it));
    let operators = operators.map(|it| {
        let stack = it.stack.map(|id| history.trace.stack(id));
        (it.position, it.name, stack.unwrap_or_default())
    });
    let told = history
        .trace
        .agent_events()
        .filter_map(|(position, event)| {
            let AgentEvent::HostMessage { call, stack } = event else {
                return None;
            };
            Some((position, call.as_str(), stack.clone()))
        });
    let mut all: Vec<_> = operators.chain(told).collect();
    all.sort_by_key(|(position, ..)| *position);
    let mut known = FxHashSet::default();
    all.into_iter()
        .filter_map(|(position, call, stack)| {
            let thread = history.trace.entries()[position].thread;
            let graph = history
                .captures
                .iter()
                .rposition(|run| run.thread() == thread && run.spans(position))?;
            known.insert(graph).then_some(Message {
                history,
                graph,
                call,
                replays: activity.graphs[graph].replays,
                stack,
                position,
            })
        })
        .collect()
}

impl<'h, 't> Message<'h, 't> {
    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn evidence(&self) -> Evidence<'h, 't> {
        let mut evidence = Evidence::at(self.history, self.position);
        evidence.thread = Some(self.history.trace.entries()[self.position].thread);
        evidence.stack.clone_from(&self.stack);
        evidence.capture = Some(&self.history.captures[self.graph]);
        evidence
    }
}
