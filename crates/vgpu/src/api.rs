//! The declared functions, and the identity by which an entry point of CUDA is recorded.

/// A function that the virtual GPU exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApiFunction {
    /// The library it belongs to, e.g. `cudart`.
    pub library: &'static str,
    /// Its exported name.
    pub name: &'static str,
    /// For a runtime function, the driver function that does its work.
    pub driver_name: Option<&'static str>,
    /// For a driver function, the CUDA version from which `cuGetProcAddress` hands it out.
    pub since: Option<u32>,
    /// Whether it does its work; a missing one reports itself and returns the library's "not supported".
    pub implemented: bool,
}

/// Every exported function of the API, by library and name.
pub static TABLE: &[ApiFunction] = include!(concat!(env!("OUT_DIR"), "/table.rs"));

/// An entry point of the runtime or the driver: under which names its calls are recorded, and how it reads stream 0.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    /// Its exported name.
    pub name: &'static str,
    /// The driver function, e.g. `cuStreamSynchronize`.
    pub driver: &'static str,
    /// The runtime function it came through, e.g. `cudaStreamSynchronize`.
    pub runtime: Option<&'static str>,
    /// Whether stream handle 0 means the calling thread's own stream (the `_ptsz` and `_ptds` variants).
    pub per_thread_default: bool,
}

impl Function {
    /// A driver function that a library calls by itself.
    pub const fn driver(name: &'static str) -> Function {
        Function {
            name,
            driver: name,
            runtime: None,
            per_thread_default: false,
        }
    }

    /// The same entry point, doing its work through another driver function: `cudaMemcpyAsync` is one of several.
    #[must_use]
    pub const fn through(&self, driver: &'static str) -> Function {
        Function {
            name: self.name,
            driver,
            runtime: self.runtime,
            per_thread_default: self.per_thread_default,
        }
    }
}

/// The entry points that are implemented, each under its exported name.
#[allow(
    non_upper_case_globals,
    missing_docs,
    reason = "the constants are named after the functions they stand for"
)]
pub mod functions {
    use super::Function;

    include!(concat!(env!("OUT_DIR"), "/functions.rs"));
}
