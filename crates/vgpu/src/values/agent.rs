//! The agent that computes operators, and what it knows of them.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use cgsan_observe::OperatorCall;

use super::computing::computing;
use crate::ffi::python::{Object, Python};
use crate::gpu::interpreter::unless_ended;

/// What the agent computes with.
pub struct Agent {
    /// Called with an operator's name and that of its overload; returns it, whether it draws random numbers, whether values decide on
    /// the shapes of its results, and whether what computes it may be given other numbers; or `None`.
    pub known: Object,
    /// Called with an operator that draws and with what it is given, less tensors; returns what it draws from, or `None` if it draws
    /// nothing this time.
    pub begins: Object,
    /// Called with an operator that has ended; returns whether its values are computed, or what computes them.
    pub prepares: Object,
    /// Whether operators are to be handed over that enqueue nothing, too.
    pub wants_all: bool,
}

static AGENT: OnceLock<Agent> = OnceLock::new();

/// An operator as the agent knows it; `None` for one that it does not know.
pub type Known = Option<&'static Operator>;

/// What the agent knows of an operator.
pub struct Operator {
    /// The operator in Python.
    pub object: Object,
    /// Whether it draws random numbers.
    pub draws: bool,
    /// Whether values decide on the shapes of its results.
    pub has_shapes_of_values: bool,
    /// Whether what computes it is told the numbers that it is given, where these are others than before.
    pub takes_other_numbers: bool,
}

/// An operator's name, and what is known of it.
type Named = (Box<[u8]>, Known);

/// What the agent knows of operators, by the address of their name and by that name, since others may come to lie there.
static KNOWN: Mutex<Option<HashMap<usize, Named>>> = Mutex::new(None);

/// Has operators computed by this agent; whether there was none before.
pub fn compute_with(agent: Agent) -> bool {
    AGENT.set(agent).is_ok()
}

/// What the agent computes with, if operators are computed.
pub fn agent() -> Option<&'static Agent> {
    AGENT.get()
}

/// Whether operators are computed.
pub fn are_computed() -> bool {
    AGENT.get().is_some()
}

/// What the agent knows of the operator that is called.
pub fn known(call: &OperatorCall<'_>, key: usize, name: &[u8]) -> Known {
    {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.as_ref().and_then(|it| it.get(&key));
        if let Some((of, known)) = found
            && **of == *name
        {
            return *known;
        }
    }
    let operator = unless_ended(|| computing(|| ask(call))).flatten();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known
        .get_or_insert_default()
        .insert(key, (name.into(), operator));
    operator
}

fn ask(call: &OperatorCall<'_>) -> Known {
    let (name, overload) = call.full_name()?;
    let agent = agent()?;
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
