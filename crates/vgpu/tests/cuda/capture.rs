//! Captures: what is recorded, and what is not done before the launch.

use std::ffi::{c_int, c_void};

use crate::runtime::{
    GLOBAL, INVALIDATED, NON_BLOCKING, RELAXED, UNSUPPORTED_IN_CAPTURE, captured_graph, edges,
    filled, gives, made, my_turn, ok, read, stream,
};

/// Ends a capture and makes its graph executable.
fn finish(stream: u64) -> u64 {
    let mut graph = 0;
    ok!(cudaStreamEndCapture(stream, &raw mut graph));
    let executable = made!(cudaGraphInstantiateWithFlags(graph, 0));
    ok!(cudaGraphDestroy(graph));
    executable
}

#[test]
fn captured_work_runs_at_each_launch_and_not_before() {
    let _turn = my_turn();
    let stream = stream();
    let (one, two) = (filled(64, 1), filled(64, 2));
    ok!(cudaStreamBeginCapture(stream, RELAXED));
    ok!(cudaMemcpyAsync(one, two, 64, 4, stream));
    ok!(cudaMemsetAsync(two, 3, 64, stream));
    let executable = finish(stream);
    assert_eq!(read(one, 64), [1; 64]);
    ok!(cudaGraphLaunch(executable, stream));
    assert_eq!((read(one, 64), read(two, 64)), (vec![2; 64], vec![3; 64]));
    ok!(cudaGraphLaunch(executable, stream));
    assert_eq!(read(one, 64), [3; 64]);
    ok!(cudaGraphExecDestroy(executable));
    gives!(1, cudaGraphLaunch(executable, stream));
    ok!(cudaFree(one));
    ok!(cudaFree(two));
    ok!(cudaStreamDestroy(stream));
}

extern "C" fn count(data: *mut c_void) {
    // SAFETY: the tests pass a counter that outlives the launches.
    unsafe { *data.cast::<u32>() += 1 }
}

#[test]
fn host_functions_run_with_the_graph() {
    let _turn = my_turn();
    let stream = stream();
    let mut calls = 0_u32;
    let data = (&raw mut calls).cast();
    ok!(cudaLaunchHostFunc(stream, count, data));
    assert_eq!(calls, 1);
    ok!(cudaStreamBeginCapture(stream, RELAXED));
    ok!(cudaLaunchHostFunc(stream, count, data));
    let executable = finish(stream);
    assert_eq!(calls, 1);
    ok!(cudaGraphLaunch(executable, stream));
    ok!(cudaGraphLaunch(executable, stream));
    assert_eq!(calls, 3);
    ok!(cudaGraphExecDestroy(executable));
    ok!(cudaStreamDestroy(stream));
}

#[test]
fn an_allocation_invalidates_a_global_capture() {
    let _turn = my_turn();
    let stream = stream();
    ok!(cudaStreamBeginCapture(stream, GLOBAL));
    gives!(UNSUPPORTED_IN_CAPTURE, cudaFree(0));
    let mut status = 0;
    ok!(cudaStreamIsCapturing(stream, &raw mut status));
    assert_eq!(status, 2);
    let mut graph = 77;
    gives!(INVALIDATED, cudaStreamEndCapture(stream, &raw mut graph));
    assert_eq!(graph, 0);
    ok!(cudaFree(0));
    ok!(cudaStreamDestroy(stream));
}

extern "C" fn ignore(_stream: u64, _status: c_int, _data: *mut c_void) {}

/// Begins a capture, expects a call on its stream to be refused, and the capture to be broken by it.
fn breaks_the_capture(call: impl FnOnce(u64) -> c_int) {
    let _turn = my_turn();
    let stream = stream();
    ok!(cudaStreamBeginCapture(stream, RELAXED));
    assert_eq!(call(stream), UNSUPPORTED_IN_CAPTURE);
    let mut graph = 0;
    gives!(INVALIDATED, cudaStreamEndCapture(stream, &raw mut graph));
    ok!(cudaStreamDestroy(stream));
}

#[test]
fn asking_for_the_identity_of_a_capturing_stream_breaks_its_capture() {
    breaks_the_capture(|stream| {
        let mut id = 0;
        // SAFETY: the identity is written to a live variable.
        unsafe { crate::runtime::cudaStreamGetId(stream, &raw mut id) }
    });
}

#[test]
fn a_callback_breaks_the_capture_of_its_stream() {
    breaks_the_capture(|stream| {
        // SAFETY: the callback reads nothing.
        unsafe { crate::runtime::cudaStreamAddCallback(stream, ignore, std::ptr::null_mut(), 0) }
    });
}

