//! Outputs of captured compiled functions that are used after a later call has overwritten them.

use cgsan_finding::Location;
use cgsan_model::ThreadId;
use cgsan_trace::{AgentEvent, StackFrame};
use rustc_hash::FxHashSet;

use crate::activity::{Activity, Operation};
use crate::evidence::Evidence;
use crate::history::{History, Thrown, stack};

/// An output that was used too late.
pub(crate) struct Overwritten<'h, 't> {
    history: &'h History<'t>,
    /// Who used it.
    pub(crate) reader: Reader<'h, 't>,
    /// `None` where PyTorch refuses the use of one that was not told, such as what autograd has kept.
    output: Option<Output<'t>>,
    position: usize,
}

/// Who used an output.
pub(crate) enum Reader<'h, 't> {
    /// An operator, which was given it.
    Operator(&'h Operation<'t>),
    /// Nobody: PyTorch did not let the program.
    Refused(&'h Thrown<'t>),
}

/// What PyTorch says of a use that it refuses (`CUDAGraphTreeManager.format_dealloc_msg`, 2.6 to 2.15).
const REFUSES: &str =
    "accessing tensor output of CUDAGraphs that has been overwritten by a subsequent run";

/// PyTorch's file that runs the graphs of compiled functions.
const TREES: &str = "_inductor/cudagraph_trees.py";

/// PyTorch's folders with what runs compiled functions.
const COMPILED: [&str; 3] = ["_dynamo/", "_functorch/", "_inductor/"];

/// An output, as it was told when it was overwritten.
#[derive(Clone, Copy)]
struct Output<'t> {
    number: u64,
    address: u64,
    /// The stack of the call that returned it.
    made: &'t [StackFrame],
    /// That of the call that overwrote it.
    later: &'t [StackFrame],
    /// Whether that call ran the same graph again.
    again: bool,
    /// Where that was told.
    position: usize,
}

/// The first use of each output, and the last overwritten one where PyTorch refused a use: in an operator, or that ended the program. Who
/// asks for an address alone, such as a report of memory, may go on without.
pub(super) fn overwritten<'h, 't>(
    history: &'h History<'t>,
    activity: &'h Activity<'t>,
) -> Vec<Overwritten<'h, 't>> {
    let mut outputs: Vec<Output<'t>> = Vec::new();
    let mut told: FxHashSet<u64> = FxHashSet::default();
    let mut found = Vec::new();
    for (position, event) in history.trace.agent_events() {
        match event {
            AgentEvent::OutputOverwritten {
                output,
                address,
                made,
                stack,
                again,
            } => {
                outputs.push(Output {
                    number: *output,
                    address: *address,
                    made,
                    later: stack,
                    again: *again,
                    position,
                });
            }
            AgentEvent::OverwrittenRead { output } => {
                let known = outputs.iter().rfind(|it| it.number == *output);
                let known = known.filter(|_| !told.contains(output));
                let reader = known.and_then(|it| reader(history, activity, position, it.address));
                if let Some((known, operation)) = known.zip(reader) {
                    told.insert(*output);
                    found.push(Overwritten {
                        history,
                        reader: Reader::Operator(operation),
                        output: Some(*known),
                        position,
                    });
                }
            }
            _ => {}
        }
    }
    for thrown in &history.thrown {
        let is_meant = thrown.message.contains(REFUSES);
        let refused = || is_in_operator(activity, thrown).then_some(thrown.position);
        let Some(reported) = thrown.reported.or_else(refused).filter(|_| is_meant) else {
            continue;
        };
        let output = outputs.iter().rfind(|it| it.position < reported);
        found.push(Overwritten {
            history,
            reader: Reader::Refused(thrown),
            output: output.copied(),
            position: thrown.position,
        });
    }
    found
}

/// The innermost operator that runs there, if it reads what lies at an address.
fn reader<'h, 't>(
    history: &History<'t>,
    activity: &'h Activity<'t>,
    position: usize,
    address: u64,
) -> Option<&'h Operation<'t>> {
    let thread = history.trace.entries()[position].thread;
    let innermost = innermost(activity, thread, position)?;
    let reads = |it: &Operation<'t>| {
        let mut touches = it.touches().into_iter();
        it.may_work() && touches.any(|touch| touch.does.reads() && touch.tensor.address == address)
    };
    reads(innermost).then_some(innermost)
}

/// Whether it was thrown in an operator that works on what it is given, outside of compiled functions: what is refused inside, those catch
/// themselves.
fn is_in_operator(activity: &Activity<'_>, thrown: &Thrown<'_>) -> bool {
    let is_compiled = |frame| {
        let mut folders = COMPILED.iter();
        folders.any(|folder| stack::is_torch_file(frame, folder))
    };
    let innermost = innermost(activity, thrown.thread, thrown.position);
    let works = innermost.is_some_and(|it| it.may_work() && !it.arguments.is_empty());
    works && !thrown.stack.iter().any(is_compiled)
}

/// The innermost operator that a thread runs there.
fn innermost<'h, 't>(
    activity: &'h Activity<'t>,
    thread: ThreadId,
    position: usize,
) -> Option<&'h Operation<'t>> {
    let behind = activity
        .operations
        .partition_point(|it| it.position < position);
    let before = activity.operations[..behind].iter();
    let mut before = before.rev();
    before.find(|it| it.thread == thread && position <= it.end)
}

impl<'h, 't> Overwritten<'h, 't> {
    /// The line of the call that returned it.
    pub(crate) fn made(&self) -> Option<Location> {
        stack::user_location(self.output?.made)
    }

    /// The line of the call that overwrote it.
    pub(crate) fn later(&self) -> Option<Location> {
        stack::user_location(self.output?.later)
    }

    /// Whether that call ran the same graph again.
    pub(crate) fn again(&self) -> bool {
        self.output.is_some_and(|it| it.again)
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    pub(super) fn evidence(&self) -> Evidence<'h, 't> {
        let mut evidence = Evidence::at(self.history, self.position);
        match &self.reader {
            Reader::Operator(operation) => {
                evidence.thread = Some(operation.thread);
                let stack = operation.stack.map(|it| self.history.trace.stack(it));
                evidence.stack = stack.unwrap_or_default();
            }
            Reader::Refused(thrown) => {
                evidence.thread = Some(thrown.thread);
                // Within a call of a compiled function, the call is what a person can change.
                let is_in_call = thrown
                    .stack
                    .iter()
                    .any(|frame| stack::is_torch_file(frame, TREES));
                let later = self.output.filter(|_| is_in_call).map(|it| it.later);
                let stack = later.unwrap_or(&thrown.stack);
                evidence.stack = stack.to_vec();
                evidence.thrown = Some(thrown);
            }
        }
        evidence
    }
}
