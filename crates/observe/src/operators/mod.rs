//! Operators of PyTorch, seen through its own observer interface: what each is given, gives back, and does to CUDA.
//!
//! ```text
//! off ─cgsan_operators_probe─▶ probing ─cgsan_operators_ready─▶ on ◀─▶ paused (between windows)
//!                                │
//!                                └ not understood ─▶ off
//! ```
//!
//! While probing, the agent calls operators whose arguments it knows, from which `layout` learns where things lie. Nothing
//! is read by a layout that was not found.
#![expect(unsafe_code, reason = "is called by PyTorch")]

mod abi;
mod follow;
mod given;
mod groups;
mod host_results;
pub(crate) mod kernels;
pub mod launches;
mod layout;
mod open;
mod overwritten;
mod value;

use std::ffi::c_void;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::memory::{Checked, Trusted};
use crate::recorder::Recorder;
use crate::sealed::is_sealed;
use crate::{note, state};

use self::abi::Running;
use self::follow::Call;
use self::layout::{Known, Layout};
use self::value::Values;

pub use self::follow::{Call as OperatorCall, Follower, follow, leave_unrecorded};
pub use self::given::{Given, Object, Tensor as GivenTensor};
pub(crate) use self::groups::add as add_group;
pub(crate) use self::host_results::add as add_host_result;
pub(crate) use self::open::{
    Begun, any_unwritten, innermost_copied_into, innermost_storages, innermost_works, tensors,
    unwritten,
};
pub(crate) use self::overwritten::tell_reads;

const OFF: u8 = 0;
const PROBING: u8 = 1;
const ON: u8 = 2;
const PAUSED: u8 = 3;

/// What PyTorch calls the way from an operator to a dispatch mode or a subclass, which are written in Python (`PyInterpreter.cpp`,
/// 2.11). It is no operator.
const INTO_PYTHON: [&[u8]; 2] = [b"PythonDispatchMode", b"PythonSubclass"];
/// How the names begin that PyTorch gives calls of compiled functions for its profiler (`torch/_dynamo/convert_frame.py`,
/// `torch/_inductor/output_code.py`, 2.11). They are no operators, and what runs in them is outermost.
const COMPILED: [&[u8]; 2] = [b"Torch-Compiled Region", b"## Call CompiledFxGraph"];

static STATE: AtomicU8 = AtomicU8::new(OFF);
/// PyTorch's name of the callback.
static HANDLE: AtomicU64 = AtomicU64::new(0);
static LAYOUT: OnceLock<(Layout, Trusted)> = OnceLock::new();
static PROBE: Mutex<Option<Probe>> = Mutex::new(None);

/// What is being found out.
struct Probe {
    known: Known,
    memory: Checked,
    layout: Layout,
    /// How many operators the agent has called.
    calls: u32,
    /// Whether all that was looked for was found.
    understood: bool,
}

/// What the agent calls, in this order.
const ADD_INTEGER: u32 = 1;
const ADD_FLOAT: u32 = 2;
const SUM: u32 = 3;
const GELU: u32 = 4;
const ADD_COMPLEX: u32 = 5;

/// Begins to learn from the operators that the agent calls next. Whether that is possible.
pub fn probe(json: &str) -> bool {
    if is_sealed() || STATE.load(Ordering::Relaxed) != OFF {
        return false;
    }
    let (Ok(known), Ok(memory), Some(functions)) = (
        serde_json::from_str::<Known>(json),
        Checked::open(),
        abi::functions(),
    ) else {
        return false;
    };
    let mut layout = Layout::default();
    let understood = layout.learn_objects(&memory, &known).is_some();
    if !understood {
        return false;
    }
    *lock() = Some(Probe {
        known,
        memory,
        layout,
        calls: 0,
        understood,
    });
    STATE.store(PROBING, Ordering::SeqCst);
    let handle = (functions.add)(abi::Callback::new(on_begin, on_end));
    HANDLE.store(handle, Ordering::SeqCst);
    true
}

/// Why operators are not observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlearnt {
    /// PyTorch did not report the operators that were called to learn from.
    NotReported,
    /// What it reported is not laid out in any way that is known.
    NotUnderstood,
}

impl fmt::Display for Unlearnt {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::NotReported => {
                "PyTorch's reports of operators were turned off when it set up CUDA"
            }
            Self::NotUnderstood => "this version of PyTorch is not understood",
        })
    }
}

/// Ends the learning. Operators are observed from now on, if nothing stands against it.
pub fn ready() -> Result<(), Unlearnt> {
    if STATE.load(Ordering::SeqCst) != PROBING {
        return Err(Unlearnt::NotReported);
    }
    let probed = lock().take();
    let calls = probed.as_ref().map_or(0, |probe| probe.calls);
    let learnt = probed.filter(|probe| {
        probe.understood && probe.calls == ADD_COMPLEX && probe.layout.operator.results != 0
    });
    let Some(probe) = learnt else {
        STATE.store(OFF, Ordering::SeqCst);
        switch(false);
        return Err(match calls {
            0 => Unlearnt::NotReported,
            _ => Unlearnt::NotUnderstood,
        });
    };
    // SAFETY: the layout was found in objects of the running PyTorch, and is used on those that an operator is given, which
    // live until it returns.
    let memory = unsafe { Trusted::after_check() };
    let _ = LAYOUT.set((probe.layout, memory));
    STATE.store(ON, Ordering::SeqCst);
    Ok(())
}

/// Says, once, that operators are not observed.
pub fn give_up(reason: Unlearnt) {
    note(&format!(
        "operators of PyTorch were not watched ({reason}): replays were not judged, only captures"
    ));
}

