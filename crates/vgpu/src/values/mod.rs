//! Values: what PyTorch's operators compute is computed on the host, in the memory of the virtual GPU.
//!
//! PyTorch reports each operator when it begins and when it ends, whoever called it and in whatever thread. The innermost one whose own
//! kernels were launched is computed: by the agent, in Python, which says if it cannot; then the operator is computed that called it.

pub mod agent;
pub mod computing;
mod describe;
mod frames;
pub mod missing;
mod reuse;
pub mod size;
pub mod turn;

use std::cell::Cell;

use cgsan_observe::sealed::is_sealed;
use cgsan_observe::{Follower, Given, OperatorCall};

use self::agent::{Agent, Operator, agent, known};
use self::computing::{computing, is_computing};
use self::describe::Values;
use self::frames::Frame;
use self::reuse::{Ended, Found};
use crate::ffi::python::{Object, Python};
use crate::gpu::computation::{self, Computation};
use crate::gpu::interpreter::unless_ended;
use crate::gpu::tally::{self, Tally};

/// Has operators computed from now on, by this agent. Whether that is possible.
pub fn compute_with(agent: Agent) -> bool {
    agent::compute_with(agent)
        && cgsan_observe::follow_operators(Follower {
            begins: on_begin,
            ends: on_end,
            computes: is_computing,
        })
}

/// A kernel begins to be launched that is no operator's, and that the caller computes.
pub fn begin_launch() {
    frames::push(Frame::of_launch());
}

/// It was launched; what it has enqueued.
pub fn end_launch() -> Tally {
    frames::pop(frames::LAUNCH).map_or_else(Tally::default, |frame| frames::leave(&frame))
}

fn on_begin(call: &OperatorCall<'_>) {
    if is_computing() || size::is_full() || is_sealed() {
        return;
    }
    let Some(operator) = call.key().and_then(|(key, name)| known(call, key, name)) else {
        return;
    };
    let python = Cell::new(None);
    let enter = || describe::enter(&python);
    let given = Values(call.arguments(&enter));
    let source = operator.draws.then(|| begins(operator, &given)).flatten();
    frames::push(Frame::new(call.address(), operator, given, source));
}

fn begins(operator: &Operator, given: &Values) -> Option<Object> {
    let agent = agent()?;
    let ask = || {
        let python = Python::enter()?;
        let given = given.plain(&python);
        let source = python.call(&agent.begins, [python.same(&operator.object), given])?;
        (!python.is_none(&source)).then_some(source)
    };
    unless_ended(|| computing(ask)).flatten()
}

fn on_end(call: &OperatorCall<'_>) {
    if is_computing() {
        return;
    }
    let Some(frame) = frames::pop(call.address()) else {
        return;
    };
    let done = frames::leave(&frame);
    let Some(agent) = agent() else { return };
    // The host computes where nothing is enqueued, neither by the operator nor by those that it calls.
    let is_wanted = agent.wants_all && (done.works > 0 || !frame.calls_work);
    if done.kernels == 0 && !is_wanted {
        if done.works > 0 {
            note_computed(&call.results(&|| false), &[]);
        }
        return;
    }
    let is_computed = unless_ended(|| computing(|| ends(agent, call, frame, done)));
    if done.kernels == 0 {
        return;
    }
    if !is_computed.unwrap_or(true) {
        frames::leave_to_caller(done);
    }
}

/// Has an operator's values computed, now or when it is their turn; whether they are.
fn ends(agent: &Agent, call: &OperatorCall<'_>, frame: Frame, mut done: Tally) -> bool {
    let Some(python) = Python::enter() else {
        return false;
    };
    let Some(operator) = frame.operator else {
        return false;
    };
    computation::tidy(&python);
    let results = Values(call.results(&|| true));
    // Its caller needs the sizes; of sparse tensors, those of the parts.
    done.waited |= operator.has_shapes_of_values || have_parts(&results.0);
    let when = turn::decided(done);
    if done.works > 0 {
        note_computed(&results.0, &frame.given.0);
    }
    let ended = Ended {
        operator,
        is_later: when % turn::MOVED != turn::NOW,
        is_outermost: frames::is_outermost(),
        draws: frame.source.is_some(),
    };
    // What an operator that it called could not do, it is asked for as a whole.
    let draws_at_replays = frame.source.is_some() && done.capture.is_some();
    let found = if agent.wants_all || draws_at_replays || frame.is_asked_next {
        Found::New
    } else {
        reuse::find(ended, &frame.given, &results)
    };
    let again = match found {
        Found::Known(computation) => {
            let computation = computation.drawing_from(frame.source);
            return computed(&python, call, done, ended, &computation);
        }
        Found::Again(hash) => Some(hash),
        Found::New => None,
    };
    let answer = python.call(
        &agent.prepares,
        [
            python.same(&operator.object),
            frame.given.described(&python),
            results.described(&python),
            python.integer(when.into()),
            frame
                .source
                .as_ref()
                .map_or_else(|| python.none(), |it| python.same(it)),
            python.boolean(ended.is_outermost),
        ],
    );
    let Some([computation, is_done, is_same_again, belongs_to]) =
        answer.and_then(|it| python.elements(&it))
    else {
        return false;
    };
    if python.is_none(&computation) {
        return python.is_true(&is_done);
    }
    let used = [&frame.given.0[..], &results.0];
    let memory = memory_of(&used);
    let beside = needed_beside(operator.draws, &used, &memory);
    let computation = Computation::new(computation, memory, beside);
    if let Some(hash) = again
        && python.is_true(&is_same_again)
    {
        reuse::keep(hash, ended, frame.given, results, computation.clone());
    }
    let computation = computation.drawing_from(frame.source);
    if !ended.is_later {
        return computed(&python, call, done, ended, &computation);
    }
    if let Some(capture) = turn::later(computation)
        && !python.is_none(&belongs_to)
    {
        python.call(&belongs_to, [python.unsigned(capture.0)]);
    }
    python.is_true(&is_done)
}

