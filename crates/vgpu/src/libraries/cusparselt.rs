//! cuSPARSELt. Its handle, descriptors and plans are structures of the caller's, opaque to it: what is remembered here
//! is written into them. Routines without anything to remember are declared in `api/cusparselt.list`.

use std::ffi::{c_int, c_uint};

use super::export::{Status, export};
use super::family::CUSPARSELT;
use super::version;
use crate::ffi::{In, Out};
use crate::gpu::{self, StreamHandle};

/// `CUSPARSE_STATUS_INVALID_VALUE`.
const INVALID_VALUE: c_int = 3;

/// How large a buffer a compression asks for, in bytes.
const BUFFER: usize = 4096;

/// A structured matrix, as it is remembered in the caller's `cusparseLtMatDescriptor_t`, of which it takes the start.
#[repr(C)]
#[derive(Clone, Copy)]
struct Structured {
    rows: i64,
    columns: i64,
    /// Bytes of an element.
    element: i64,
}

crate::ffi::plain! {
    Structured { rows: i64, columns: i64, element: i64 }
}

impl Structured {
    /// The bytes of the matrix compressed two out of four: half of the values, and two bits to place each, in whole
    /// bytes of eight bits for four-byte values.
    fn compressed(self) -> usize {
        let dense = self
            .rows
            .saturating_mul(self.columns)
            .saturating_mul(self.element);
        let metadata = dense / (8 * self.element.max(1));
        usize::try_from(dense / 2 + metadata).unwrap_or_default()
    }
}

export! { CUSPARSELT;
    fn cusparseLtInit(_handle: usize) {
        Ok(())
    }

    fn cusparseLtStructuredDescriptorInit(
        _handle: usize, matrix: Out<Structured>, rows: i64, columns: i64, _step: i64,
        _alignment: c_uint, kind: c_int,
    ) {
        matrix.put_if_wanted(Structured { rows, columns, element: element(kind) });
        Ok(())
    }

    fn cusparseLtSpMMACompressedSize2(
        _handle: usize, matrix: In<Structured>, compressed: Out<usize>, buffer: Out<usize>,
    ) {
        let matrix = matrix.get_if_given().ok_or(Status(INVALID_VALUE))?;
        compressed.put_if_wanted(matrix.compressed());
        buffer.put_if_wanted(BUFFER);
        Ok(())
    }

    fn cusparseLtMatmulAlgGetAttribute(
        _handle: usize, _selection: usize, _attribute: c_int, data: Out<u8>, size: usize,
    ) {
        data.put_all([0; size_of::<u64>()], size);
        Ok(())
    }

    fn cusparseLtMatmul, cusparseLtMatmulSearch(
        _handle: usize, _plan: usize, _alpha: usize, _a: usize, _b: usize, _beta: usize, _c: usize,
        _d: usize, _workspace: usize, streams: In<u64>, count: c_int,
    ) {
        let stream = if count > 0 { streams.get_if_given() } else { None };
        let stream = StreamHandle(stream.unwrap_or(0));
        CUSPARSELT.launched(gpu::launch(stream, "cusparselt::Matmul"))
    }

    fn cusparseLtGetVersion(_handle: usize, version: Out<c_int>) {
        version.put_if_wanted(version::torch().cusparselt.thousands());
        Ok(())
    }

    fn cusparseLtGetProperty(kind: c_int, value: Out<c_int>) {
        version::torch().cusparselt.property(kind, value, INVALID_VALUE)
    }
}

/// The bytes of an element of a `cudaDataType`.
fn element(kind: c_int) -> i64 {
    match kind {
        0 | 10 => 4,
        3 | 8 | 28 | 29 => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compressed(kind: c_int) -> usize {
        let matrix = Structured {
            rows: 64,
            columns: 64,
            element: element(kind),
        };
        matrix.compressed()
    }

    #[test]
    fn halves_compress_to_nine_sixteenths() {
        assert_eq!(compressed(2), 64 * 64 * 2 * 9 / 16);
    }

    #[test]
    fn bytes_compress_to_ten_sixteenths() {
        assert_eq!(compressed(3), 64 * 64 * 10 / 16);
    }
}
