//! The entry points of collectives, sends and receives.

use std::ffi::c_int;

use super::data::{DataType, Reduction};
use super::operation::{Collective, Kind, Operator};
use super::{INVALID_ARGUMENT, NCCL, communicator, group};
use crate::gpu::StreamHandle;
use crate::libraries::export::{Status, export};

/// The arguments that all have in common.
struct Buffers {
    from: u64,
    to: u64,
    count: usize,
    data: c_int,
}

export! { NCCL;
    fn ncclAllReduce(
        from: u64, to: u64, count: usize, data: c_int, operation: c_int, communicator: usize, stream: StreamHandle,
    ) {
        let operator = operator(operation, communicator)?;
        add(&Buffers { from, to, count, data }, Kind::AllReduce(operator), communicator, stream)
    }

    fn ncclReduce(
        from: u64, to: u64, count: usize, data: c_int, operation: c_int, root: c_int, communicator: usize,
        stream: StreamHandle,
    ) {
        let kind = Kind::Reduce { operator: operator(operation, communicator)?, root: rank(root, communicator)? };
        add(&Buffers { from, to, count, data }, kind, communicator, stream)
    }

    fn ncclReduceScatter(
        from: u64, to: u64, count: usize, data: c_int, operation: c_int, communicator: usize, stream: StreamHandle,
    ) {
        let operator = operator(operation, communicator)?;
        add(&Buffers { from, to, count, data }, Kind::ReduceScatter(operator), communicator, stream)
    }

    fn ncclAllGather(from: u64, to: u64, count: usize, data: c_int, communicator: usize, stream: StreamHandle) {
        add(&Buffers { from, to, count, data }, Kind::AllGather, communicator, stream)
    }

    fn ncclAlltoAll(from: u64, to: u64, count: usize, data: c_int, communicator: usize, stream: StreamHandle) {
        add(&Buffers { from, to, count, data }, Kind::AllToAll, communicator, stream)
    }

    fn ncclBroadcast(
        from: u64, to: u64, count: usize, data: c_int, root: c_int, communicator: usize, stream: StreamHandle,
    ) {
        let kind = Kind::Broadcast { root: rank(root, communicator)? };
        add(&Buffers { from, to, count, data }, kind, communicator, stream)
    }

    fn ncclBcast(
        buffer: u64, count: usize, data: c_int, root: c_int, communicator: usize, stream: StreamHandle,
    ) {
        let kind = Kind::Broadcast { root: rank(root, communicator)? };
        add(&Buffers { from: buffer, to: buffer, count, data }, kind, communicator, stream)
    }

    fn ncclGather(
        from: u64, to: u64, count: usize, data: c_int, root: c_int, communicator: usize, stream: StreamHandle,
    ) {
        let kind = Kind::Gather { root: rank(root, communicator)? };
        add(&Buffers { from, to, count, data }, kind, communicator, stream)
    }

    fn ncclScatter(
        from: u64, to: u64, count: usize, data: c_int, root: c_int, communicator: usize, stream: StreamHandle,
    ) {
        let kind = Kind::Scatter { root: rank(root, communicator)? };
        add(&Buffers { from, to, count, data }, kind, communicator, stream)
    }

    fn ncclSend(from: u64, count: usize, data: c_int, peer: c_int, communicator: usize, stream: StreamHandle) {
        let kind = Kind::Send { to: rank(peer, communicator)? };
        add(&Buffers { from, to: 0, count, data }, kind, communicator, stream)
    }

    fn ncclRecv(to: u64, count: usize, data: c_int, peer: c_int, communicator: usize, stream: StreamHandle) {
        let kind = Kind::Receive { from: rank(peer, communicator)? };
        add(&Buffers { from: 0, to, count, data }, kind, communicator, stream)
    }
}

/// Enqueues a collective, in a group when that ends.
fn add(
    buffers: &Buffers,
    kind: Kind,
    communicator: usize,
    stream: StreamHandle,
) -> Result<(), Status> {
    let peers = communicator::peers(communicator)?;
    let Buffers {
        from, to, count, ..
    } = *buffers;
    let collective = Collective {
        kind,
        data: DataType::of(buffers.data).ok_or(INVALID_ARGUMENT)?,
        count,
        from,
        to,
    };
    match collective.bytes(peers.ranks).ok_or(INVALID_ARGUMENT)? {
        0 => Ok(()),
        _ => group::add(peers, stream, collective),
    }
}

fn rank(number: c_int, communicator: usize) -> Result<usize, Status> {
    let ranks = communicator::peers(communicator)?.ranks;
    let rank = usize::try_from(number).ok();
    rank.filter(|rank| *rank < ranks).ok_or(INVALID_ARGUMENT)
}

/// The operator of an `ncclRedOp_t`.
fn operator(number: c_int, communicator: usize) -> Result<Operator, Status> {
    Ok(Operator::Plain(match number {
        0 => Reduction::Sum,
        1 => Reduction::Product,
        2 => Reduction::Maximum,
        3 => Reduction::Minimum,
        4 => Reduction::Average,
        _ => {
            let made = communicator::made_operator(communicator, number);
            return made.ok_or(INVALID_ARGUMENT);
        }
    }))
}
