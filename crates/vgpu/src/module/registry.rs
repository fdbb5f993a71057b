//! Kernels by handle.
//!
//! A program registers tens of thousands of kernels when it loads and launches a few hundred. So registering only
//! stores two pointers, and a kernel is looked up and named at its first launch.
#![expect(unsafe_code, reason = "reads the names that the compiler registered")]

use std::collections::hash_map::Entry;
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use cgsan_model::{Code, FunctionId};
use cgsan_observe::launches::{Known, Parameter};
use rustc_hash::FxHashMap;

use super::{Kernels, binary};
use crate::embedded;
use crate::gpu::handle;

/// A kernel as the compiler's start-up code registers it.
#[derive(Clone, Copy, Debug)]
pub struct Registered {
    /// The address of the function that stands for it in the host's code.
    symbol: *const c_void,
    /// Its mangled name: static data of the program.
    name: *const c_char,
    /// What was registered of the binary with its code.
    binary: *const c_void,
}

impl Registered {
    /// # Safety
    ///
    /// `name` is null or static text that ends in a null byte, and `binary` null or what is registered of a binary, likewise static.
    pub unsafe fn new(
        symbol: *const c_void,
        name: *const c_char,
        binary: *const c_void,
    ) -> Registered {
        Registered {
            symbol,
            name,
            binary,
        }
    }
}

// SAFETY: all point to static data of a loaded library, which any thread may read.
unsafe impl Send for Registered {}

/// Kernels in the order in which they were registered.
static REGISTERED: Mutex<Vec<Registered>> = Mutex::new(Vec::new());

/// Kernels that were used, and the functions of modules, by handle.
static USED: LazyLock<Mutex<Used>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Used {
    functions: FxHashMap<u64, Function>,
    modules: FxHashMap<u64, Module>,
}

/// A kernel that was used.
#[derive(Debug)]
struct Function {
    known: Known,
    /// Where its parameters are to be looked up when they are asked for.
    code: Option<Unread>,
}

/// Code that was not read yet.
#[derive(Clone, Copy, Debug)]
enum Unread {
    /// What was registered of a binary, by its address.
    Binary(usize),
    /// The file that the kernel's function is in.
    File,
}

/// A loaded module.
struct Module {
    kernels: Kernels,
    /// The handles of its functions by name.
    functions: FxHashMap<String, u64>,
}

fn used() -> MutexGuard<'static, Used> {
    USED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registers a kernel.
pub fn register(kernel: Registered) {
    REGISTERED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(kernel);
}

/// The identity of the kernel behind a handle: a registered symbol, or a function of a module. It is named in the trace
/// the first time.
pub fn resolve(function: u64) -> Option<FunctionId> {
    if let Entry::Vacant(vacant) = used().functions.entry(function) {
        let (name, code) = find_registered(function).or_else(|| {
            let name = embedded::name_of(function)?;
            Some((name.into_boxed_c_str(), Unread::File))
        })?;
        cgsan_observe::define_function(FunctionId(function), &name.to_string_lossy());
        let known = Known {
            name: name.into(),
            parameters: None,
        };
        let code = Some(code);
        vacant.insert(Function { known, code });
    }
    Some(FunctionId(function))
}

/// Whether a handle is a kernel's.
pub fn is_function(function: u64) -> bool {
    resolve(function).is_some()
}

/// The name of a kernel that was resolved; lives as long as the program.
pub fn name_of(function: u64) -> Option<*const c_char> {
    resolve(function)?;
    // It is never removed nor changed, so what it points to stays where it is.
    used()
        .functions
        .get(&function)
        .map(|function| function.known.name.as_ptr())
}

/// The name of a kernel that was resolved, as text.
pub fn text_of(function: u64) -> Option<String> {
    let used = used();
    let function = used.functions.get(&function)?;
    Some(function.known.name.to_string_lossy().into_owned())
}

/// What is known of a kernel that was resolved. Its code is read the first time.
pub fn known(function: u64) -> Option<Known> {
    let (mut known, code) = {
        let used = used();
        let it = used.functions.get(&function)?;
        (it.known.clone(), it.code)
    };
    if let Some(code) = code {
        known.parameters = code.parameters(function, &known.name);
        if let Some(it) = used().functions.get_mut(&function) {
            it.known.parameters.clone_from(&known.parameters);
            it.code = None;
        }
    }
    Some(known)
}

impl Unread {
    fn parameters(self, function: u64, name: &CStr) -> Option<Arc<[Parameter]>> {
        let Unread::Binary(address) = self else {
            return embedded::parameters_of(function);
        };
        if address == 0 {
            return None;
        }
        let registered = std::ptr::with_exposed_provenance(address);
        // SAFETY: by the contract of `Registered::new`.
        let bytes = unsafe { binary::bytes(registered) }?;
        binary::parameters(bytes, &name.to_string_lossy())
    }
}

fn find_registered(symbol: u64) -> Option<(Box<CStr>, Unread)> {
    let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    let kernel = registered
        .iter()
        .rev()
        .find(|kernel| kernel.symbol.addr() as u64 == symbol)?;
    if kernel.name.is_null() {
        return None;
    }
    // SAFETY: by the contract of `new`.
    let name = unsafe { CStr::from_ptr(kernel.name) };
    Some((
        name.into(),
        Unread::Binary(kernel.binary.expose_provenance()),
    ))
}

/// Loads a module with these kernels, of those that their code tells.
pub fn load(kernels: Kernels) -> u64 {
    let module = handle::fresh();
    let functions = FxHashMap::default();
    used().modules.insert(module, Module { kernels, functions });
    module
}

/// Unloads a module. Its functions keep their names: a graph may still hold them.
pub fn unload(module: u64) -> Result<(), Code> {
    used()
        .modules
        .remove(&module)
        .map(drop)
        .ok_or(Code::INVALID_HANDLE)
}

/// The handle of a module's function. Every name is taken to be there.
pub fn function_in_module(module: u64, name: &CStr) -> Result<u64, Code> {
    let mut used = used();
    let Used { functions, modules } = &mut *used;
    let module = modules.get_mut(&module).ok_or(Code::INVALID_HANDLE)?;
    let text = name.to_string_lossy();
    if let Some(function) = module.functions.get(text.as_ref()) {
        return Ok(*function);
    }
    let function = handle::fresh();
    cgsan_observe::define_function(FunctionId(function), &text);
    let known = Known {
        name: name.into(),
        parameters: module.kernels.parameters(&text),
    };
    module.functions.insert(text.into_owned(), function);
    functions.insert(function, Function { known, code: None });
    Ok(function)
}
