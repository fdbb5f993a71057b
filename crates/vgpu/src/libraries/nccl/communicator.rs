//! Communicators.

use std::ffi::c_int;
use std::sync::Arc;

use super::data::DataType;
use super::group;
use super::meeting::{self, UniqueId};
use super::operation::{Factor, Operator};
use super::peers::Peers;
use super::{INVALID_ARGUMENT, INVALID_USAGE, NCCL, last_error, refused};
use crate::device;
use crate::ffi::{In, InOut, Out, Untyped};
use crate::gpu::context;
use crate::libraries::export::{Status, export};
use crate::libraries::object::{self, Objects};
use crate::libraries::own_memory::OwnMemory;

/// A color of `ncclCommSplit` that asks for no communicator.
const NO_COLOR: c_int = -1;

/// What a communicator allocates, in bytes, on the device and pinned.
const DEVICE_MEMORY: [usize; 2] = [4096, 4096];
const PINNED_MEMORY: [usize; 1] = [4096];

/// A communicator.
struct Communicator {
    peers: Arc<Peers>,
    memory: OwnMemory,
    /// What `ncclRedOpCreatePreMulSum` made.
    factors: Vec<Factor>,
}

static COMMUNICATORS: Objects<Communicator> = Objects::new();

export! { NCCL;
    fn ncclGetUniqueId(id: Out<UniqueId>) {
        id.put_if_wanted(UniqueId::new()?);
        Ok(())
    }

    fn ncclCommInitRank, ncclCommInitRankConfig(
        communicator: Out<usize>, ranks: c_int, id: UniqueId, rank: c_int,
    ) {
        create(communicator, &id, ranks, rank)
    }

    fn ncclCommInitRankScalable(
        communicator: Out<usize>, ranks: c_int, rank: c_int, _ids: c_int, id: In<UniqueId>,
    ) {
        create(communicator, &id.get().map_err(|_| INVALID_ARGUMENT)?, ranks, rank)
    }

    fn ncclCommInitAll(communicators: Out<usize>, count: c_int, ordinals: In<c_int>) {
        let count = usize::try_from(count).map_err(|_| INVALID_ARGUMENT)?;
        let ordinals = match ordinals.list(count) {
            Ok(ordinals) => ordinals,
            // Null stands for the first ones.
            Err(_) => (0..).take(count).collect(),
        };
        communicators.put_all(create_all(&ordinals)?, count);
        Ok(())
    }

    fn ncclCommSplit(parent: usize, color: c_int, key: c_int, communicator: Out<usize>) {
        let parent = peers(parent)?;
        let number = parent.next_division();
        meeting::propose(&parent, number, color, key)?;
        group::when_it_ends(move || {
            match meeting::split(&parent, number, color, color == NO_COLOR)? {
                Some(peers) => communicator.put_if_wanted(add(peers)?),
                None => communicator.put_if_wanted(0),
            }
            Ok(())
        })
    }

    fn ncclCommShrink(parent: usize, excluded: In<c_int>, count: c_int, communicator: Out<usize>) {
        let parent = peers(parent)?;
        let count = usize::try_from(count).map_err(|_| INVALID_ARGUMENT)?;
        let excluded = excluded.list(count).map_err(|_| INVALID_ARGUMENT)?;
        let peers = meeting::shrink(&parent, &excluded)?;
        communicator.put_if_wanted(add(peers)?);
        Ok(())
    }

    fn ncclCommFinalize(communicator: usize) {
        finish(communicator)
    }

    fn ncclCommDestroy(communicator: usize) {
        finish(communicator)?;
        remove(communicator)
    }

    fn ncclCommAbort(communicator: usize) {
        peers(communicator)?.abort();
        remove(communicator)
    }

    fn ncclCommGetAsyncError(communicator: usize, error: Out<c_int>) {
        peers(communicator)?;
        error.put_if_wanted(0);
        Ok(())
    }

    fn ncclCommCount(communicator: usize, count: Out<c_int>) {
        count.put_if_wanted(number(peers(communicator)?.ranks)?);
        Ok(())
    }

    fn ncclCommUserRank(communicator: usize, rank: Out<c_int>) {
        rank.put_if_wanted(number(peers(communicator)?.rank)?);
        Ok(())
    }

    fn ncclCommCuDevice(communicator: usize, ordinal: Out<c_int>) {
        ordinal.put_if_wanted(device::ordinal(peers(communicator)?.device));
        Ok(())
    }

    fn ncclCommRegister, ncclCommWindowRegister(
        communicator: usize, buffer: usize, bytes: usize, handle: Out<usize>,
    ) {
        peers(communicator)?;
        cgsan_observe::shared(buffer as u64, bytes as u64);
        handle.put_if_wanted(object::opaque());
        Ok(())
    }

    fn ncclCommDeregister, ncclCommWindowDeregister(communicator: usize, _handle: usize) {
        peers(communicator).map(drop)
    }

    fn ncclRedOpCreatePreMulSum(
        operation: InOut<c_int>, scalar: Untyped, data: c_int, residence: c_int, communicator: usize,
    ) {
        let data = DataType::of(data).ok_or(INVALID_ARGUMENT)?;
        let factor = if residence == ON_DEVICE {
            Factor::At(scalar.address())
        } else {
            // SAFETY: a number of this type is there.
            let number = unsafe { scalar.input::<u8>() }.list(data.size());
            Factor::Number(number.map_err(|_| INVALID_ARGUMENT)?)
        };
        let place = COMMUNICATORS.with(communicator, |communicator| {
            communicator.factors.push(factor);
            communicator.factors.len() - 1
        });
        let place = number(place.ok_or(INVALID_ARGUMENT)?)?;
        operation.set(FIRST_MADE + place);
        Ok(())
    }

    fn ncclRedOpDestroy(_operation: c_int, communicator: usize) {
        peers(communicator).map(drop)
    }
}

