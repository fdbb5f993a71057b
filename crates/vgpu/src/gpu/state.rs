//! The one state, its lock, and how a call goes through it.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use cgsan_model::{Answer, Call, Code, Model};

use super::{context, record};
use crate::api::Function;
use crate::event::Events;
use crate::graph::Graphs;

/// What the virtual GPU knows, apart from its memory.
#[derive(Default)]
pub struct Gpu {
    /// Who captures, in which mode, and what the driver answers.
    pub model: Model,
    /// The graphs, and what their nodes do.
    pub graphs: Graphs,
    /// When events happened.
    pub events: Events,
}

static GPU: LazyLock<Mutex<Gpu>> = LazyLock::new(Mutex::default);

/// The state, for reading or for what needs no permission. A panic of an earlier holder left it usable: every change
/// is made by the model or is a single insertion.
pub fn lock() -> MutexGuard<'static, Gpu> {
    GPU.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a call: asks the model, has the effect if the model permits it, and records the call with its result.
pub fn perform<T>(
    function: &Function,
    call: &Call,
    effect: impl FnOnce(&mut Gpu, Answer) -> Result<T, Code>,
) -> Result<T, Code> {
    if function.runtime.is_some() {
        context::bind();
    }
    let mut gpu = lock();
    let answer = gpu.model.call(cgsan_observe::current_thread(), call);
    let result = if answer.code.is_success() {
        effect(&mut gpu, answer)
    } else {
        Err(answer.code)
    };
    let code = result.as_ref().err().copied().unwrap_or(Code::SUCCESS);
    record::call(function, call, code);
    result
}

/// Makes a call that has no effect besides its answer.
pub fn call(function: &Function, call: &Call) -> Result<(), Code> {
    perform(function, call, |_, _| Ok(()))
}
