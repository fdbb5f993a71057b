//! PyTorch's observer interface (`ATen/record_function.h`), as its C++ has it.
#![expect(unsafe_code, reason = "calls functions of PyTorch's")]

use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

use crate::modules;

const LIBRARY: &str = "libtorch_cpu.so";

/// The kinds of things that are observed (`at::RecordScope`): room for more than there are.
const SCOPES: usize = 16;

/// `at::RecordScope::FUNCTION`: operators.
const OPERATORS: usize = 0;

/// How many scopes PyTorch's callback has room for (`at::RecordScope::NUM_SCOPES`, 2.5 to 2.11). The three flags lie behind
/// them, so a version with another number is told from this one by the check that the inputs are there.
const TORCH_SCOPES: usize = 10;

/// Called when an operator begins. Returns its first argument, which receives an owned `at::ObserverContext`, here null.
pub type Start =
    extern "C" fn(context: *mut *mut c_void, operator: *const c_void) -> *mut *mut c_void;
/// Called when an operator ends.
pub type End = extern "C" fn(operator: *const c_void, context: *mut c_void);

/// `at::RecordFunctionCallback`. It is passed by value in memory, and room behind it is not looked at.
#[repr(C)]
pub struct Callback {
    start: Start,
    end: End,
    sampling_probability: f64,
    flags: [u8; SCOPES],
}

impl Callback {
    /// A callback for operators, with what they are given and give back.
    pub fn new(start: Start, end: End) -> Callback {
        let mut flags = [0; SCOPES];
        flags[OPERATORS] = 1;
        // `needs_inputs_` and `needs_outputs_`.
        flags[TORCH_SCOPES] = 1;
        flags[TORCH_SCOPES + 1] = 1;
        Callback {
            start,
            end,
            sampling_probability: 1.0,
            flags,
        }
    }
}

type Add = extern "C" fn(Callback) -> u64;
type Switch = extern "C" fn(u64);
type Name = extern "C" fn(*const c_void) -> *const c_char;

/// PyTorch's functions.
pub struct Functions {
    /// `at::addGlobalCallback`.
    pub add: Add,
    /// `at::disableCallback`.
    pub disable: Switch,
    /// `at::reenableCallback`.
    pub enable: Switch,
    /// `at::RecordFunction::name`.
    name: Name,
}

static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();

/// The functions of the loaded PyTorch, which must have been imported whole; `None` if it lacks one.
pub fn functions() -> Option<&'static Functions> {
    FUNCTIONS.get_or_init(find).as_ref()
}

fn find() -> Option<Functions> {
    let symbol = |name: &CStr| modules::symbol(LIBRARY, name);
    let add = symbol(c"_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE")?;
    let disable = symbol(c"_ZN2at15disableCallbackEm")?;
    let enable = symbol(c"_ZN2at16reenableCallbackEm")?;
    let name = symbol(c"_ZNK2at14RecordFunction4nameEv")?;
    // SAFETY: the mangled names say that these are functions with these parameters; their library is never unloaded.
    unsafe {
        Some(Functions {
            add: std::mem::transmute::<usize, Add>(add),
            disable: std::mem::transmute::<usize, Switch>(disable),
            enable: std::mem::transmute::<usize, Switch>(enable),
            name: std::mem::transmute::<usize, Name>(name),
        })
    }
}

/// An operator that is being called: an `at::RecordFunction`, valid during the callback that it was handed to.
#[derive(Clone, Copy)]
pub struct Running(*const c_void);

impl Running {
    /// # Safety
    ///
    /// `operator` is what PyTorch handed to a [`Start`] or [`End`], which has not returned.
    pub unsafe fn new(operator: *const c_void) -> Running {
        Running(operator)
    }

    /// Where it lies, which names it until it ends.
    pub fn address(self) -> usize {
        self.0 as usize
    }

    /// Its name with its namespace, as `aten::add`; what is no UTF-8 is replaced.
    pub fn name(self) -> Option<&'static CStr> {
        let name = (functions()?.name)(self.0);
        // SAFETY: the name of an operator is part of its schema, which is kept while the operator is registered. Those
        // who keep it longer than the call copy it.
        (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })
    }
}
