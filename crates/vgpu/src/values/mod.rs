//! Values: what PyTorch's operators compute is computed on the host, in the memory of the virtual GPU.
//!
//! PyTorch reports each operator when it begins and when it ends, whoever called it and in whatever thread. The innermost one whose own
//! kernels were launched is computed: by the agent, in Python, which says if it cannot; then the operator is computed that called it.

mod describe;
mod frames;
pub mod missing;
mod reuse;
pub mod size;
pub mod turn;

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use cgsan_observe::sealed::is_sealed;
use cgsan_observe::{Follower, Given, OperatorCall};
use cgsan_trace::waits;

use self::describe::Values;
use self::frames::Frame;
use self::reuse::{Ended, Found};
use crate::ffi::python::{Object, Python};
use crate::gpu::tally::{self, Tally};
use crate::gpu::values;
use crate::gpu::values::Computation;

/// What the agent computes with.
struct Agent {
    /// Called with an operator's name and that of its overload; returns it, whether it draws random numbers, whether values decide on
    /// the shapes of its results, and whether what computes it may be given other numbers; or `None`.
    known: Object,
    /// Called with an operator that draws and with what it is given, less tensors; returns what it draws from, or `None` if it draws
    /// nothing this time.
    begins: Object,
    /// Called with an operator that has ended; returns whether its values are computed, or what computes them.
    prepares: Object,
    /// Whether operators are to be handed over that enqueue nothing, too.
    wants_all: bool,
}

static AGENT: OnceLock<Agent> = OnceLock::new();

/// An operator as the agent knows it; `None` for one that it does not know.
type Known = Option<&'static Operator>;

struct Operator {
    object: Object,
    draws: bool,
    has_shapes_of_values: bool,
    /// Whether what computes it is told the numbers that it is given, where these are others than before.
    takes_other_numbers: bool,
}

/// An operator's name, and what is known of it.
type Named = (Box<[u8]>, Known);

/// What the agent knows of operators, by the address of their name and by that name, since others may come to lie there.
static KNOWN: Mutex<Option<HashMap<usize, Named>>> = Mutex::new(None);

thread_local! {
    /// Whether this thread computes: what it calls meanwhile is not the program's.
    static COMPUTES: Cell<bool> = const { Cell::new(false) };
}

/// Has operators computed from now on, by these functions of the agent's. Whether that is possible.
pub fn compute_with(known: Object, begins: Object, prepares: Object, wants_all: bool) -> bool {
    let agent = Agent {
        known,
        begins,
        prepares,
        wants_all,
    };
    AGENT.set(agent).is_ok()
        && cgsan_observe::follow_operators(Follower {
            begins: on_begin,
            ends: on_end,
            computes: || COMPUTES.get(),
        })
}

/// Whether operators are computed.
pub fn are_computed() -> bool {
    AGENT.get().is_some()
}

/// Runs what computes values: what it calls is not the program's.
pub fn computing<R>(compute: impl FnOnce() -> R) -> R {
    if COMPUTES.replace(true) {
        return compute();
    }
    let start = Instant::now();
    let computes = cgsan_observe::waiting(waits::COMPUTES);
    let result = compute();
    drop(computes);
    COMPUTES.set(false);
    size::took(start.elapsed());
    result
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
    if COMPUTES.get() || size::is_full() || is_sealed() {
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
    let agent = AGENT.get()?;
    let ask = || {
        let python = Python::enter()?;
        let given = given.plain(&python);
        let source = python.call(&agent.begins, [python.same(&operator.object), given])?;
        (!python.is_none(&source)).then_some(source)
    };
    values::unless_ended(|| computing(ask)).flatten()
}

fn on_end(call: &OperatorCall<'_>) {
    if COMPUTES.get() {
        return;
    }
    let Some(frame) = frames::pop(call.address()) else {
        return;
    };
    let done = frames::leave(&frame);
    let Some(agent) = AGENT.get() else { return };
    // The host computes where nothing is enqueued, neither by the operator nor by those that it calls.
    let is_wanted = agent.wants_all && (done.works > 0 || !frame.calls_work);
    if done.kernels == 0 && !is_wanted {
        if done.works > 0 {
            note_computed(&call.results(&|| false), &[]);
        }
        return;
    }
    let is_computed = values::unless_ended(|| computing(|| ends(agent, call, frame, done)));
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
    values::tidy(&python);
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

/// What the agent knows of the operator that is called.
fn known(call: &OperatorCall<'_>, key: usize, name: &[u8]) -> Known {
    {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.as_ref().and_then(|it| it.get(&key));
        if let Some((of, known)) = found
            && **of == *name
        {
            return *known;
        }
    }
    let operator = values::unless_ended(|| computing(|| ask(call))).flatten();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known
        .get_or_insert_default()
        .insert(key, (name.into(), operator));
    operator
}

fn ask(call: &OperatorCall<'_>) -> Known {
    let (name, overload) = call.full_name()?;
    let agent = AGENT.get()?;
    let python = Python::enter()?;
    let answer = python.call(&agent.known, [python.text(&name), python.text(&overload)])?;
    let [object, draws, has_shapes, takes_other_numbers] = python.elements(&answer)?;
    // Operators stay as long as the process, and so does what is known of them.
    Some(Box::leak(Box::new(Operator {
        object,
        draws: python.is_true(&draws),
        has_shapes_of_values: python.is_true(&has_shapes),
        takes_other_numbers: python.is_true(&takes_other_numbers),
    })))
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
