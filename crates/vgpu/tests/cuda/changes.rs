//! Nodes whose parameters a program changes, in graphs and in executable graphs, and what these hold.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::runtime::{INVALID_VALUE, filled, gives, made, my_turn, ok, read, stream};

/// `cudaMemsetParams`: start, pitch, value and its size in one number, width, height.
type Fill = [u64; 5];

fn fill(start: u64, value: u64) -> Fill {
    [start, 0, value | 1 << 32, 64, 1]
}

/// A graph that fills memory, and its node.
fn filling(parameters: &Fill) -> (u64, u64) {
    let graph = made!(cudaGraphCreate(0));
    let node = made!(cudaGraphAddMemsetNode(
        graph,
        std::ptr::null(),
        0,
        parameters
    ));
    (graph, node)
}

fn run(executable: u64, memory: u64) -> Vec<u8> {
    let stream = stream();
    ok!(cudaMemsetAsync(memory, 0, 64, stream));
    ok!(cudaGraphLaunch(executable, stream));
    ok!(cudaStreamSynchronize(stream));
    ok!(cudaStreamDestroy(stream));
    read(memory, 64)
}

#[test]
fn a_graph_and_its_executable_graph_are_changed_apart() {
    let _turn = my_turn();
    let memory = filled(64, 0);
    let (graph, node) = filling(&fill(memory, 1));
    let executable = made!(cudaGraphInstantiateWithFlags(graph, 0));
    ok!(cudaGraphMemsetNodeSetParams(node, &fill(memory, 2)));
    let mut written: Fill = [0; 5];
    ok!(cudaGraphMemsetNodeGetParams(node, &raw mut written));
    assert_eq!(written, fill(memory, 2));
    assert_eq!(run(executable, memory), [1; 64]);

    ok!(cudaGraphExecMemsetNodeSetParams(
        executable,
        node,
        &fill(memory, 3)
    ));
    assert_eq!(run(executable, memory), [3; 64]);
    let mut rows = fill(memory, 3);
    (rows[1], rows[3], rows[4]) = (32, 32, 2);
    gives!(
        INVALID_VALUE,
        cudaGraphExecMemsetNodeSetParams(executable, node, &raw const rows)
    );
    ok!(cudaGraphExecDestroy(executable));
    ok!(cudaGraphDestroy(graph));
    ok!(cudaFree(memory));
}

#[test]
fn a_node_that_is_turned_off_does_nothing() {
    let _turn = my_turn();
    let memory = filled(64, 0);
    let (graph, node) = filling(&fill(memory, 1));
    let empty = made!(cudaGraphAddEmptyNode(graph, &raw const node, 1));
    let executable = made!(cudaGraphInstantiateWithFlags(graph, 0));
    ok!(cudaGraphNodeSetEnabled(executable, node, 0));
    assert_eq!(run(executable, memory), [0; 64]);
    ok!(cudaGraphNodeSetEnabled(executable, node, 1));
    assert_eq!(run(executable, memory), [1; 64]);
    gives!(INVALID_VALUE, cudaGraphNodeSetEnabled(executable, empty, 0));
    ok!(cudaGraphExecDestroy(executable));
    ok!(cudaGraphDestroy(graph));
    ok!(cudaFree(memory));
}

extern "C" fn count(counter: *mut c_void) {
    // SAFETY: the object was made with a counter that outlives it.
    let counter = unsafe { &*counter.cast::<AtomicU32>() };
    counter.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn an_executable_graph_holds_what_its_graph_held() {
    let _turn = my_turn();
    let ended = AtomicU32::new(0);
    let counter = (&raw const ended).cast_mut().cast();
    let object = made!(cudaUserObjectCreate(counter, count, 1, 1));
    let graph = made!(cudaGraphCreate(0));
    ok!(cudaGraphRetainUserObject(graph, object, 1, 1));
    let executable = made!(cudaGraphInstantiateWithFlags(graph, 0));
    ok!(cudaGraphReleaseUserObject(graph, object, 1));
    gives!(INVALID_VALUE, cudaGraphReleaseUserObject(graph, object, 1));
    ok!(cudaGraphDestroy(graph));
    assert_eq!(ended.load(Ordering::Relaxed), 0);
    ok!(cudaGraphExecDestroy(executable));
    assert_eq!(ended.load(Ordering::Relaxed), 1);
}
