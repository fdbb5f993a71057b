//! Variables of the device.

use std::ffi::{CStr, c_void};
use std::sync::{LazyLock, Mutex, PoisonError};

use cgsan_model::Code;
use rustc_hash::FxHashMap;

use crate::memory;

/// A variable: its size, and its memory once it was asked for.
#[derive(Clone, Copy, Debug)]
struct Variable {
    bytes: usize,
    address: Option<u64>,
}

/// Registered variables by the host's symbol.
static REGISTERED: LazyLock<Mutex<FxHashMap<usize, Variable>>> = LazyLock::new(Mutex::default);

/// Variables of modules.
static OF_MODULES: LazyLock<Mutex<FxHashMap<(u64, String), u64>>> = LazyLock::new(Mutex::default);

/// What a variable of a module is taken to need: its code is not read.
const BYTES_IN_MODULE: usize = 1 << 16;

/// `cudaErrorInvalidSymbol`.
const INVALID_SYMBOL: Code = Code(13);

/// Registers a variable.
pub fn register_variable(symbol: *const c_void, bytes: usize) {
    let variable = Variable {
        bytes,
        address: None,
    };
    REGISTERED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(symbol.addr(), variable);
}

/// Where a registered variable lies on the device.
pub fn address_of_variable(symbol: *const c_void) -> Result<u64, Code> {
    let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    let variable = registered.get_mut(&symbol.addr()).ok_or(INVALID_SYMBOL)?;
    if let Some(address) = variable.address {
        return Ok(address);
    }
    let address = memory::allocate_for_module(variable.bytes)?;
    variable.address = Some(address);
    Ok(address)
}

/// The size of a registered variable in bytes.
pub fn size_of_variable(symbol: *const c_void) -> Result<usize, Code> {
    let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    let variable = registered.get(&symbol.addr()).ok_or(INVALID_SYMBOL)?;
    Ok(variable.bytes)
}

/// Where a module's variable lies on the device, and its size in bytes.
pub fn variable_in_module(module: u64, name: &CStr) -> Result<(u64, usize), Code> {
    let mut variables = OF_MODULES.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (module, name.to_string_lossy().into_owned());
    if let Some(address) = variables.get(&key) {
        return Ok((*address, BYTES_IN_MODULE));
    }
    let address = memory::allocate_for_module(BYTES_IN_MODULE)?;
    variables.insert(key, address);
    Ok((address, BYTES_IN_MODULE))
}