/// Computes an operator's values, or has them computed when it is their turn; whether that could be done.
fn computed(
    python: &Python,
    call: &OperatorCall<'_>,
    done: Tally,
    ended: Ended,
    computation: &Computation,
) -> bool {
    if ended.is_later {
        turn::later(computation.clone());
        return true;
    }
    let objects = done.waited.then(|| {
        let objects = call.result_objects().into_iter();
        python.list(
            objects
                .map(|it| describe::owned(python, it))
                .collect::<Vec<_>>(),
        )
    });
    let answer = computation.call(python, objects);
    answer.is_some_and(|it| python.is_true(&it))
}

/// The storages of tensors of the GPU, each once: where they start, and their bytes.
fn memory_of(values: &[&[Given]]) -> Vec<(u64, u64)> {
    fn add(values: &[Given], found: &mut Vec<(u64, u64)>) {
        for value in values {
            match value {
                Given::Tensor(tensor) if tensor.on_gpu && tensor.bytes > 0 => {
                    found.push((tensor.address as u64, tensor.bytes as u64));
                }
                Given::List(values) => add(values, found),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    for values in values {
        add(values, &mut found);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// How many bytes a computation needs beside the memory of its tensors, as far as was measured with PyTorch 2.11 on tensors of a
/// gigabyte: up to 28 for each number that is drawn (bits, and what is made of them step by step), and three times the largest tensor
/// in other operators (half precision in a wider type).
fn needed_beside(draws: bool, used: &[&[Given]], memory: &[(u64, u64)]) -> u64 {
    const FOR_A_DRAWN_NUMBER: u64 = 28;
    const FOR_OTHERS: u64 = 3;
    if !draws {
        let largest = memory.iter().map(|(_, bytes)| *bytes).max();
        return largest.unwrap_or(0).saturating_mul(FOR_OTHERS);
    }
    let most = used.iter().copied().flatten().map(elements).max();
    most.unwrap_or(0).saturating_mul(FOR_A_DRAWN_NUMBER)
}

/// The elements of a tensor of the GPU; of a list, those of the largest.
fn elements(value: &Given) -> u64 {
    match value {
        Given::Tensor(tensor) if tensor.on_gpu => {
            let (sizes, _) = tensor.shape.split_at(tensor.shape.len() / 2);
            let sizes = sizes.iter().map(|size| size.unsigned_abs());
            sizes.fold(1, u64::saturating_mul)
        }
        Given::List(values) => values.iter().map(elements).max().unwrap_or(0),
        _ => 0,
    }
}

/// Whether one may consist of several tensors, as sparse ones do.
fn have_parts(values: &[Given]) -> bool {
    values.iter().any(|value| match value {
        Given::Object(_) => true,
        Given::List(values) => have_parts(values),
        _ => false,
    })
}

/// What an operator gives back is computed, or what it was given if it gives nothing back.
fn note_computed(results: &[Given], given: &[Given]) {
    let written = if results.is_empty() { given } else { results };
    for value in written {
        match value {
            Given::Tensor(tensor) => tally::note_computed(tensor.address as u64),
            Given::List(values) => note_computed(values, &[]),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use cgsan_observe::GivenTensor;

    use super::*;

    #[test]
    fn drawing_needs_memory_by_the_number_and_not_by_the_byte() {
        let half = Given::Tensor(GivenTensor {
            address: 0x1000,
            bytes: 2000,
            offset: 0,
            on_gpu: true,
            dtype: 5,
            shape: vec![10, 100, 100, 1],
            held: None,
        });
        let used = [&[][..], &[Given::List(vec![half])]];
        let memory = memory_of(&used);
        assert_eq!(memory, [(0x1000, 2000)]);
        assert_eq!(needed_beside(true, &used, &memory), 28_000);
        assert_eq!(needed_beside(false, &used, &memory), 6000);
    }
}