/// The first operator of those that `ncclRedOpCreatePreMulSum` makes; before it are those of the header.
const FIRST_MADE: c_int = 5;

/// `ncclScalarDevice`.
const ON_DEVICE: c_int = 0;

/// The ranks of a communicator, if it is alive.
pub fn peers(communicator: usize) -> Result<Arc<Peers>, Status> {
    let found = COMMUNICATORS.with(communicator, |it| Arc::clone(&it.peers));
    found.ok_or(INVALID_ARGUMENT)
}

/// The operator of this number that `ncclRedOpCreatePreMulSum` made.
pub fn made_operator(communicator: usize, number: c_int) -> Option<Operator> {
    let place = usize::try_from(number.checked_sub(FIRST_MADE)?).ok()?;
    let factor = COMMUNICATORS.with(communicator, |it| it.factors.get(place).cloned());
    factor.flatten().map(Operator::Scaled)
}

/// Creates the communicator of one rank, which waits for the others, in a group when that ends.
fn create(out: Out<usize>, id: &UniqueId, ranks: c_int, rank: c_int) -> Result<(), Status> {
    let in_range = |ranks: usize, rank: usize| (rank < ranks).then_some((ranks, rank));
    let place = usize::try_from(ranks).ok().zip(usize::try_from(rank).ok());
    let Some((ranks, rank)) = place.and_then(|(ranks, rank)| in_range(ranks, rank)) else {
        last_error::set(&format!("invalid rank requested : {rank}/{ranks}"));
        return Err(INVALID_ARGUMENT);
    };
    let memory = own_memory()?;
    let peers = Peers::join(id.folder(), rank, ranks, context::device())?;
    out.put_if_wanted(add_with(peers, memory, true)?);
    Ok(())
}

/// Creates the communicators of ranks that are all this process's, each on a device.
fn create_all(ordinals: &[c_int]) -> Result<Vec<usize>, Status> {
    let id = UniqueId::new()?;
    let mut all = Vec::new();
    for (rank, ordinal) in ordinals.iter().enumerate() {
        let device = device::check(*ordinal).map_err(|_| INVALID_ARGUMENT)?;
        let created = context::within(device, || {
            let peers = Peers::join(id.folder(), rank, ordinals.len(), device)?;
            add_with(peers, own_memory()?, false)
        });
        all.push(created?);
    }
    for communicator in &all {
        peers(*communicator)?.meet()?;
    }
    Ok(all)
}

fn own_memory() -> Result<OwnMemory, Status> {
    OwnMemory::at_first_use(&DEVICE_MEMORY, &PINNED_MEMORY).map_err(refused)
}

/// Adds a communicator whose ranks know of each other.
fn add(peers: Peers) -> Result<usize, Status> {
    add_with(peers, own_memory()?, false)
}

fn add_with(peers: Peers, memory: OwnMemory, meets: bool) -> Result<usize, Status> {
    let peers = Arc::new(peers);
    let communicator = COMMUNICATORS.add(Communicator {
        peers: Arc::clone(&peers),
        memory,
        factors: Vec::new(),
    });
    if meets {
        group::when_it_ends(move || peers.meet())?;
    }
    Ok(communicator)
}

fn remove(communicator: usize) -> Result<(), Status> {
    let removed = COMMUNICATORS.remove(communicator).ok_or(INVALID_ARGUMENT)?;
    removed.memory.free();
    removed.peers.leave();
    Ok(())
}

/// Waits until all that a communicator began is done. For captured collectives NCCL waits for ever, since only the
/// destruction of a graph lets them go: that is said instead.
fn finish(communicator: usize) -> Result<(), Status> {
    let peers = peers(communicator)?;
    let count = peers.captured();
    if count == 0 {
        peers.wait();
        return Ok(());
    }
    let text = format!(
        "a communicator is destroyed while CUDA graphs hold {count} of its collectives: NCCL would wait \
         forever. Reset or delete the graphs first"
    );
    cgsan_observe::note(&text);
    last_error::set(&text);
    Err(INVALID_USAGE)
}

fn number(number: usize) -> Result<c_int, Status> {
    c_int::try_from(number).map_err(|_| INVALID_ARGUMENT)
}