/// Observes operators again, or no longer. The cost between windows is that of no observer.
pub(crate) fn pause(paused: bool) {
    let (from, to) = if paused { (ON, PAUSED) } else { (PAUSED, ON) };
    if STATE
        .compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst)
        .is_ok()
        && !follow::is_followed()
    {
        switch(!paused);
    }
}

/// Whether operators can be observed, now or in a later window.
pub(crate) fn are_known() -> bool {
    STATE.load(Ordering::Relaxed) >= ON
}

/// In a sealed child: operators are neither observed nor followed from now on.
pub(crate) fn seal() {
    STATE.store(OFF, Ordering::SeqCst);
}

fn switch(on: bool) {
    if let Some(functions) = abi::functions() {
        let handle = HANDLE.load(Ordering::SeqCst);
        if on {
            (functions.enable)(handle);
        } else {
            (functions.disable)(handle);
        }
    }
}

fn lock() -> std::sync::MutexGuard<'static, Option<Probe>> {
    PROBE.lock().unwrap_or_else(PoisonError::into_inner)
}

extern "C" fn on_begin(context: *mut *mut c_void, operator: *const c_void) -> *mut *mut c_void {
    if !context.is_null() {
        // SAFETY: PyTorch passes room for the pointer that it takes over; null is none.
        unsafe { context.write(std::ptr::null_mut()) };
    }
    // SAFETY: PyTorch has just called this with the operator.
    guarded(|| begins(unsafe { Running::new(operator) }));
    context
}

extern "C" fn on_end(operator: *const c_void, _context: *mut c_void) {
    // SAFETY: as above.
    guarded(|| ends(unsafe { Running::new(operator) }));
}

/// Runs what must not unwind into PyTorch.
fn guarded(what: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(what)).is_err() {
        pause(true);
        STATE.store(OFF, Ordering::SeqCst);
    }
}

fn begins(operator: Running) {
    let state = STATE.load(Ordering::Relaxed);
    if state == PROBING {
        learn(operator, false);
    }
    let Some(call) = understood(operator, state) else {
        return;
    };
    follow::begins(&call);
    if state == ON && state::is_recording() && !follow::are_unrecorded() {
        note_begun(&call);
    }
}

/// The call of an operator, if it is known by now how to read that.
fn understood(operator: Running, state: u8) -> Option<Call<'static>> {
    let (layout, memory) = LAYOUT.get().filter(|_| matches!(state, ON | PAUSED))?;
    Some(Call {
        operator,
        layout,
        memory,
    })
}

fn note_begun(call: &Call<'_>) {
    let Call {
        operator,
        layout,
        memory,
    } = *call;
    let Some(name) = operator.name() else { return };
    if INTO_PYTHON.contains(&name.to_bytes()) {
        state::with(Recorder::python_begins);
        return;
    }
    if COMPILED.iter().any(|it| name.to_bytes().starts_with(it)) {
        return;
    }
    let values = Values { layout, memory };
    let at = operator.address();
    let mut arguments = values.arguments(at);
    if name.to_bytes().ends_with(b"_") {
        values.keep_element(at, &mut arguments);
    }
    groups::name(name.to_bytes(), &mut arguments, |index| {
        values.word(at, index)
    });
    open::begin(Begun {
        operator: at,
        name,
        arguments,
        written: false,
        works: false,
    });
    if overwritten::are_any() {
        let read = overwritten::among(&values.storages(at));
        state::with(|recorder| recorder.overwritten_read(&read));
    }
}

fn ends(operator: Running) {
    let state = STATE.load(Ordering::Relaxed);
    if state == PROBING {
        learn(operator, true);
    }
    let Some(call) = understood(operator, state) else {
        return;
    };
    // Who follows may give results other memory.
    follow::ends(&call);
    note_ended(&call);
}

fn note_ended(call: &Call<'_>) {
    let Call {
        operator,
        layout,
        memory,
    } = *call;
    let Some(ended) = open::end(operator.address()) else {
        return;
    };
    if ended.begun.written || ended.outermost {
        let results = Values { layout, memory }.results(operator.address());
        state::with(|recorder| recorder.operator_ended(&ended.begun, results));
    }
}

/// Learns from a call of the agent's, as far as it is one.
fn learn(operator: Running, at_end: bool) {
    let name = operator.name().map(std::ffi::CStr::to_bytes);
    let mut slot = lock();
    let Some(probe) = slot.as_mut() else { return };
    let Probe {
        known,
        memory,
        layout,
        calls,
        understood,
    } = probe;
    let at = operator.address();
    let found = match (name, at_end, *calls) {
        (Some(b"aten::add"), false, 0) => {
            *calls = ADD_INTEGER;
            layout.learn_arguments(memory, known, at)
        }
        (Some(b"aten::add"), true, ADD_INTEGER) => layout.learn_results(memory, at),
        (Some(b"aten::add"), false, ADD_INTEGER) => {
            *calls = ADD_FLOAT;
            layout.learn_float(memory, known, at)
        }
        (Some(b"aten::sum"), false, ADD_FLOAT) => {
            *calls = SUM;
            layout.learn_list(memory, known, at)
        }
        (Some(b"aten::gelu"), false, SUM) => {
            *calls = GELU;
            layout.learn_text(memory, known, at)
        }
        (Some(b"aten::add"), false, GELU) => {
            *calls = ADD_COMPLEX;
            layout.learn_complex(memory, known, at)
        }
        _ => return,
    };
    *understood &= found.is_some();
}