#[test]
fn the_next_node_waits_for_what_the_program_says() {
    /// `cudaStreamSetCaptureDependencies`.
    const SET: u32 = 1;
    let _turn = my_turn();
    let stream = stream();
    let memory = filled(64, 0);
    ok!(cudaStreamBeginCapture(stream, RELAXED));
    ok!(cudaMemsetAsync(memory, 1, 64, stream));
    let unknown = 12;
    gives!(
        1,
        cudaStreamUpdateCaptureDependencies_v2(
            stream,
            &raw const unknown,
            std::ptr::null(),
            1,
            SET
        )
    );
    ok!(cudaStreamUpdateCaptureDependencies_v2(
        stream,
        std::ptr::null(),
        std::ptr::null(),
        0,
        SET
    ));
    ok!(cudaMemsetAsync(memory, 2, 64, stream));
    let mut graph = 0;
    ok!(cudaStreamEndCapture(stream, &raw mut graph));
    let mut roots = 0;
    ok!(cudaGraphGetRootNodes(
        graph,
        std::ptr::null_mut(),
        &raw mut roots
    ));
    assert_eq!(roots, 2);
    ok!(cudaGraphDestroy(graph));
    ok!(cudaFree(memory));
    ok!(cudaStreamDestroy(stream));
}

#[test]
fn a_capture_knows_its_graph_and_its_last_nodes_before_it_ends() {
    let _turn = my_turn();
    let stream = stream();
    let memory = filled(64, 0);
    ok!(cudaStreamBeginCapture(stream, RELAXED));
    ok!(cudaMemsetAsync(memory, 1, 64, stream));
    ok!(cudaMemsetAsync(memory, 2, 64, stream));
    let (graph, last) = captured_graph(stream);
    let mut status = 0;
    let null = std::ptr::null_mut();
    ok!(cudaStreamGetCaptureInfo(
        stream,
        &raw mut status,
        null,
        null,
        null.cast(),
        null.cast(),
        null.cast(),
    ));

    let mut ended = 0;
    ok!(cudaStreamEndCapture(stream, &raw mut ended));
    assert_eq!(ended, graph);
    let mut nodes = [0; 2];
    let mut room = 2;
    ok!(cudaGraphGetNodes(graph, nodes.as_mut_ptr(), &raw mut room));
    assert_eq!((room, nodes[1]), (2, last));
    ok!(cudaGraphDestroy(graph));
    ok!(cudaFree(memory));
    ok!(cudaStreamDestroy(stream));
}

#[test]
fn a_fork_and_its_join_become_edges() {
    let _turn = my_turn();
    let (origin, forked) = (stream(), made!(cudaStreamCreateWithFlags(NON_BLOCKING)));
    let (fork, join): (u64, u64) = (
        made!(cudaEventCreateWithFlags(2)),
        made!(cudaEventCreateWithFlags(2)),
    );
    let memory = filled(64, 0);
    ok!(cudaStreamBeginCapture(origin, GLOBAL));
    ok!(cudaMemsetAsync(memory, 1, 8, origin));
    ok!(cudaEventRecord(fork, origin));
    ok!(cudaStreamWaitEvent(forked, fork, 0));
    ok!(cudaMemsetAsync(memory + 8, 2, 8, forked));
    ok!(cudaMemsetAsync(memory + 16, 3, 8, origin));
    ok!(cudaEventRecord(join, forked));
    ok!(cudaStreamWaitEvent(origin, join, 0));
    ok!(cudaMemsetAsync(memory + 24, 4, 8, origin));
    let mut graph = 0;
    ok!(cudaStreamEndCapture(origin, &raw mut graph));
    let mut nodes = [0; 4];
    let mut room = 4;
    ok!(cudaGraphGetNodes(graph, nodes.as_mut_ptr(), &raw mut room));
    let mut edges = edges(graph);
    edges.sort_unstable();
    let mut expected = vec![
        (nodes[0], nodes[1]),
        (nodes[0], nodes[2]),
        (nodes[1], nodes[3]),
        (nodes[2], nodes[3]),
    ];
    expected.sort_unstable();
    assert_eq!(edges, expected);
    ok!(cudaGraphDestroy(graph));
    ok!(cudaFree(memory));
    ok!(cudaStreamDestroy(origin));
    ok!(cudaStreamDestroy(forked));
}

#[test]
fn memory_of_a_graph_is_used_between_its_nodes() {
    let _turn = my_turn();
    let stream = stream();
    let result = filled(16, 0);
    ok!(cudaStreamBeginCapture(stream, RELAXED));
    let scratch: u64 = made!(cudaMallocAsync(4096, stream));
    ok!(cudaMemsetAsync(scratch, 6, 4096, stream));
    ok!(cudaMemcpyAsync(result, scratch, 16, 4, stream));
    ok!(cudaFreeAsync(scratch, stream));
    let executable = finish(stream);
    ok!(cudaGraphLaunch(executable, stream));
    assert_eq!(read(result, 16), [6; 16]);
    ok!(cudaGraphExecDestroy(executable));
    ok!(cudaFree(result));
    ok!(cudaStreamDestroy(stream));
}
