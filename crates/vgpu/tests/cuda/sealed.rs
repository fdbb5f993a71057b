//! What calls do in a sealed child, where nobody does the work that the process has enqueued.

use std::io::{Read as _, pipe};
use std::os::fd::AsRawFd as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use cgsan_vgpu::{cgsan_sealed_clone, cgsan_sealed_end};

use crate::collectives::Rank;
use crate::runtime::{DEFAULT, NOT_READY, filled, gives, made, my_turn, ok, read};

const CHUNK: usize = 2 << 20;
const LARGE: usize = 64 << 20;
static PROPERTIES: [u64; 4] = [1, 1, 0, 0];

/// What a child reports of something, which is nothing if that fails.
fn reported(act: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    let (mut pipe, report) = pipe().unwrap();
    let child = cgsan_sealed_clone(report.as_raw_fd(), 1 << 30, 10);
    if child == 0 {
        if let Ok(bytes) = catch_unwind(AssertUnwindSafe(act)) {
            // SAFETY: the pointer and the length are those of the bytes.
            unsafe { libc::write(3, bytes.as_ptr().cast(), bytes.len()) };
        }
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(0) };
    }
    assert!(child > 0, "{child}");
    drop(report);
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes).unwrap();
    assert_eq!(cgsan_sealed_end(child, 1), 1);
    bytes
}

#[test]
fn calls_are_answered_at_once_and_change_nothing() {
    let _turn = my_turn();
    let ranks = Rank::both();
    let [first, second] = &ranks;
    ok!(cudaSetDevice(0));
    let event: u64 = made!(cudaEventCreateWithFlags(2));
    let mapped: u64 = made!(cuMemAddressReserve(CHUNK, 0, 0, 0));
    let handle: u64 = made!(cuMemCreate(CHUNK, &raw const PROPERTIES, 0));
    ok!(cuMemMap(mapped, CHUNK, 0, handle, 0));
    ok!(cuMemSetAccess(mapped, CHUNK, std::ptr::null(), 1));
    ok!(cudaMemset(mapped, 5, CHUNK));
    let memory = filled(LARGE, 3);
    // It is to wait for the other rank.
    first.all_reduce();
    gives!(NOT_READY, cudaStreamQuery(first.stream));

    let seen = reported(|| {
        ok!(cudaStreamQuery(first.stream));
        ok!(cudaStreamSynchronize(first.stream));
        ok!(cudaDeviceSynchronize());
        ok!(cudaEventRecord(event, first.stream));
        ok!(cudaEventSynchronize(event));
        first.all_reduce();
        ok!(cudaStreamSynchronize(first.stream));
        let copy: u64 = made!(cudaMalloc(LARGE));
        ok!(cudaMemcpy(copy, memory, LARGE, DEFAULT));
        ok!(cudaMemset(memory, 4, LARGE));
        ok!(cudaMemset(mapped, read(mapped, 1)[0].into(), CHUNK - 1));
        ok!(cudaMemset(mapped, 6, 1));
        let host = [7_u8; 16];
        ok!(cudaMemcpyAsync(
            first.memory,
            host.as_ptr() as u64,
            16,
            DEFAULT,
            first.stream
        ));
        [copy, memory, mapped, mapped + 1, first.memory]
            .map(|at| read(at, 1)[0])
            .to_vec()
    });
    // What `cudaMalloc` gave is left out of the copy, and holds zeros there.
    assert_eq!(seen, [0, 4, 6, 5, 7]);

    assert_eq!(read(memory, LARGE)[LARGE - 1], 3);
    assert_eq!(read(mapped, CHUNK)[0], 5);
    second.all_reduce();
    ok!(cudaStreamSynchronize(first.stream));
    assert_eq!(read(first.memory, 1), [11]);
    ok!(cudaFree(memory));
    ok!(cuMemUnmap(mapped, CHUNK));
    ok!(cuMemRelease(handle));
    ok!(cuMemAddressFree(mapped, CHUNK));
    Rank::destroy(ranks);
}
