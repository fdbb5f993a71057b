//! The recorded calls, re-run through the model.

use std::cell::OnceCell;
use std::mem;
use std::sync::Arc;

use cgsan_model::{
    Answer, Call, CaptureId, CaptureMode, CaptureState, Code, EventId, GraphId, Model, Stream,
    ThreadId,
};
use cgsan_trace::{AgentEvent, Record, StackFrame, Trace};
use rustc_hash::FxHashMap;

use super::stack;
use super::streams::{StreamNames, stream_of};
use super::thrown::{Thrown, python_type};
use super::{CaptureRun, Fork, History, Refusal, RefusedUpdate, Step};

/// Re-runs a trace. Where the model disagrees with the driver, the recorded answer holds.
pub(super) fn rerun(trace: &Trace) -> History<'_> {
    let mut rerun = Rerun {
        model: Model::new(),
        looked_away: false,
        streams: Vec::new(),
        last_step: FxHashMap::default(),
        open: Vec::new(),
        history: History {
            trace,
            captures: Vec::new(),
            attempts: Vec::new(),
            refused_updates: FxHashMap::default(),
            thrown: Vec::new(),
            contradictions: Vec::new(),
            concerned: FxHashMap::default(),
            streams: StreamNames::default(),
            names: OnceCell::new(),
        },
    };
    for (position, entry) in trace.entries().iter().enumerate() {
        match &entry.record {
            // It says nothing of captures, and other threads' calls may have been made since.
            Record::Call(record) if trace.is_aside(record) => {}
            Record::Call(record) => rerun.step(Step {
                position,
                thread: entry.thread,
                record,
            }),
            Record::Exception {
                type_name,
                message,
                stack,
            } => {
                let thrown = Thrown {
                    position,
                    reported: None,
                    thread: entry.thread,
                    type_name: python_type(trace.string(*type_name)),
                    message: message.clone(),
                    stack: stack.map(|id| trace.stack(id)).unwrap_or_default(),
                    after: rerun.refused_last(entry.thread),
                };
                rerun.history.thrown.push(thrown);
            }
            Record::Agent { .. } => {
                if let Some(AgentEvent::Exception {
                    type_name,
                    message,
                    traceback,
                    uncaught,
                }) = trace.agent_event(position)
                {
                    let report = Report {
                        position,
                        thread: entry.thread,
                        type_name,
                        message,
                        traceback,
                        uncaught: *uncaught,
                    };
                    rerun.exception_reported(&report);
                }
            }
            Record::Watched { on: false } => rerun.looked_away = true,
            Record::Watched { on: true } => rerun.start_over(),
            _ => {}
        }
    }
    for run in mem::take(&mut rerun.open) {
        rerun.keep_graph(run, None);
    }
    rerun.history
}

struct Rerun<'t> {
    model: Model,
    /// Whether calls were made that are not in the trace: from then on, the driver knows more than the model.
    looked_away: bool,
    /// The creations of the streams that exist.
    streams: Vec<(ThreadId, &'t Call)>,
    history: History<'t>,
    /// The captures that have not ended: indices into [`History::captures`].
    open: Vec<usize>,
    /// The last call of each thread.
    last_step: FxHashMap<ThreadId, Step<'t>>,
}

/// An exception as the agent reports it.
struct Report<'t> {
    position: usize,
    thread: ThreadId,
    type_name: &'t str,
    message: &'t str,
    /// Outermost frame first.
    traceback: &'t [StackFrame],
    uncaught: bool,
}

impl<'t> Rerun<'t> {
    /// After calls that are not in the trace, only the kinds of streams are still known.
    fn start_over(&mut self) {
        self.model = self.model.anew();
        self.open.clear();
        self.last_step.clear();
        for (thread, create) in &self.streams {
            let _ = self.model.call(*thread, create);
        }
    }

    fn step(&mut self, step: Step<'t>) {
        let call = &step.record.call;
        self.history.streams.see(call);
        let before = stream_of(call).and_then(|stream| self.model.capture_of(step.thread, stream));
        let answer = self.model.call(step.thread, call);
        if !self.looked_away && is_contradiction(answer.code, step.record.result) {
            self.history.contradictions.push(step);
        }
        if let Some(id) = answer.capture {
            self.history.concerned.insert(step.position, id);
            self.keep_positions(id, step.position);
        }
        self.last_step.insert(step.thread, step);
        self.keep_streams(step);

        match *call {
            _ if step.failed() => self.refused(step, &answer),
            Call::StreamBeginCapture { stream, mode }
            | Call::StreamBeginCaptureToGraph { stream, mode, .. } => {
                self.began(step, stream, mode, &answer);
            }
            Call::StreamWaitEvent { stream, event, .. } if before.is_none() => {
                self.waited(step, stream, event);
            }
            _ => {}
        }
        if let Call::StreamEndCapture { stream, graph } = *call {
            self.ended(step, stream, graph, &answer);
        }
    }

