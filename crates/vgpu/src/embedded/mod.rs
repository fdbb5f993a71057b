//! CUDA runtimes that are linked into the files of a program, as `nvcc` does unless it is told otherwise (`--cudart static`,
//! <https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/>).
//!
//! Such a runtime asks the driver for tables of functions that have no documentation (`cuGetExportTable`), one of which is
//! to prove that the driver is NVIDIA's. The virtual GPU is not, and does not claim to be. What it does instead is what the
//! loader does for a runtime in a file of its own: it leads the public functions to those of the virtual GPU. Where they are,
//! the file's symbol table says; a file without one is left alone.

mod files;
mod kernels;
mod redirect;
mod symbols;

pub(crate) use files::{is_explained, name_of, parameters_of, stand_in};
