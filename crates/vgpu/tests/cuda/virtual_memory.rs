//! Virtual memory, as expandable segments and symmetric memory use it.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::runtime::{INVALID_VALUE, gives, made, my_turn, ok, read};

const CHUNK: usize = 2 << 20;
static PROPERTIES: [u64; 4] = [1, 1, 0, 0];
/// With `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`.
static SHAREABLE: [u64; 4] = [1 | 1 << 32, 1, 0, 0];
/// With `CU_MEM_HANDLE_TYPE_FABRIC`.
static FABRIC: [u64; 4] = [1 | 8 << 32, 1, 0, 0];
const FILE_DESCRIPTOR: i32 = 1;
const NOT_PERMITTED: i32 = 800;

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

#[test]
fn memory_is_the_same_by_a_file_descriptor_and_outlives_its_handle() {
    let _turn = my_turn();
    let start: u64 = made!(cuMemAddressReserve(2 * CHUNK, 0, 0, 0));
    let second = start + CHUNK as u64;
    let handle: u64 = made!(cuMemCreate(CHUNK, &raw const SHAREABLE, 0));
    ok!(cuMemMap(start, CHUNK, 0, handle, 0));
    ok!(cudaMemset(start + 64, 3, 16));
    let mut descriptor = -1;
    ok!(cuMemExportToShareableHandle(
        &raw mut descriptor,
        handle,
        FILE_DESCRIPTOR,
        0
    ));
    assert_eq!(read(start, 65)[63..], [0, 3], "as before");
    // SAFETY: the descriptor was made for this.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
    let imported: u64 = made!(cuMemImportFromShareableHandle(
        descriptor_as_pointer(&descriptor),
        FILE_DESCRIPTOR
    ));
    drop(descriptor);
    let properties: [u64; 4] = made!(cuMemGetAllocationPropertiesFromHandle(imported));
    assert_eq!(properties, SHAREABLE);
    ok!(cuMemMap(second, CHUNK, 0, imported, 0));
    ok!(cudaMemset(second, 7, 16));
    assert_eq!(read(start, 1), [7]);
    ok!(cuMemUnmap(start, CHUNK));
    ok!(cuMemRelease(handle));
    assert_eq!(read(second, 65)[15..17], [7, 0]);
    ok!(cuMemUnmap(second, CHUNK));
    ok!(cuMemRelease(imported));
    ok!(cuMemAddressFree(start, 2 * CHUNK));
}

fn descriptor_as_pointer(descriptor: &OwnedFd) -> usize {
    usize::try_from(descriptor.as_raw_fd()).unwrap()
}

#[test]
fn only_what_was_made_to_be_shared_can_be() {
    let _turn = my_turn();
    let handle: u64 = made!(cuMemCreate(CHUNK, &raw const PROPERTIES, 0));
    let mut descriptor = -1;
    let out = &raw mut descriptor;
    for kind in [FILE_DESCRIPTOR, FILE_DESCRIPTOR + 1] {
        gives!(
            INVALID_VALUE,
            cuMemExportToShareableHandle(out, handle, kind, 0)
        );
    }
    ok!(cuMemRelease(handle));
    gives!(
        INVALID_VALUE,
        cuMemExportToShareableHandle(out, handle, FILE_DESCRIPTOR, 0)
    );
    let mut made = 0;
    let out = &raw mut made;
    gives!(NOT_PERMITTED, cuMemCreate(out, CHUNK, &raw const FABRIC, 0));
    for descriptor in [0, usize::MAX] {
        gives!(
            INVALID_VALUE,
            cuMemImportFromShareableHandle(out, descriptor, FILE_DESCRIPTOR)
        );
    }
}