    /// The nodes that a capture has gained are those of the call at this position.
    fn keep_positions(&mut self, id: CaptureId, position: usize) {
        let nodes = self.model.capture(id).map_or(0, |it| it.nodes().len());
        if let Some(run) = self.open_run(Some(id)) {
            let nodes_at = &mut self.history.captures[run].nodes_at;
            nodes_at.resize(nodes.max(nodes_at.len()), position);
        }
    }

    fn keep_streams(&mut self, step: Step<'t>) {
        match step.record.call {
            _ if step.failed() => {}
            Call::StreamCreate { .. } => self.streams.push((step.thread, &step.record.call)),
            Call::StreamDestroy { stream: destroyed } => self.streams.retain(
                |(_, create)| !matches!(create, Call::StreamCreate { stream, .. } if *stream == destroyed),
            ),
            _ => {}
        }
    }

    fn began(&mut self, step: Step<'t>, origin: Stream, mode: CaptureMode, answer: &Answer) {
        self.open.push(self.history.captures.len());
        self.history.captures.push(CaptureRun {
            id: answer.capture,
            began: step,
            origin,
            mode,
            forks: Vec::new(),
            refusals: Vec::new(),
            ended: None,
            unjoined: Vec::new(),
            nodes_at: Vec::new(),
            graph: None,
            left_by: None,
            is_left_uncaught: false,
            raised_before: Vec::new(),
        });
    }

    /// A stream that waits for an event of a capture becomes part of it.
    fn waited(&mut self, step: Step<'t>, stream: Stream, event: EventId) {
        let capture = self.model.capture_of(step.thread, stream);
        let Some(run) = self.open_run(capture) else {
            return;
        };
        let recorded = self.history.last_record_of(event, step.position);
        self.history.captures[run].forks.push(Fork {
            stream,
            waited: step,
            recorded: recorded.map(|(recorded, _)| recorded),
        });
    }

    fn ended(&mut self, step: Step<'t>, stream: Stream, graph: GraphId, answer: &Answer) {
        let code = step.record.result;
        let ends = code.is_success()
            || code == Code::STREAM_CAPTURE_INVALIDATED
            || code == Code::STREAM_CAPTURE_UNJOINED;
        let Some(run) = self.run_to_end(stream, answer).filter(|_| ends) else {
            return;
        };
        self.open.retain(|open| *open != run);
        self.keep_graph(run, code.is_success().then_some(graph));
        let run = &mut self.history.captures[run];
        run.ended = Some(step);
        run.unjoined = run
            .id
            .map(|id| self.model.unjoined_streams(id))
            .unwrap_or_default();
    }

    /// What a capture recorded is in the graph that it ended in, or with itself if there is none.
    fn keep_graph(&mut self, run: usize, ended_in: Option<GraphId>) {
        let run = &mut self.history.captures[run];
        let so_far = || {
            let capture = self.model.capture(run.id?)?;
            Some(Arc::new(capture.graph_so_far().clone()))
        };
        run.graph = ended_in
            .and_then(|graph| self.model.keep_graph(graph))
            .or_else(so_far);
    }

    /// Files a call that failed under the captures that it broke, or else under the one that it failed on account of.
    fn refused(&mut self, step: Step<'t>, answer: &Answer) {
        let refusal = Refusal {
            step,
            reason: answer.reason,
            breaks: true,
        };
        let broken: Vec<usize> = self
            .open
            .iter()
            .copied()
            .filter(|run| self.is_newly_broken(*run))
            .collect();
        for run in &broken {
            self.history.captures[*run].refusals.push(refusal);
        }
        if !broken.is_empty() {
            return;
        }
        match self.concerned_run(step, answer) {
            Some(run) => {
                let run = &mut self.history.captures[run];
                let breaks = breaks_by_its_code(step) && run.broken_by().is_none();
                let refusal = Refusal { breaks, ..refusal };
                run.refusals.push(refusal);
                // The running capture goes on, but the one that was asked for never began.
                if step.record.call.begins_capture() {
                    self.history.attempts.push(refusal);
                }
            }
            None if step.record.result.is_capture_refusal() || answer.reason.is_some() => {
                self.history.attempts.push(refusal);
                self.keep_refused_update(step);
            }
            None => {}
        }
    }

    /// A refused update leaves both graphs as they are, so that they can be compared after it.
    fn keep_refused_update(&mut self, step: Step<'t>) {
        let Call::GraphExecUpdate { exec, graph } = step.record.call else {
            return;
        };
        let (Some(exec), Some(new)) = (self.model.exec(exec), self.model.graph(graph)) else {
            return;
        };
        let refused = RefusedUpdate::of((exec.source(), exec.graph()), (graph, new));
        self.history.refused_updates.insert(step.position, refused);
    }

    /// Whether the model has a capture invalidated that nothing recorded so far explains.
    fn is_newly_broken(&self, run: usize) -> bool {
        let run = &self.history.captures[run];
        let capture = run.id.and_then(|id| self.model.capture(id));
        capture.is_some_and(|capture| capture.state() == CaptureState::Invalidated)
            && run.broken_by().is_none()
    }

