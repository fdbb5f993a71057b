//! cuSPARSE. Its routines are declared in `api/cusparse.list`; here are the handle, the sparse matrices, whose sizes are
//! asked for, and the product of two of them, whose phases are one function called twice.
#![expect(unsafe_code, reason = "exports functions of C")]

use std::ffi::{c_char, c_int};

use super::export::{Status, export};
use super::family::CUSPARSE;
use super::object::Objects;
use super::own_memory::OwnMemory;
use super::{handle, version};
use crate::ffi::{Out, called};
use crate::gpu::{self, StreamHandle};

/// `CUSPARSE_STATUS_NOT_INITIALIZED`, which is what a refused first use returns.
const NOT_INITIALIZED: Status = Status(1);
/// `CUSPARSE_STATUS_INVALID_VALUE`.
const INVALID_VALUE: c_int = 3;

/// How large a buffer a phase of a sparse product asks for, in bytes.
const BUFFER: usize = 4096;

/// A sparse matrix: its shape and how many values it has.
#[derive(Clone, Copy, Debug)]
struct Matrix {
    rows: i64,
    columns: i64,
    values: i64,
}

static MATRICES: Objects<Matrix> = Objects::new();

export! { CUSPARSE;
    fn cusparseCreate(out: Out<usize>) {
        let memory = OwnMemory::at_first_use(&[], &[]).map_err(|_| NOT_INITIALIZED)?;
        out.put_if_wanted(handle::create(memory));
        Ok(())
    }

    fn cusparseDestroy(handle: usize) {
        handle::destroy(&CUSPARSE, handle)
    }

    fn cusparseSetStream(handle: usize, stream: StreamHandle) {
        handle::set_stream(&CUSPARSE, handle, stream)
    }

    fn cusparseGetStream(handle: usize, stream: Out<u64>) {
        handle::get_stream(&CUSPARSE, handle, stream)
    }

    fn cusparseSetPointerMode(handle: usize, mode: c_int) {
        handle::set_pointer_mode(&CUSPARSE, handle, mode)
    }

    fn cusparseGetPointerMode(handle: usize, mode: Out<c_int>) {
        handle::get_pointer_mode(&CUSPARSE, handle, mode)
    }

    fn cusparseGetVersion(_handle: usize, version: Out<c_int>) {
        version.put_if_wanted(version::toolkit().cusparse.thousands());
        Ok(())
    }

    fn cusparseGetProperty(kind: c_int, value: Out<c_int>) {
        version::toolkit().cusparse.property(kind, value, INVALID_VALUE)
    }

    fn cusparseCreateCsr, cusparseCreateConstCsr, cusparseCreateCsc, cusparseCreateConstCsc,
        cusparseCreateCoo, cusparseCreateConstCoo(
        out: Out<usize>, rows: i64, columns: i64, values: i64,
    ) {
        out.put_if_wanted(MATRICES.add(Matrix { rows, columns, values }));
        Ok(())
    }

    fn cusparseCreateBsr, cusparseCreateConstBsr(
        out: Out<usize>, rows: i64, columns: i64, blocks: i64, block_rows: i64, block_columns: i64,
    ) {
        out.put_if_wanted(MATRICES.add(Matrix {
            rows: rows.saturating_mul(block_rows),
            columns: columns.saturating_mul(block_columns),
            values: blocks.saturating_mul(block_rows).saturating_mul(block_columns),
        }));
        Ok(())
    }

    fn cusparseDestroySpMat(matrix: usize) {
        MATRICES.remove(matrix);
        Ok(())
    }

    fn cusparseSpMatGetSize(matrix: usize, rows: Out<i64>, columns: Out<i64>, values: Out<i64>) {
        let matrix = MATRICES.get(matrix).ok_or(Status(INVALID_VALUE))?;
        rows.put_if_wanted(matrix.rows);
        columns.put_if_wanted(matrix.columns);
        values.put_if_wanted(matrix.values);
        Ok(())
    }

    fn cusparseSpGEMM_workEstimation, cusparseSpGEMM_compute(
        handle: usize, _operation_a: c_int, _operation_b: c_int, _alpha: usize, _a: usize, _b: usize,
        _beta: usize, _c: usize, _compute: c_int, _algorithm: c_int, _descriptor: usize,
        size: Out<usize>, buffer: usize,
    ) {
        if buffer == 0 {
            size.put_if_wanted(BUFFER);
            return Ok(());
        }
        let stream = handle::stream(&CUSPARSE, handle)?;
        CUSPARSE.launched(gpu::launch(stream, "cusparse::SpGEMM"))
    }
}

/// The name of a status, e.g. `CUSPARSE_STATUS_NOT_INITIALIZED`.
#[unsafe(no_mangle)]
extern "C" fn cusparseGetErrorName(status: c_int) -> *const c_char {
    called::note("cusparseGetErrorName");
    let name = match status {
        0 => c"CUSPARSE_STATUS_SUCCESS",
        1 => c"CUSPARSE_STATUS_NOT_INITIALIZED",
        2 => c"CUSPARSE_STATUS_ALLOC_FAILED",
        3 => c"CUSPARSE_STATUS_INVALID_VALUE",
        4 => c"CUSPARSE_STATUS_ARCH_MISMATCH",
        6 => c"CUSPARSE_STATUS_EXECUTION_FAILED",
        7 => c"CUSPARSE_STATUS_INTERNAL_ERROR",
        8 => c"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
        9 => c"CUSPARSE_STATUS_ZERO_PIVOT",
        10 => c"CUSPARSE_STATUS_NOT_SUPPORTED",
        11 => c"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES",
        _ => c"unknown error",
    };
    name.as_ptr()
}

/// The text of a status, e.g. `initialization error`.
#[unsafe(no_mangle)]
extern "C" fn cusparseGetErrorString(status: c_int) -> *const c_char {
    called::note("cusparseGetErrorString");
    let text = match status {
        0 => c"success",
        1 => c"initialization error",
        2 => c"out of memory",
        3 => c"invalid value",
        4 => c"architecture mismatch",
        6 => c"kernel launch failure",
        7 => c"internal error",
        8 => c"matrix type not supported",
        9 => c"zero pivot",
        10 => c"operation not supported",
        11 => c"insufficient resources",
        _ => c"unknown error",
    };
    text.as_ptr()
}
