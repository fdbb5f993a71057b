//! Virtual memory, as expandable segments use it.

use crate::runtime::{INVALID_VALUE, gives, made, my_turn, ok, read};

const CHUNK: usize = 2 << 20;
static PROPERTIES: [u64; 4] = [1, 1, 0, 0];

#[test]
fn chunks_that_are_mapped_side_by_side_are_one_range() {
    let _turn = my_turn();
    let start: u64 = made!(cuMemAddressReserve(4 * CHUNK, 0, 0, 0));
    let handles: [u64; 2] =
        std::array::from_fn(|_| made!(cuMemCreate(CHUNK, &raw const PROPERTIES, 0)));
    for (index, handle) in handles.iter().enumerate() {
        ok!(cuMemMap(
            start + (index * CHUNK) as u64,
            CHUNK,
            0,
            *handle,
            0
        ));
    }
    ok!(cuMemSetAccess(start, 2 * CHUNK, std::ptr::null(), 1));
    ok!(cudaMemset(start, 5, 2 * CHUNK));
    assert!(read(start, 2 * CHUNK).iter().all(|value| *value == 5));
    gives!(INVALID_VALUE, cudaMemset(start, 5, 2 * CHUNK + 1));

    ok!(cuMemUnmap(start, 2 * CHUNK));
    gives!(INVALID_VALUE, cudaMemset(start, 5, 1));
    for handle in handles {
        ok!(cuMemRelease(handle));
        gives!(INVALID_VALUE, cuMemRelease(handle));
    }
    ok!(cuMemAddressFree(start, 4 * CHUNK));
}

#[test]
fn memory_that_is_mapped_twice_is_the_same_memory() {
    let _turn = my_turn();
    let start: u64 = made!(cuMemAddressReserve(2 * CHUNK, 0, 0, 0));
    let handle: u64 = made!(cuMemCreate(CHUNK, &raw const PROPERTIES, 0));
    let second = start + CHUNK as u64;
    ok!(cuMemMap(start, CHUNK, 0, handle, 0));
    ok!(cuMemMap(second, CHUNK, 0, handle, 0));
    ok!(cuMemRelease(handle));
    ok!(cudaMemset(start, 9, 16));
    assert_eq!(read(second, 17)[15..], [9, 0]);
    gives!(INVALID_VALUE, cuMemAddressFree(start, 2 * CHUNK));
    ok!(cuMemUnmap(start, 2 * CHUNK));
    ok!(cuMemAddressFree(start, 2 * CHUNK));
}

#[test]
fn only_reserved_addresses_can_be_mapped() {
    let _turn = my_turn();
    let start: u64 = made!(cuMemAddressReserve(CHUNK, 0, 0, 0));
    let handle: u64 = made!(cuMemCreate(CHUNK, &raw const PROPERTIES, 0));
    gives!(
        INVALID_VALUE,
        cuMemMap(start + CHUNK as u64, CHUNK, 0, handle, 0)
    );
    gives!(INVALID_VALUE, cuMemMap(start, CHUNK, 0, handle + 1, 0));
    ok!(cuMemRelease(handle));
    ok!(cuMemAddressFree(start, CHUNK));
}
