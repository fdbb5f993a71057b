//! How a call goes through the state.

use cgsan_model::{Answer, Call, Code};

use super::state::{Gpu, lock};
use super::{context, fault, record};
use crate::api::Function;
use crate::profile;

/// Makes a call: asks the model, has the effect if the model permits it, and records the call with its result.
pub fn perform<T>(
    function: &Function,
    call: &Call,
    effect: impl FnOnce(&mut Gpu, Answer) -> Result<T, Code>,
) -> Result<T, Code> {
    perform_with_answer(function, call, |gpu, answer| {
        if answer.code.is_success() {
            effect(gpu, answer)
        } else {
            Err(answer.code)
        }
    })
}

/// As [`perform`], for calls that give the program more than a code when they are refused.
pub fn perform_with_answer<T>(
    function: &Function,
    call: &Call,
    effect: impl FnOnce(&mut Gpu, Answer) -> Result<T, Code>,
) -> Result<T, Code> {
    if function.runtime.is_some() {
        context::bind();
    }
    let profiled = if enqueues_nothing(call) {
        profile::call(function)
    } else {
        None
    };
    let result = judge(function, call, effect);
    if let Some(profiled) = profiled {
        profiled.over(result.as_ref().err().copied().unwrap_or(Code::SUCCESS));
    }
    result
}

/// Whether a call is over when the model has answered; the others tell a profiler of their work themselves.
fn enqueues_nothing(call: &Call) -> bool {
    !matches!(
        call,
        Call::Work { .. } | Call::SynchronousWork { .. } | Call::GraphLaunch { .. }
    )
}

fn judge<T>(
    function: &Function,
    call: &Call,
    effect: impl FnOnce(&mut Gpu, Answer) -> Result<T, Code>,
) -> Result<T, Code> {
    let mut gpu = lock();
    if gpu.is_on_unknown_stream(call) {
        record::call(
            function,
            call,
            Code::INVALID_HANDLE,
            gpu.model.any_capture(),
        );
        return Err(Code::INVALID_HANDLE);
    }
    if let Err(code) = fault::answer(call) {
        record::call(function, call, code, gpu.model.any_capture());
        return Err(code);
    }
    let answer = gpu.model.call(cgsan_observe::current_thread(), call);
    let refused = answer.code;
    let result = effect(&mut gpu, answer);
    let code = match &result {
        Ok(_) => refused,
        Err(code) => *code,
    };
    record::call(function, call, code, gpu.model.any_capture());
    if refused.is_success() {
        result
    } else {
        Err(refused)
    }
}

/// Makes a call that has no effect besides its answer.
pub fn call(function: &Function, call: &Call) -> Result<(), Code> {
    perform(function, call, |_, _| Ok(()))
}
