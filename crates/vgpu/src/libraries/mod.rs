//! The entry points of the libraries that PyTorch links to.
//!
//! A library keeps its handles, plans and descriptors as the real one does, allocates and frees when the real one does,
//! and launches kernels under the name of the routine that was asked for. Nothing is computed. Routines that differ
//! only in their name are declared in `api/*.list` and generated ([`family`]); the rest is one module a library.

mod cublas;
mod cublaslt;
mod cudnn;
mod cufft;
mod cufile;
mod cupti;
mod curand;
mod cusolver;
mod cusparse;
mod cusparselt;
mod export;
mod family;
mod handle;
mod nccl;
mod nvjitlink;
mod nvml;
mod nvrtc;
mod nvshmem;
mod object;
mod own_memory;
mod version;

pub(crate) use object::Objects;
pub use version::set_torch;
