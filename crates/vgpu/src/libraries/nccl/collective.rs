//! Collectives among one rank: each moves its input to its output.

use std::ffi::{c_int, c_void};

use super::{INVALID_ARGUMENT, NCCL, communicator, cuda};
use crate::gpu::{self, StreamHandle};
use crate::libraries::export::{Status, export};

/// `ncclAvg`.
const AVERAGE: c_int = 4;
/// The operation that `ncclRedOpCreatePreMulSum` makes: one number does for all, since nothing is computed.
pub const PRE_MULTIPLIED_SUM: c_int = 5;

/// The buffers of a collective: so many elements of a kind, from one to the other.
struct Move {
    from: *const c_void,
    to: *mut c_void,
    count: usize,
    kind: c_int,
}

export! { NCCL;
    fn ncclAllReduce(
        from: *const c_void, to: *mut c_void, count: usize, kind: c_int, operation: c_int,
        communicator: usize, stream: StreamHandle,
    ) {
        reduce(&Move { from, to, count, kind }, operation, communicator, stream)
    }

    fn ncclReduce(
        from: *const c_void, to: *mut c_void, count: usize, kind: c_int, operation: c_int, _root: c_int,
        communicator: usize, stream: StreamHandle,
    ) {
        reduce(&Move { from, to, count, kind }, operation, communicator, stream)
    }

    fn ncclReduceScatter(
        from: *const c_void, to: *mut c_void, count: usize, kind: c_int, operation: c_int,
        communicator: usize, stream: StreamHandle,
    ) {
        reduce(&Move { from, to, count, kind }, operation, communicator, stream)
    }

    fn ncclAllGather, ncclAlltoAll(
        from: *const c_void, to: *mut c_void, count: usize, kind: c_int,
        communicator: usize, stream: StreamHandle,
    ) {
        copy(&Move { from, to, count, kind }, communicator, stream)
    }

    fn ncclBroadcast, ncclGather, ncclScatter(
        from: *const c_void, to: *mut c_void, count: usize, kind: c_int, _root: c_int,
        communicator: usize, stream: StreamHandle,
    ) {
        copy(&Move { from, to, count, kind }, communicator, stream)
    }

    fn ncclBcast(
        buffer: *mut c_void, count: usize, kind: c_int, _root: c_int,
        communicator: usize, stream: StreamHandle,
    ) {
        copy(&Move { from: buffer, to: buffer, count, kind }, communicator, stream)
    }
}

/// Reduces over one rank: a copy, unless the operation scales its input.
fn reduce(
    buffers: &Move,
    operation: c_int,
    communicator: usize,
    stream: StreamHandle,
) -> Result<(), Status> {
    communicator::check(communicator)?;
    if scales(operation, buffers.kind) {
        return cuda(gpu::launch(stream, "nccl::oneRankReduce"));
    }
    copy(buffers, communicator, stream)
}

/// Copies the buffers, unless they are one.
fn copy(buffers: &Move, communicator: usize, stream: StreamHandle) -> Result<(), Status> {
    communicator::check(communicator)?;
    let bytes = bytes(buffers.count, buffers.kind).ok_or(INVALID_ARGUMENT)?;
    if bytes == 0 || std::ptr::eq(buffers.from, buffers.to) {
        return Ok(());
    }
    cuda(gpu::copy(stream, buffers.to, buffers.from, bytes))
}

/// Whether a reduction multiplies its input: averages of floating-point numbers do, of integers do not.
fn scales(operation: c_int, kind: c_int) -> bool {
    operation >= PRE_MULTIPLIED_SUM || operation == AVERAGE && kind >= 6
}

/// The bytes of so many elements of an `ncclDataType_t`.
pub fn bytes(count: usize, kind: c_int) -> Option<usize> {
    let element = match kind {
        0 | 1 | 10 | 11 => 1,
        2 | 3 | 7 => 4,
        4 | 5 | 8 => 8,
        6 | 9 => 2,
        _ => return None,
    };
    count.checked_mul(element)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_scale_floating_point_numbers_only() {
        assert!(scales(AVERAGE, 7));
        assert!(!scales(AVERAGE, 2));
        assert!(!scales(0, 7));
        assert!(scales(PRE_MULTIPLIED_SUM, 2));
    }

    #[test]
    fn bytes_depend_on_the_kind() {
        assert_eq!(bytes(3, 9), Some(6));
        assert_eq!(bytes(3, 8), Some(24));
        assert_eq!(bytes(3, 99), None);
        assert_eq!(bytes(usize::MAX, 8), None);
    }
}
