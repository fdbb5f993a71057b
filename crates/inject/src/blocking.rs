//! Calls that may not return, for the command to see: where a GPU has stopped, one of these is where the program waits.
//!
//! Beside those that wait by their meaning, which `aside` has, these wait on occasion: a launch, when the queue of its stream is
//! full or its kernel is yet to be loaded; a copy from or to pageable memory; an allocation; and those of NCCL, until the other
//! ranks have made the same.

use std::ffi::{c_int, c_uint};

use cgsan_observe::clock::{self, Asked};

use crate::libraries::passed_on;

/// Functions that the command sees until they have returned.
macro_rules! blocking {
    ($library:ident: $($name:ident($($parameter:ident: $type:ty),*);)*) => {
        passed_on! {
            $library:
            $($name($($parameter: $type),*) => |call| waiting(stringify!($name), call);)*
        }
    };
}

/// The same for functions that ask for work: for what, and the parameter that tells more.
macro_rules! asking {
    ($asked:ident by $value:ident: $($name:ident($($parameter:ident: $type:ty),*);)*) => {
        passed_on! {
            Runtime:
            $($name($($parameter: $type),*) => |call| {
                clock::tick(Asked::$asked, $value);
                waiting(stringify!($name), call)
            };)*
        }
    };
}

fn waiting(name: &'static str, call: impl FnOnce() -> c_int) -> c_int {
    let _waiting = cgsan_observe::waiting(name.trim_start_matches('_'));
    call()
}

/// `dim3`
#[repr(C)]
#[derive(Clone, Copy)]
struct Extent([c_uint; 3]);

/// `ncclUniqueId`
#[repr(C)]
#[derive(Clone, Copy)]
struct UniqueId([u8; 128]);

blocking! {
    Runtime:
    __cudaGetKernel(out: u64, symbol: u64);
    cudaMalloc(out: u64, size: usize);
    cudaHostAlloc(out: u64, size: usize, flags: c_uint);
    cudaEventCreateWithFlags(out: u64, flags: c_uint);
    cudaFuncGetAttributes(out: u64, function: u64);
}

asking! {
    Launch by function:
    cudaLaunchKernel(function: u64, grid: Extent, block: Extent, arguments: u64, shared: usize, stream: u64);
    cudaLaunchKernel_ptsz(function: u64, grid: Extent, block: Extent, arguments: u64, shared: usize, stream: u64);
    // Since CUDA 13, compiled launches come by these.
    __cudaLaunchKernel(function: u64, grid: Extent, block: Extent, arguments: u64, shared: usize, stream: u64);
    __cudaLaunchKernel_ptsz(function: u64, grid: Extent, block: Extent, arguments: u64, shared: usize, stream: u64);
    cudaLaunchKernelExC(configuration: u64, function: u64, arguments: u64);
    cudaLaunchKernelExC_ptsz(configuration: u64, function: u64, arguments: u64);
}

asking! {
    Copy by size:
    cudaMemcpyAsync(to: u64, from: u64, size: u64, kind: c_uint, stream: u64);
    cudaMemcpyAsync_ptsz(to: u64, from: u64, size: u64, kind: c_uint, stream: u64);
}

blocking! {
    Nccl:
    ncclCommInitRank(out: u64, ranks: c_int, id: UniqueId, rank: c_int);
    ncclCommInitRankConfig(out: u64, ranks: c_int, id: UniqueId, rank: c_int, configuration: u64);
    ncclCommInitAll(out: u64, ranks: c_int, devices: u64);
    ncclCommSplit(communicator: u64, color: c_int, key: c_int, out: u64, configuration: u64);
    ncclCommFinalize(communicator: u64);
    ncclCommDestroy(communicator: u64);
    ncclCommAbort(communicator: u64);
    ncclAllReduce(from: u64, to: u64, count: usize, kind: c_int, operation: c_int, communicator: u64, stream: u64);
    ncclReduce(
        from: u64, to: u64, count: usize, kind: c_int, operation: c_int, root: c_int, communicator: u64, stream: u64
    );
    ncclBroadcast(from: u64, to: u64, count: usize, kind: c_int, root: c_int, communicator: u64, stream: u64);
    ncclAllGather(from: u64, to: u64, count: usize, kind: c_int, communicator: u64, stream: u64);
    ncclReduceScatter(
        from: u64, to: u64, count: usize, kind: c_int, operation: c_int, communicator: u64, stream: u64
    );
    ncclSend(from: u64, count: usize, kind: c_int, peer: c_int, communicator: u64, stream: u64);
    ncclRecv(to: u64, count: usize, kind: c_int, peer: c_int, communicator: u64, stream: u64);
    ncclGroupEnd();
}
