//! Memory of another process.

use std::env;
use std::process::Command;

use crate::runtime::{DEFAULT, INVALID_VALUE, IpcHandle, gives, my_turn, ok};

/// `cudaErrorDeviceUninitialized`.
const INVALID_CONTEXT: i32 = 201;

/// Tells the test that is the other process what to open.
const HANDLE: &str = "CGSAN_TEST_IPC_HANDLE";

const BYTES: usize = 3 << 20;

fn allocated() -> u64 {
    let mut address = 0;
    ok!(cudaMalloc(&raw mut address, BYTES));
    address
}

fn exported(address: u64) -> [u8; 64] {
    let mut handle = [0; 64];
    ok!(cudaIpcGetMemHandle(&raw mut handle, address));
    handle
}

/// Two bytes of device memory, far from each other.
fn ends(address: u64) -> [u8; 2] {
    let mut bytes = [0; 2];
    for (byte, at) in bytes.iter_mut().zip([0, BYTES as u64 - 1]) {
        ok!(cudaMemcpy(
            (&raw mut *byte) as u64,
            address + at,
            1,
            DEFAULT
        ));
    }
    bytes
}

#[test]
fn what_one_process_writes_the_other_reads() {
    let _turn = my_turn();
    let address = allocated();
    ok!(cudaMemset(address, 5, BYTES));
    let handle = exported(address);
    assert_eq!(exported(address), handle, "asked twice");
    assert_eq!(ends(address), [5, 5], "as before");
    let other = Command::new(env::current_exe().expect("this test"))
        .args(["--exact", "ipc::the_other_process", "--ignored"])
        .env(HANDLE, handle.map(|byte| byte.to_string()).join(" "))
        .output()
        .expect("it starts");
    assert!(
        other.status.success(),
        "{}",
        String::from_utf8_lossy(&other.stdout)
    );
    assert_eq!(ends(address), [7, 0], "what the other process wrote");
    ok!(cudaFree(address));
}

#[test]
#[ignore = "the other process of a test"]
fn the_other_process() {
    let Ok(text) = env::var(HANDLE) else { return };
    let mut handle = [0; 64];
    for (byte, number) in handle.iter_mut().zip(text.split(' ')) {
        *byte = number.parse().expect("a byte");
    }
    let mut address = 0;
    ok!(cudaIpcOpenMemHandle(&raw mut address, IpcHandle(handle), 1));
    assert_eq!(ends(address), [5, 5]);
    // Large fills with zero drop pages of memory that is a process's own.
    ok!(cudaMemset(address, 0, BYTES));
    ok!(cudaMemset(address, 7, BYTES / 2));
    gives!(INVALID_VALUE, cudaFree(address));
    ok!(cudaIpcCloseMemHandle(address));
    gives!(INVALID_VALUE, cudaIpcCloseMemHandle(address));
    handle[16] ^= 1;
    gives!(
        INVALID_VALUE,
        cudaIpcOpenMemHandle(&raw mut address, IpcHandle(handle), 1)
    );
}

#[test]
fn only_the_start_of_a_block_is_shared_and_with_others() {
    let _turn = my_turn();
    let address = allocated();
    let mut handle = [0; 64];
    gives!(
        INVALID_VALUE,
        cudaIpcGetMemHandle(&raw mut handle, address + 512)
    );
    let handle = IpcHandle(exported(address));
    let mut opened = 0;
    gives!(
        INVALID_CONTEXT,
        cudaIpcOpenMemHandle(&raw mut opened, handle, 1)
    );
    gives!(
        INVALID_VALUE,
        cudaIpcOpenMemHandle(&raw mut opened, IpcHandle([0; 64]), 1)
    );
    gives!(INVALID_VALUE, cudaIpcCloseMemHandle(address));
    ok!(cudaFree(address));
}

#[test]
fn a_shared_block_is_freed_in_stream_order_too() {
    let _turn = my_turn();
    let address = allocated();
    exported(address);
    ok!(cudaFreeAsync(address, 0));
    let mut handle = [0; 64];
    gives!(INVALID_VALUE, cudaIpcGetMemHandle(&raw mut handle, address));
}
