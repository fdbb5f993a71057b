//! Two devices in one process.

use std::ffi::c_int;

use crate::runtime::{
    GLOBAL, INVALID_DEVICE, INVALID_HANDLE, INVALIDATED, RELAXED, UNSUPPORTED_IN_CAPTURE, filled,
    gives, made, my_turn, ok, read, stream,
};

fn current() -> c_int {
    made!(cudaGetDevice())
}

fn free_bytes() -> usize {
    let (mut free, mut total) = (0, 0);
    ok!(cudaMemGetInfo(&raw mut free, &raw mut total));
    free
}

/// A stream of a device, which becomes current.
fn stream_of(device: c_int) -> u64 {
    ok!(cudaSetDevice(device));
    stream()
}

#[test]
fn a_thread_uses_the_device_that_it_chose() {
    let _turn = my_turn();
    let count: c_int = made!(cudaGetDeviceCount());
    assert_eq!(count, 2);
    gives!(INVALID_DEVICE, cudaSetDevice(2));
    ok!(cudaSetDevice(1));
    assert_eq!(current(), 1);
    assert_eq!(std::thread::spawn(current).join().unwrap(), 0);
    let mut first = 0;
    ok!(cuDevicePrimaryCtxRetain(&raw mut first, 0));
    ok!(cuCtxPushCurrent_v2(first));
    assert_eq!(current(), 0);
    let popped: u64 = made!(cuCtxPopCurrent_v2());
    assert_eq!((popped, current()), (first, 1));
}

#[test]
fn streams_and_memory_belong_to_the_device_that_was_current() {
    let _turn = my_turn();
    let before = free_bytes();
    ok!(cudaSetDevice(1));
    let (block, stream) = (filled(100 << 20, 0), stream());
    ok!(cudaSetDevice(0));
    assert_eq!(free_bytes(), before);
    let mut device = -1;
    ok!(cudaStreamGetDevice(stream, &raw mut device));
    assert_eq!(device, 1);
    let mut attributes = [0_u64; 11];
    ok!(cudaPointerGetAttributes(&raw mut attributes, block));
    assert_eq!(attributes[0] >> 32, 1);
    ok!(cudaFree(block));
    ok!(cudaStreamDestroy(stream));
}

#[test]
fn an_event_is_recorded_on_its_own_device_and_awaited_on_any() {
    let _turn = my_turn();
    let streams = [stream_of(0), stream_of(1)];
    let event: u64 = made!(cudaEventCreateWithFlags(2));
    gives!(INVALID_HANDLE, cudaEventRecord(event, streams[0]));
    ok!(cudaEventRecord(event, streams[1]));
    ok!(cudaStreamWaitEvent(streams[0], event, 0));
}

#[test]
fn peers_are_enabled_once_and_copies_between_them_are_made() {
    let _turn = my_turn();
    gives!(INVALID_DEVICE, cudaDeviceEnablePeerAccess(0, 0));
    ok!(cudaDeviceEnablePeerAccess(1, 0));
    gives!(704, cudaDeviceEnablePeerAccess(1, 0));
    ok!(cudaDeviceDisablePeerAccess(1));
    gives!(705, cudaDeviceDisablePeerAccess(1));
    let from = filled(64, 7);
    let stream = stream_of(1);
    let to = filled(64, 0);
    ok!(cudaMemcpyPeerAsync(to, 1, from, 0, 64, stream));
    ok!(cudaStreamSynchronize(stream));
    assert_eq!(read(to, 64), [7; 64]);
}

#[test]
fn a_capture_refuses_to_enable_a_peer_and_is_broken_by_it() {
    let _turn = my_turn();
    ok!(cudaSetDevice(0));
    breaks(|_| gives!(UNSUPPORTED_IN_CAPTURE, cudaDeviceEnablePeerAccess(1, 0)));
    gives!(705, cudaDeviceDisablePeerAccess(1));
    let stream = stream();
    ok!(cudaStreamBeginCapture(stream, RELAXED));
    ok!(cudaDeviceEnablePeerAccess(1, 0));
    let mut graph = 0;
    ok!(cudaStreamEndCapture(stream, &raw mut graph));
    ok!(cudaDeviceDisablePeerAccess(1));
}

#[test]
fn a_capture_refuses_a_copy_that_names_two_devices() {
    let _turn = my_turn();
    let to = filled(64, 0);
    ok!(cudaSetDevice(0));
    let from = filled(64, 7);
    breaks(|stream| {
        gives!(
            UNSUPPORTED_IN_CAPTURE,
            cudaMemcpyPeerAsync(to, 1, from, 0, 64, stream)
        );
    });
    // Those that name one device, or nothing to copy, are as good as any.
    let stream = stream();
    ok!(cudaStreamBeginCapture(stream, GLOBAL));
    ok!(cudaMemcpyPeerAsync(to, 0, from, 0, 64, stream));
    ok!(cudaMemcpyPeerAsync(to, 1, from, 0, 0, stream));
    let mut graph = 0;
    ok!(cudaStreamEndCapture(stream, &raw mut graph));
    ok!(cudaGraphDestroy(graph));
}

/// A capture in which this is called, with its stream, cannot be ended well.
fn breaks(call: impl FnOnce(u64)) {
    let stream = stream();
    ok!(cudaStreamBeginCapture(stream, GLOBAL));
    call(stream);
    let mut graph = 0;
    gives!(INVALIDATED, cudaStreamEndCapture(stream, &raw mut graph));
    ok!(cudaStreamDestroy(stream));
}

#[test]
fn a_device_can_be_waited_for_while_the_other_captures() {
    let _turn = my_turn();
    let stream = stream_of(0);
    ok!(cudaStreamBeginCapture(stream, GLOBAL));
    ok!(cudaSetDevice(1));
    ok!(cudaDeviceSynchronize());
    ok!(cudaSetDevice(0));
    let mut graph = 0;
    ok!(cudaStreamEndCapture(stream, &raw mut graph));
    ok!(cudaGraphDestroy(graph));
}
