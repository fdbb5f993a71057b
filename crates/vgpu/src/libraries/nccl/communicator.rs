//! Communicators: of one rank, the only one.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{INVALID_ARGUMENT, INVALID_USAGE, NCCL, last_error, refused};
use crate::ffi::{InOut, Out};
use crate::libraries::export::{Status, export};
use crate::libraries::object::{self, Objects};
use crate::libraries::own_memory::OwnMemory;

/// A color of `ncclCommSplit` that asks for no communicator.
const NO_COLOR: c_int = -1;

/// What a communicator allocates, in bytes, on the device and pinned.
const DEVICE_MEMORY: [usize; 2] = [4096, 4096];
const PINNED_MEMORY: [usize; 1] = [4096];

/// `ncclUniqueId`, which goes by value.
#[repr(C)]
#[derive(Clone, Copy)]
struct UniqueId([u64; 16]);

const _: () = assert!(size_of::<UniqueId>() == 128);

/// A communicator.
struct Communicator {
    memory: OwnMemory,
}

static COMMUNICATORS: Objects<Communicator> = Objects::new();

export! { NCCL;
    fn ncclGetUniqueId(id: Out<UniqueId>) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut words = [0; 16];
        words[0] = u64::from(std::process::id());
        words[1] = NEXT.fetch_add(1, Ordering::Relaxed);
        id.put_if_wanted(UniqueId(words));
        Ok(())
    }

    fn ncclCommInitRank, ncclCommInitRankConfig(
        communicator: Out<usize>, ranks: c_int, _id: UniqueId, rank: c_int,
    ) {
        create(communicator, ranks, rank)
    }

    fn ncclCommInitRankScalable(communicator: Out<usize>, ranks: c_int, rank: c_int) {
        create(communicator, ranks, rank)
    }

    fn ncclCommInitAll(communicators: Out<usize>, devices: c_int) {
        create(communicators, devices, 0)
    }

    fn ncclCommSplit(parent: usize, color: c_int, _key: c_int, communicator: Out<usize>) {
        check(parent)?;
        if color == NO_COLOR {
            communicator.put_if_wanted(0);
            return Ok(());
        }
        create(communicator, 1, 0)
    }

    fn ncclCommShrink(parent: usize, _excluded: usize, count: c_int, communicator: Out<usize>) {
        check(parent)?;
        create(communicator, 1 - count, 0)
    }

    fn ncclCommFinalize(communicator: usize) {
        check(communicator)
    }

    fn ncclCommDestroy, ncclCommAbort(communicator: usize) {
        COMMUNICATORS.remove(communicator).ok_or(INVALID_ARGUMENT)?.memory.free();
        Ok(())
    }

    fn ncclCommGetAsyncError(communicator: usize, error: Out<c_int>) {
        check(communicator)?;
        error.put_if_wanted(0);
        Ok(())
    }

    fn ncclCommCount(communicator: usize, count: Out<c_int>) {
        check(communicator)?;
        count.put_if_wanted(1);
        Ok(())
    }

    fn ncclCommUserRank, ncclCommCuDevice(communicator: usize, number: Out<c_int>) {
        check(communicator)?;
        number.put_if_wanted(0);
        Ok(())
    }

    fn ncclCommRegister(communicator: usize, _buffer: usize, _bytes: usize, handle: Out<usize>) {
        check(communicator)?;
        handle.put_if_wanted(object::opaque());
        Ok(())
    }

    fn ncclCommDeregister(communicator: usize, _handle: usize) {
        check(communicator)
    }

    fn ncclRedOpCreatePreMulSum(
        operation: InOut<c_int>, _scalar: usize, _kind: c_int, _residence: c_int, communicator: usize,
    ) {
        check(communicator)?;
        operation.set(super::collective::PRE_MULTIPLIED_SUM);
        Ok(())
    }

    fn ncclRedOpDestroy(_operation: c_int, communicator: usize) {
        check(communicator)
    }
}

/// Checks that a communicator is alive.
pub fn check(communicator: usize) -> Result<(), Status> {
    COMMUNICATORS
        .with(communicator, |_| ())
        .ok_or(INVALID_ARGUMENT)
}

fn create(out: Out<usize>, ranks: c_int, rank: c_int) -> Result<(), Status> {
    if ranks > 1 {
        cgsan_observe::missing("NCCL with several ranks");
        last_error::set(&format!(
            "the virtual GPU has no NCCL with several ranks yet: this communicator asks for {ranks}. \
             Run the program with one rank"
        ));
        return Err(INVALID_USAGE);
    }
    if ranks < 1 || rank != 0 {
        last_error::set(&format!("invalid rank requested : {rank}/{ranks}"));
        return Err(INVALID_ARGUMENT);
    }
    let memory = OwnMemory::at_first_use(&DEVICE_MEMORY, &PINNED_MEMORY).map_err(refused)?;
    out.put_if_wanted(COMMUNICATORS.add(Communicator { memory }));
    Ok(())
}
