//! Code of the device: the kernels and variables that programs register, and those of modules loaded at run time.

mod code;
pub(crate) mod linked;
mod registry;
mod variable;

pub(crate) use code::{Kernels, binary, signature};
pub(crate) use registry::{
    Registered, function_in_module, is_function, known, load, name_of, register, resolve, text_of,
    unload,
};
pub(crate) use variable::{
    address_of_variable, register_variable, size_of_variable, variable_in_module,
};
