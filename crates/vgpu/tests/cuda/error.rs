//! Errors, and calls that cannot be served.

use std::ffi::CStr;

use crate::runtime::{
    Dimensions, INVALID_HANDLE, INVALID_VALUE, SUCCESS, cudaGetErrorString, cudaGetLastError,
    gives, made, my_turn, ok,
};

#[test]
fn an_error_stays_until_it_is_read_and_in_its_thread() {
    let _turn = my_turn();
    ok!(cudaFree(0));
    // SAFETY: takes nothing.
    unsafe { cudaGetLastError() };
    gives!(INVALID_VALUE, cudaFree(8));
    ok!(cudaFree(0));
    std::thread::spawn(|| gives!(SUCCESS, cudaPeekAtLastError()))
        .join()
        .expect("the thread ends well");
    gives!(INVALID_VALUE, cudaPeekAtLastError());
    gives!(INVALID_VALUE, cudaGetLastError());
    gives!(SUCCESS, cudaGetLastError());
}

#[test]
fn the_driver_s_errors_are_not_the_runtime_s() {
    let _turn = my_turn();
    // SAFETY: takes nothing.
    unsafe { cudaGetLastError() };
    gives!(INVALID_VALUE, cuMemRelease(8));
    gives!(SUCCESS, cudaPeekAtLastError());
}

#[test]
fn codes_have_texts() {
    for (code, text) in [
        (0, "no error"),
        (900, "operation not permitted when stream is capturing"),
        (12345, "unrecognized error code"),
    ] {
        // SAFETY: gives a text that lives as long as the program.
        let found = unsafe { CStr::from_ptr(cudaGetErrorString(code)) };
        assert_eq!(found.to_str(), Ok(text));
    }
}

#[test]
fn handles_that_name_nothing_are_refused() {
    let _turn = my_turn();
    gives!(INVALID_HANDLE, cudaStreamSynchronize(0xDEAD_BEEF));
    gives!(INVALID_HANDLE, cudaStreamDestroy(0));
    let stream: u64 = made!(cudaStreamCreateWithFlags(0));
    ok!(cudaStreamDestroy(stream));
    gives!(INVALID_HANDLE, cudaStreamSynchronize(stream));
    // SAFETY: takes nothing.
    unsafe { cudaGetLastError() };
}

#[test]
fn an_unregistered_kernel_is_refused() {
    let _turn = my_turn();
    let symbol = std::ptr::dangling();
    gives!(
        98,
        cudaLaunchKernel(
            symbol,
            Dimensions([1; 3]),
            Dimensions([1; 3]),
            std::ptr::null_mut(),
            0,
            0
        )
    );
    // SAFETY: takes nothing.
    unsafe { cudaGetLastError() };
}

#[test]
fn a_missing_function_says_that_it_is_not_supported() {
    gives!(801, cuGraphicsUnregisterResource(0));
}

#[test]
fn time_between_events_is_measured() {
    let _turn = my_turn();
    let (start, end): (u64, u64) = (
        made!(cudaEventCreateWithFlags(0)),
        made!(cudaEventCreateWithFlags(0)),
    );
    ok!(cudaEventRecord(start, 0));
    std::thread::sleep(std::time::Duration::from_millis(5));
    ok!(cudaEventRecord(end, 0));
    let milliseconds: f32 = made!(cudaEventElapsedTime(start, end));
    assert!((5.0..1000.0).contains(&milliseconds), "{milliseconds}");
}

#[test]
fn the_device_is_an_h100() {
    let _turn = my_turn();
    let mut properties = [0; 1008];
    ok!(cudaGetDeviceProperties(&raw mut properties, 0));
    assert!(properties.starts_with(b"NVIDIA H100 80GB HBM3\0"));
    // `major` and `multiProcessorCount`, where the headers of CUDA 13 have them.
    assert_eq!(properties[360..364], 9_i32.to_ne_bytes());
    assert_eq!(properties[384..388], 132_i32.to_ne_bytes());
    // SAFETY: takes nothing.
    unsafe { cudaGetLastError() };
}
