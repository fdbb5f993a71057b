//! Outputs of captured compiled functions that are used after a later call has overwritten them.

use cgsan_finding::Location;
use cgsan_trace::{AgentEvent, StackFrame};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::activity::{Activity, Operation};
use crate::evidence::Evidence;
use crate::history::{History, Thrown, stack};

/// An output that was used too late.
pub(crate) struct Overwritten<'h, 't> {
    history: &'h History<'t>,
    /// Who used it.
    pub(crate) reader: Reader<'h, 't>,
    /// Whether the same graph was run again.
    pub(crate) again: bool,
    /// The stack of the call that returned it.
    made: &'t [StackFrame],
    /// The stack of the call that overwrote it.
    later: &'t [StackFrame],
    position: usize,
}

/// Who used an output.
pub(crate) enum Reader<'h, 't> {
    /// An operator, which was given it.
    Operator(&'h Operation<'t>),
    /// Nobody: PyTorch does not let anybody.
    Refused(&'h Thrown<'t>),
}

/// What PyTorch says of a use that it refuses (`CUDAGraphTreeManager.format_dealloc_msg`, 2.6 to 2.15).
const REFUSES: &str =
    "accessing tensor output of CUDAGraphs that has been overwritten by a subsequent run";

/// PyTorch's file that runs the graphs of compiled functions.
const TREES: &str = "_inductor/cudagraph_trees.py";

/// An output, as it was told when it was overwritten.
#[derive(Clone, Copy)]
struct Output<'t> {
    address: u64,
    made: &'t [StackFrame],
    stack: &'t [StackFrame],
    again: bool,
}

/// The first use of each output, and the last overwritten one where PyTorch refused a use and that ended the program.
pub(super) fn overwritten<'h, 't>(
    history: &'h History<'t>,
    activity: &'h Activity<'t>,
) -> Vec<Overwritten<'h, 't>> {
    let mut outputs: FxHashMap<u64, Output<'t>> = FxHashMap::default();
    let mut last: Vec<(usize, Output<'t>)> = Vec::new();
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
                let described = Output {
                    address: *address,
                    made,
                    stack,
                    again: *again,
                };
                outputs.insert(*output, described);
                last.push((position, described));
            }
            AgentEvent::OverwrittenRead { output } => {
                let known = outputs.get(output).filter(|_| !told.contains(output));
                let reader = known.and_then(|it| reader(history, activity, position, it.address));
                if let Some((output_of, operation)) = known.zip(reader) {
                    told.insert(*output);
                    let reader = Reader::Operator(operation);
                    found.push(use_of(history, *output_of, reader, position));
                }
            }
            _ => {}
        }
    }
    for thrown in &history.thrown {
        let Some(reported) = thrown.reported.filter(|_| thrown.message.contains(REFUSES)) else {
            continue;
        };
        let before = last.partition_point(|(position, _)| *position < reported);
        if let Some((_, output)) = last[..before].last() {
            let reader = Reader::Refused(thrown);
            found.push(use_of(history, *output, reader, thrown.position));
        }
    }
    found
}

fn use_of<'h, 't>(
    history: &'h History<'t>,
    output: Output<'t>,
    reader: Reader<'h, 't>,
    position: usize,
) -> Overwritten<'h, 't> {
    Overwritten {
        history,
        reader,
        again: output.again,
        made: output.made,
        later: output.stack,
        position,
    }
}

/// The innermost operator that runs there, if it reads what lies at an address.
fn reader<'h, 't>(
    history: &History<'t>,
    activity: &'h Activity<'t>,
    position: usize,
    address: u64,
) -> Option<&'h Operation<'t>> {
    let thread = history.trace.entries()[position].thread;
    let behind = activity
        .operations
        .partition_point(|it| it.position < position);
    let before = activity.operations[..behind].iter();
    let innermost = before
        .rev()
        .find(|it| it.thread == thread && position <= it.end)?;
    let reads = |it: &Operation<'t>| {
        let mut touches = it.touches().into_iter();
        it.may_work() && touches.any(|touch| !touch.writes && touch.tensor.address == address)
    };
    reads(innermost).then_some(innermost)
}

impl<'h, 't> Overwritten<'h, 't> {
    /// The line of the call that returned it.
    pub(crate) fn made(&self) -> Option<Location> {
        stack::user_location(self.made)
    }

    /// The line of the call that overwrote it.
    pub(crate) fn later(&self) -> Option<Location> {
        stack::user_location(self.later)
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
                let stack = if is_in_call {
                    self.later
                } else {
                    &thrown.stack
                };
                evidence.stack = stack.to_vec();
                evidence.thrown = Some(thrown);
            }
        }
        evidence
    }
}
