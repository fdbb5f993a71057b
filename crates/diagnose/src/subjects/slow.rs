//! What a rule about a graph that gains less than it could can ask.

use cgsan_model::Stream;
use cgsan_trace::StackFrame;
use rustc_hash::FxHashSet;

use crate::activity::{self, Activity, InputCopies, SmallGraphs};
use crate::evidence::Evidence;
use crate::graphs;
use crate::history::{self, CaptureRun, History};

/// A graph that is replayed, and that has something about it that takes time.
pub(crate) struct Slow<'h, 't> {
    history: &'h History<'t>,
    activity: &'h Activity<'t>,
    /// The capture that the graph came from.
    run: &'h CaptureRun<'t>,
    kind: Kind,
}

enum Kind {
    /// Its inputs are copied before each replay.
    Copies(InputCopies),
    /// It is the first of several that a step is made of.
    Small(SmallGraphs),
    /// Its nodes were enqueued on so many streams.
    Streams(usize),
}

/// All such graphs, in the order of their captures.
pub(super) fn slow<'h, 't>(
    history: &'h History<'t>,
    activity: &'h Activity<'t>,
) -> Vec<Slow<'h, 't>> {
    if activity.replays.is_empty() {
        return Vec::new();
    }
    let running = activity::running_captures(history, activity);
    let slow = |graph: usize, kind| Slow {
        history,
        activity,
        run: &history.captures[graph],
        kind,
    };
    let copies = activity::input_copies(history, activity, &running).into_iter();
    let copies = copies.map(|it| slow(it.graph, Kind::Copies(it)));
    let small = activity::small_graphs(history, activity, &running).into_iter();
    let small = small.map(|it| slow(it.graphs[0], Kind::Small(it)));
    let forked = (0..history.captures.len()).filter(|graph| {
        activity.graphs[*graph].replays > 0 && !history.captures[*graph].forks.is_empty()
    });
    let forked = forked.map(|graph| slow(graph, Kind::Streams(streams(history, graph))));
    copies.chain(small).chain(forked).collect()
}

/// How many streams enqueued the nodes of a graph.
fn streams(history: &History<'_>, graph: usize) -> usize {
    let nodes = history.captures[graph].nodes_at.iter();
    let streams: FxHashSet<Stream> = nodes
        .filter_map(|at| history::stream_of(&history::step::at(history.trace, *at)?.record.call))
        .collect();
    streams.len()
}

impl<'h, 't> Slow<'h, 't> {
    /// The copies into its inputs, if it is about them.
    pub(crate) fn copies(&self) -> Option<&InputCopies> {
        match &self.kind {
            Kind::Copies(copies) => Some(copies),
            _ => None,
        }
    }

    /// The step that it is the first graph of, if it is about that.
    pub(crate) fn small(&self) -> Option<&SmallGraphs> {
        match &self.kind {
            Kind::Small(small) => Some(small),
            _ => None,
        }
    }

    /// How many streams enqueued its nodes, if it is about that.
    pub(crate) fn streams(&self) -> Option<usize> {
        match self.kind {
            Kind::Streams(streams) => Some(streams),
            _ => None,
        }
    }

    /// How many of its nodes do not wait for each other, at least. That takes a while to find out.
    pub(crate) fn width(&self) -> usize {
        let shape = graphs::shape(self.history, self.activity, self.run);
        shape.map_or(0, |it| it.width_at_least)
    }

    pub(super) fn position(&self) -> usize {
        match &self.kind {
            Kind::Copies(copies) => self.activity.operations[copies.copy].position,
            Kind::Small(small) => small.position,
            Kind::Streams(_) => self.run.began.position,
        }
    }

    fn stack(&self) -> Vec<StackFrame> {
        match &self.kind {
            Kind::Copies(copies) => {
                let stack = self.activity.operations[copies.copy].stack;
                stack.map_or_else(Vec::new, |id| self.history.trace.stack(id))
            }
            Kind::Small(small) => history::step::at(self.history.trace, small.position)
                .map_or_else(Vec::new, |step| self.history.stack_of(step)),
            Kind::Streams(_) => self.history.stack_of(self.run.began),
        }
    }

    pub(super) fn evidence(&self) -> Evidence<'h, 't> {
        let mut evidence = Evidence::at(self.history, self.position());
        evidence.thread = Some(self.run.thread());
        evidence.stack = self.stack();
        evidence.capture = Some(self.run);
        evidence
    }
}
