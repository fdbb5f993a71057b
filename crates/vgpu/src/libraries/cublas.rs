//! cuBLAS. Its routines are declared in `api/cublas.list`; here are the handle, and copies between host and device.
#![expect(unsafe_code, reason = "exports functions of C")]

use std::ffi::{c_char, c_int, c_void};

use super::export::{Status, export};
use super::family::CUBLAS;
use super::own_memory::OwnMemory;
use super::{handle, version};
use crate::ffi::{Out, called};
use crate::gpu::{self, StreamHandle};

/// `CUBLAS_STATUS_NOT_INITIALIZED`, which is what a refused first use returns.
const NOT_INITIALIZED: Status = Status(1);
/// `CUBLAS_STATUS_INVALID_VALUE`.
const INVALID_VALUE: c_int = 7;

/// What a handle allocates, in bytes: three pieces, together 64 MiB (measured on an H100).
const DEVICE_MEMORY: [usize; 3] = [60 << 20, 2 << 20, 2 << 20];

export! { CUBLAS;
    fn cublasCreate_v2(out: Out<usize>) {
        let memory = OwnMemory::at_first_use(&DEVICE_MEMORY, &[]).map_err(|_| NOT_INITIALIZED)?;
        out.put_if_wanted(handle::create(memory));
        Ok(())
    }

    fn cublasDestroy_v2(handle: usize) {
        handle::destroy(&CUBLAS, handle)
    }

    fn cublasSetStream_v2(handle: usize, stream: StreamHandle) {
        handle::set_stream(&CUBLAS, handle, stream)
    }

    fn cublasGetStream_v2(handle: usize, stream: Out<u64>) {
        handle::get_stream(&CUBLAS, handle, stream)
    }

    fn cublasSetPointerMode_v2(handle: usize, mode: c_int) {
        handle::set_pointer_mode(&CUBLAS, handle, mode)
    }

    fn cublasGetPointerMode_v2(handle: usize, mode: Out<c_int>) {
        handle::get_pointer_mode(&CUBLAS, handle, mode)
    }

    fn cublasSetMathMode(handle: usize, mode: c_int) {
        handle::set_math_mode(&CUBLAS, handle, mode)
    }

    fn cublasGetMathMode(handle: usize, mode: Out<c_int>) {
        handle::get_math_mode(&CUBLAS, handle, mode)
    }

    fn cublasGetVersion_v2(_handle: usize, version: Out<c_int>) {
        version.put_if_wanted(version::toolkit().cublas.ten_thousands());
        Ok(())
    }

    fn cublasGetProperty(kind: c_int, value: Out<c_int>) {
        version::toolkit().cublas.property(kind, value, INVALID_VALUE)
    }

    fn cublasSetVectorAsync, cublasGetVectorAsync(
        n: c_int, element: c_int, from: *const c_void, from_step: c_int,
        to: *mut c_void, to_step: c_int, stream: StreamHandle,
    ) {
        let vector = Matrix::of_vector(n.into(), element.into(), from_step.into(), to_step.into());
        copy(&vector, from, to, stream)
    }

    fn cublasSetVectorAsync_64, cublasGetVectorAsync_64(
        n: i64, element: i64, from: *const c_void, from_step: i64,
        to: *mut c_void, to_step: i64, stream: StreamHandle,
    ) {
        copy(&Matrix::of_vector(n, element, from_step, to_step), from, to, stream)
    }

    fn cublasSetMatrixAsync, cublasGetMatrixAsync(
        rows: c_int, columns: c_int, element: c_int, from: *const c_void, from_step: c_int,
        to: *mut c_void, to_step: c_int, stream: StreamHandle,
    ) {
        let matrix = Matrix {
            rows: rows.into(),
            columns: columns.into(),
            element: element.into(),
            from_step: from_step.into(),
            to_step: to_step.into(),
        };
        copy(&matrix, from, to, stream)
    }

    fn cublasSetMatrixAsync_64, cublasGetMatrixAsync_64(
        rows: i64, columns: i64, element: i64, from: *const c_void, from_step: i64,
        to: *mut c_void, to_step: i64, stream: StreamHandle,
    ) {
        copy(&Matrix { rows, columns, element, from_step, to_step }, from, to, stream)
    }
}

