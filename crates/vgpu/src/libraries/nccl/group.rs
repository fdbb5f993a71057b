//! Groups, and sends and receives, which meet when their group ends.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};

use super::{INVALID_ARGUMENT, INVALID_USAGE, NCCL, collective, communicator, cuda, last_error};
use crate::ffi::Out;
use crate::gpu::{self, StreamHandle};
use crate::libraries::export::{Status, export};

/// One end of a transfer from the rank to itself.
#[derive(Clone, Copy, Debug)]
struct End {
    communicator: usize,
    buffer: *mut c_void,
    bytes: usize,
    stream: StreamHandle,
}

/// What a thread's open group holds.
#[derive(Debug, Default)]
struct Group {
    depth: usize,
    sends: Vec<End>,
    receives: Vec<End>,
}

thread_local! {
    static GROUP: RefCell<Group> = RefCell::default();
}

export! { NCCL;
    fn ncclGroupStart() {
        GROUP.with_borrow_mut(|group| group.depth += 1);
        Ok(())
    }

    fn ncclGroupEnd() {
        end()
    }

    fn ncclGroupSimulateEnd(_info: Out<u8>) {
        GROUP.with_borrow_mut(|group| {
            group.depth = group.depth.saturating_sub(1);
            group.sends.clear();
            group.receives.clear();
        });
        Ok(())
    }

    fn ncclSend(
        buffer: *mut c_void, count: usize, kind: c_int, peer: c_int,
        communicator: usize, stream: StreamHandle,
    ) {
        let send = end_at(buffer, count, kind, peer, communicator, stream)?;
        GROUP.with_borrow_mut(|group| group.sends.push(send));
        end_if_alone()
    }

    fn ncclRecv(
        buffer: *mut c_void, count: usize, kind: c_int, peer: c_int,
        communicator: usize, stream: StreamHandle,
    ) {
        let receive = end_at(buffer, count, kind, peer, communicator, stream)?;
        GROUP.with_borrow_mut(|group| group.receives.push(receive));
        end_if_alone()
    }
}

fn end_at(
    buffer: *mut c_void,
    count: usize,
    kind: c_int,
    peer: c_int,
    communicator: usize,
    stream: StreamHandle,
) -> Result<End, Status> {
    communicator::check(communicator)?;
    if peer != 0 {
        return Err(INVALID_ARGUMENT);
    }
    Ok(End {
        communicator,
        buffer,
        bytes: collective::bytes(count, kind).ok_or(INVALID_ARGUMENT)?,
        stream,
    })
}

/// A send or receive outside any group is a group of its own.
fn end_if_alone() -> Result<(), Status> {
    if GROUP.with_borrow(|group| group.depth > 0) {
        return Ok(());
    }
    meet()
}

/// Leaves a group; the outermost one lets its sends and receives meet.
fn end() -> Result<(), Status> {
    let outermost = GROUP.with_borrow_mut(|group| {
        if group.depth == 0 {
            return Err(INVALID_USAGE);
        }
        group.depth -= 1;
        Ok(group.depth == 0)
    })?;
    if outermost { meet() } else { Ok(()) }
}

/// Copies from each send to the receive of the same communicator that came in the same place.
fn meet() -> Result<(), Status> {
    let (sends, mut receives) = GROUP.with_borrow_mut(|group| {
        (
            std::mem::take(&mut group.sends),
            std::mem::take(&mut group.receives),
        )
    });
    for send in sends {
        let receive = receives
            .iter()
            .position(|receive| receive.communicator == send.communicator)
            .map(|index| receives.remove(index))
            .ok_or_else(unmatched)?;
        let bytes = send.bytes.min(receive.bytes);
        if bytes > 0 && send.buffer != receive.buffer {
            cuda(gpu::copy(
                receive.stream,
                receive.buffer,
                send.buffer,
                bytes,
            ))?;
        }
    }
    if receives.is_empty() {
        Ok(())
    } else {
        Err(unmatched())
    }
}

fn unmatched() -> Status {
    last_error::set(
        "a send or receive of a rank to itself needs its counterpart in the same group",
    );
    INVALID_USAGE
}
