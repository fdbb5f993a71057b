//! cuBLASLt. Its routines are declared in `api/cublaslt.list`; here are the handle and the choice of an algorithm.
#![expect(unsafe_code, reason = "exports functions of C")]

use std::ffi::{c_char, c_int};

use super::export::{Status, export};
use super::family::CUBLASLT;
use super::own_memory::OwnMemory;
use super::{cublas, handle, version};
use crate::ffi::{Out, called};
use crate::gpu;

/// `CUBLAS_STATUS_NOT_INITIALIZED`, which is what a refused first use returns.
const NOT_INITIALIZED: Status = Status(1);
/// `CUBLAS_STATUS_INVALID_VALUE`.
const INVALID_VALUE: Status = Status(7);

/// `cublasLtMatmulHeuristicResult_t`: an algorithm, and what it needs.
#[repr(C)]
struct Proposal {
    /// `cublasLtMatmulAlgo_t`, which only cuBLASLt reads.
    algorithm: [u64; 8],
    workspace_size: usize,
    state: c_int,
    waves_count: f32,
    reserved: [c_int; 4],
}

const _: () = assert!(size_of::<Proposal>() == 96);

/// The one proposal: it needs no workspace and fills the GPU once.
const PROPOSAL: Proposal = Proposal {
    algorithm: [0; 8],
    workspace_size: 0,
    state: 0,
    waves_count: 1.0,
    reserved: [0; 4],
};

export! { CUBLASLT;
    fn cublasLtCreate(out: Out<usize>) {
        let memory = OwnMemory::at_first_use(&[], &[]).map_err(|_| NOT_INITIALIZED)?;
        out.put_if_wanted(handle::create(memory));
        Ok(())
    }

    fn cublasLtDestroy(handle: usize) {
        handle::destroy(&CUBLASLT, handle)
    }

    fn cublasLtGetProperty(kind: c_int, value: Out<c_int>) {
        version::toolkit().cublas.property(kind, value, INVALID_VALUE.0)
    }

    fn cublasLtMatmulAlgoGetHeuristic(
        _handle: usize, _operation: usize, _a: usize, _b: usize, _c: usize, _d: usize,
        _preference: usize, requested: c_int, results: Out<Proposal>, returned: Out<c_int>,
    ) {
        if requested < 1 {
            return Err(INVALID_VALUE);
        }
        results.put_if_wanted(PROPOSAL);
        returned.put_if_wanted(1);
        Ok(())
    }

    fn cublasLtMatmulAlgoGetIds(
        _handle: usize, _compute: c_int, _scale: c_int, _a: c_int, _b: c_int, _c: c_int, _d: c_int,
        requested: c_int, ids: Out<c_int>, returned: Out<c_int>,
    ) {
        if requested < 1 {
            return Err(INVALID_VALUE);
        }
        ids.put_if_wanted(0);
        returned.put_if_wanted(1);
        Ok(())
    }
}

/// cuBLASLt's version.
#[unsafe(no_mangle)]
extern "C" fn cublasLtGetVersion() -> usize {
    called::note("cublasLtGetVersion");
    usize::try_from(version::toolkit().cublas.ten_thousands()).unwrap_or_default()
}

/// The CUDA runtime that cuBLASLt contains.
#[unsafe(no_mangle)]
extern "C" fn cublasLtGetCudartVersion() -> usize {
    called::note("cublasLtGetCudartVersion");
    usize::try_from(gpu::version::runtime()).unwrap_or_default()
}

/// The name of a status, e.g. `CUBLAS_STATUS_NOT_INITIALIZED`.
#[unsafe(no_mangle)]
extern "C" fn cublasLtGetStatusName(status: c_int) -> *const c_char {
    called::note("cublasLtGetStatusName");
    cublas::status_name(status)
}

/// A text for a status: its name says it.
#[unsafe(no_mangle)]
extern "C" fn cublasLtGetStatusString(status: c_int) -> *const c_char {
    called::note("cublasLtGetStatusString");
    cublas::status_name(status)
}