/// A matrix by columns, copied between two layouts; steps from column to column in elements, `element` in bytes.
struct Matrix {
    rows: i64,
    columns: i64,
    element: i64,
    from_step: i64,
    to_step: i64,
}

impl Matrix {
    /// A vector is a matrix of one row.
    fn of_vector(n: i64, element: i64, from_step: i64, to_step: i64) -> Matrix {
        Matrix {
            rows: 1,
            columns: n,
            element,
            from_step,
            to_step,
        }
    }

    /// Offset at the source, offset at the destination and length of each piece that is contiguous at both, in bytes;
    /// nothing if the matrix is larger than an address space.
    fn pieces(&self) -> Option<Vec<(usize, usize, usize)>> {
        let bytes = |count: i64| usize::try_from(count.checked_mul(self.element)?).ok();
        let whole = |step: i64| bytes(self.columns.checked_mul(step)?);
        let length = bytes(self.rows)?;
        whole(self.from_step)?;
        whole(self.to_step)?;
        if self.from_step == self.rows && self.to_step == self.rows {
            return Some(vec![(0, 0, whole(self.rows)?)]);
        }
        (0..self.columns)
            .map(|column| {
                let source = bytes(column * self.from_step)?;
                let destination = bytes(column * self.to_step)?;
                Some((source, destination, length))
            })
            .collect()
    }
}

fn copy(
    matrix: &Matrix,
    from: *const c_void,
    to: *mut c_void,
    stream: StreamHandle,
) -> Result<(), Status> {
    let pieces = matrix.pieces().ok_or(Status(INVALID_VALUE))?;
    for (source, destination, bytes) in pieces {
        let (from, to) = (
            from.wrapping_byte_add(source),
            to.wrapping_byte_add(destination),
        );
        CUBLAS.launched(gpu::copy(stream, to, from, bytes))?;
    }
    Ok(())
}

/// The CUDA runtime that cuBLAS contains.
#[unsafe(no_mangle)]
extern "C" fn cublasGetCudartVersion() -> usize {
    called::note("cublasGetCudartVersion");
    usize::try_from(gpu::version::runtime()).unwrap_or_default()
}

/// The name of a status, e.g. `CUBLAS_STATUS_NOT_INITIALIZED`.
#[unsafe(no_mangle)]
extern "C" fn cublasGetStatusName(status: c_int) -> *const c_char {
    called::note("cublasGetStatusName");
    status_name(status)
}

/// A text for a status: its name says it.
#[unsafe(no_mangle)]
extern "C" fn cublasGetStatusString(status: c_int) -> *const c_char {
    called::note("cublasGetStatusString");
    status_name(status)
}

/// The name of a status of cuBLAS and cuBLASLt.
pub fn status_name(status: c_int) -> *const c_char {
    let name = match status {
        0 => c"CUBLAS_STATUS_SUCCESS",
        1 => c"CUBLAS_STATUS_NOT_INITIALIZED",
        3 => c"CUBLAS_STATUS_ALLOC_FAILED",
        7 => c"CUBLAS_STATUS_INVALID_VALUE",
        8 => c"CUBLAS_STATUS_ARCH_MISMATCH",
        11 => c"CUBLAS_STATUS_MAPPING_ERROR",
        13 => c"CUBLAS_STATUS_EXECUTION_FAILED",
        14 => c"CUBLAS_STATUS_INTERNAL_ERROR",
        15 => c"CUBLAS_STATUS_NOT_SUPPORTED",
        16 => c"CUBLAS_STATUS_LICENSE_ERROR",
        _ => c"unknown status",
    };
    name.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contiguous_matrix_is_one_piece() {
        let matrix = Matrix {
            rows: 3,
            columns: 4,
            element: 8,
            from_step: 3,
            to_step: 3,
        };
        assert_eq!(matrix.pieces(), Some(vec![(0, 0, 96)]));
    }

    #[test]
    fn a_padded_matrix_is_copied_by_columns() {
        let matrix = Matrix {
            rows: 2,
            columns: 2,
            element: 4,
            from_step: 5,
            to_step: 2,
        };
        assert_eq!(matrix.pieces(), Some(vec![(0, 0, 8), (20, 8, 8)]));
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused() {
        assert_eq!(Matrix::of_vector(i64::MAX, 8, 2, 1).pieces(), None);
        assert_eq!(Matrix::of_vector(2, -1, 2, 1).pieces(), None);
    }
}