    /// The running capture that a failed call is about.
    fn concerned_run(&self, step: Step<'t>, answer: &Answer) -> Option<usize> {
        let of_stream = || match step.record.call {
            Call::StreamEndCapture { stream, .. } => self.run_to_end(stream, answer),
            ref call => self.open_run(self.model.capture_of(step.thread, stream_of(call)?)),
        };
        let of_thread = || {
            let own = |run: &&usize| self.history.captures[**run].thread() == step.thread;
            self.open.iter().rev().find(own).copied()
        };
        // Where the model would not have refused the call, what is recorded decides.
        let of_process = || {
            self.open
                .first()
                .filter(|_| breaks_by_its_code(step))
                .copied()
        };
        self.open_run(answer.capture)
            .or_else(of_stream)
            .or_else(of_thread)
            .or_else(of_process)
    }

    fn exception_reported(&mut self, report: &Report<'_>) {
        let left = self.runs_left(report);
        let since = left
            .first()
            .map(|run| self.history.captures[*run].began.position);
        let index = self.thrown_as(report, since.unwrap_or_default());
        let thrown = &mut self.history.thrown[index];
        thrown.reported.get_or_insert(report.position);
        report.type_name.clone_into(&mut thrown.type_name);
        // The stack at the throw is deeper than the traceback, but a thread of autograd has none.
        if stack::user_frame(&thrown.stack).is_none() {
            thrown.stack.extend(report.traceback.iter().rev().cloned());
        }
        for run in left {
            let run = &mut self.history.captures[run];
            if run.left_by.is_none() {
                run.left_by = Some(index);
                run.is_left_uncaught = report.uncaught;
            } else if !run.is_left_uncaught && !report.uncaught && run.left_by != Some(index) {
                run.raised_before.push(index);
            }
        }
    }

    /// The running captures of its thread that an exception leaves, innermost first.
    fn runs_left(&self, report: &Report<'_>) -> Vec<usize> {
        let own = |run: &usize| self.history.captures[*run].thread() == report.thread;
        // Only one capture is being ended; what ends the program leaves them all.
        let count = if report.uncaught { usize::MAX } else { 1 };
        let runs = self.open.iter().rev().copied();
        runs.filter(own).take(count).collect()
    }

    /// The exception that a report is of: an index into [`History::thrown`], where it is added if Python threw it.
    fn thrown_as(&mut self, report: &Report<'_>, since: usize) -> usize {
        let same =
            |thrown: &Thrown<'_>| thrown.position >= since && thrown.is_reported_as(report.message);
        let same_thread = |thrown: &Thrown<'_>| thrown.thread == report.thread && same(thrown);
        let thrown = &self.history.thrown;
        let known = thrown.iter().rposition(same_thread);
        if let Some(index) = known.or_else(|| thrown.iter().rposition(same)) {
            return index;
        }
        self.history.thrown.push(Thrown {
            position: report.position,
            reported: None,
            thread: report.thread,
            type_name: report.type_name.to_owned(),
            message: report.message.to_owned(),
            stack: Vec::new(),
            after: self.refused_last(report.thread),
        });
        self.history.thrown.len() - 1
    }

    /// The last call of a thread, if it failed.
    fn refused_last(&self, thread: ThreadId) -> Option<Step<'t>> {
        let last = *self.last_step.get(&thread)?;
        last.failed().then_some(last)
    }

    fn open_run(&self, id: Option<CaptureId>) -> Option<usize> {
        let is_it = |run: &&usize| self.history.captures[**run].id == id;
        self.open
            .iter()
            .find(is_it)
            .copied()
            .filter(|_| id.is_some())
    }

    /// The running capture that a call to end one is about.
    fn run_to_end(&self, stream: Stream, answer: &Answer) -> Option<usize> {
        let is_origin = |run: &&usize| self.history.captures[**run].origin == stream;
        self.open_run(answer.capture)
            .or_else(|| self.open.iter().find(is_origin).copied())
    }
}

/// Whether a refusal with this code breaks the capture it is about (source: `rules.jsonl.gz`), or keeps the program from
/// ending it.
fn breaks_by_its_code(step: Step<'_>) -> bool {
    let by_code = matches!(
        step.record.result,
        Code::STREAM_CAPTURE_UNSUPPORTED
            | Code::STREAM_CAPTURE_MERGE
            | Code::STREAM_CAPTURE_UNMATCHED
            | Code::STREAM_CAPTURE_UNJOINED
            | Code::STREAM_CAPTURE_ISOLATION
            | Code::STREAM_CAPTURE_IMPLICIT
            | Code::STREAM_CAPTURE_WRONG_THREAD
    );
    let only_asks = matches!(
        step.record.call,
        Call::StreamIsCapturing { .. } | Call::StreamGetCaptureInfo { .. }
    );
    by_code && !only_asks && !step.record.call.begins_capture()
}

/// Whether a recorded result contradicts the model. Results that captures have no part in are not the model's to know.
pub(crate) fn is_contradiction(model: Code, recorded: Code) -> bool {
    let either_is_refusal = model.is_capture_refusal() || recorded.is_capture_refusal();
    either_is_refusal && model != recorded
}
