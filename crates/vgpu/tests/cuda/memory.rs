//! Memory: that it is found, counted, used up, and holds what is written.

use crate::runtime::{
    DEFAULT, INVALID_VALUE, OUT_OF_MEMORY, filled, gives, made, my_turn, ok, read, stream,
};

fn free_bytes() -> usize {
    let (mut free, mut total) = (0, 0);
    ok!(cudaMemGetInfo(&raw mut free, &raw mut total));
    assert!(free < total);
    free
}

#[test]
fn what_is_allocated_is_not_free_until_it_is_freed() {
    let _turn = my_turn();
    let before = free_bytes();
    let address = made!(cudaMalloc(100 << 20));
    assert_eq!(before - free_bytes(), 100 << 20);
    ok!(cudaFree(address));
    assert_eq!(free_bytes(), before);
}

#[test]
fn small_allocations_share_two_megabytes() {
    let _turn = my_turn();
    let before = free_bytes();
    let addresses: Vec<u64> = (0..4).map(|_| made!(cudaMalloc(512))).collect();
    assert!(before - free_bytes() <= 2 << 20);
    for address in addresses {
        ok!(cudaFree(address));
    }
    assert_eq!(free_bytes(), before);
}

#[test]
fn more_than_is_free_is_out_of_memory_and_changes_nothing() {
    let _turn = my_turn();
    let before = free_bytes();
    let mut address = 0_u64;
    gives!(OUT_OF_MEMORY, cudaMalloc(&raw mut address, before + 1));
    gives!(OUT_OF_MEMORY, cudaMalloc(&raw mut address, usize::MAX));
    assert_eq!(free_bytes(), before);
}

#[test]
fn no_bytes_are_a_null_pointer_which_can_be_freed() {
    let _turn = my_turn();
    let address: u64 = made!(cudaMalloc(0));
    assert_eq!(address, 0);
    ok!(cudaFree(address));
}

#[test]
fn only_what_was_allocated_can_be_freed_and_once() {
    let _turn = my_turn();
    let address: u64 = made!(cudaMalloc(4096));
    gives!(INVALID_VALUE, cudaFree(address + 8));
    ok!(cudaFree(address));
    gives!(INVALID_VALUE, cudaFree(address));
    let pinned: u64 = made!(cudaHostAlloc(4096, 0));
    gives!(INVALID_VALUE, cudaFree(pinned));
    ok!(cudaFreeHost(pinned));
}

#[test]
fn copies_and_fills_move_bytes() {
    let _turn = my_turn();
    let (one, two) = (filled(1000, 1), filled(1000, 2));
    ok!(cudaMemcpyAsync(one + 10, two, 5, DEFAULT, 0));
    let values = read(one, 20);
    assert_eq!(values[..10], [1; 10]);
    assert_eq!(values[10..15], [2; 5]);
    assert_eq!(values[15..], [1; 5]);
    ok!(cudaFree(one));
    ok!(cudaFree(two));
}

#[test]
fn large_fills_with_zero_leave_the_neighbours_alone() {
    let _turn = my_turn();
    let bytes = 4 << 20;
    let address = filled(bytes, 7);
    ok!(cudaMemset(address + 100, 0, bytes - 200));
    let values = read(address, bytes);
    assert!(values[..100].iter().all(|value| *value == 7));
    assert!(values[100..bytes - 100].iter().all(|value| *value == 0));
    assert!(values[bytes - 100..].iter().all(|value| *value == 7));
    ok!(cudaFree(address));
}

#[test]
fn copies_past_the_end_are_refused() {
    let _turn = my_turn();
    let (one, two) = (filled(1000, 1), filled(500, 2));
    gives!(INVALID_VALUE, cudaMemcpy(two, one, 1000, DEFAULT));
    gives!(INVALID_VALUE, cudaMemset(two + 400, 0, 200));
    gives!(INVALID_VALUE, cudaMemset(8, 0, 1));
    gives!(INVALID_VALUE, cudaMemcpy(two, 0, 8, DEFAULT));
    ok!(cudaFree(one));
    ok!(cudaFree(two));
}

/// `cudaMemoryType`, of an address.
fn kind(address: u64) -> u64 {
    let mut attributes = [0; 11];
    ok!(cudaPointerGetAttributes(&raw mut attributes, address));
    attributes[0] & 0xFFFF_FFFF
}

#[test]
fn an_address_is_known_for_what_it_is() {
    let _turn = my_turn();
    let device: u64 = made!(cudaMalloc(4096));
    let pinned: u64 = made!(cudaHostAlloc(4096, 0));
    let local = 0_u8;
    assert_eq!(kind(device + 4095), 2);
    assert_eq!(kind(pinned + 1), 1);
    assert_eq!(kind((&raw const local).addr() as u64), 0);
    ok!(cudaFree(device));
    assert_eq!(kind(device), 0);
    ok!(cudaFreeHost(pinned));
}

#[test]
fn a_pool_keeps_nothing_that_is_freed_unless_it_is_told_to() {
    let _turn = my_turn();
    let before = free_bytes();
    let stream = stream();
    let address: u64 = made!(cudaMallocAsync(1 << 20, stream));
    assert_eq!(kind(address), 2);
    assert!(free_bytes() < before);
    ok!(cudaFreeAsync(address, stream));
    assert_eq!(free_bytes(), before);
    ok!(cudaStreamDestroy(stream));
}

#[test]
fn a_pool_that_is_told_to_keep_everything_keeps_it_until_it_is_trimmed() {
    /// `cudaMemPoolAttrReleaseThreshold`.
    const RELEASE_THRESHOLD: i32 = 4;
    let _turn = my_turn();
    let before = free_bytes();
    let pool: u64 = made!(cudaDeviceGetDefaultMemPool(0));
    let mut threshold = u64::MAX;
    ok!(cudaMemPoolSetAttribute(
        pool,
        RELEASE_THRESHOLD,
        (&raw mut threshold).cast()
    ));
    let address: u64 = made!(cudaMallocAsync(1 << 20, 0));
    ok!(cudaFreeAsync(address, 0));
    assert!(free_bytes() < before);
    ok!(cudaMemPoolTrimTo(pool, 0));
    assert_eq!(free_bytes(), before);
    threshold = 0;
    ok!(cudaMemPoolSetAttribute(
        pool,
        RELEASE_THRESHOLD,
        (&raw mut threshold).cast()
    ));
}

#[test]
fn sizes_that_no_memory_has_are_refused() {
    let _turn = my_turn();
    let memory = filled(64, 1);
    gives!(INVALID_VALUE, cudaMemset(memory, 0, usize::MAX));
    gives!(
        INVALID_VALUE,
        cudaMemcpy(memory, memory, usize::MAX, DEFAULT)
    );
    let mut address = 0_u64;
    gives!(
        OUT_OF_MEMORY,
        cudaMallocAsync(&raw mut address, usize::MAX, 0)
    );
    gives!(
        OUT_OF_MEMORY,
        cudaHostAlloc(&raw mut address, usize::MAX, 0)
    );
    ok!(cudaFree(memory));
}
