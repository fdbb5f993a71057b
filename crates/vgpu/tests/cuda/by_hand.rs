//! Graphs and captures that a program steers by hand.

use std::ffi::{c_int, c_void};

use crate::runtime::{
    INVALID_VALUE, NODE_PARAMETERS, RELAXED, captured_graph, empty, filled, gives, made, my_turn,
    ok, read, stream,
};

const NOT_SUPPORTED: c_int = 801;
const ILLEGAL_STATE: c_int = 401;

/// `cudaGraphNodeType`.
const FREES: u64 = 11;
const CONDITIONAL: u64 = 13;

fn begin_to(stream: u64, graph: u64, after: &[u64]) {
    ok!(cudaStreamBeginCaptureToGraph(
        stream,
        graph,
        after.as_ptr(),
        std::ptr::null(),
        after.len(),
        RELAXED
    ));
}

fn edges(graph: u64) -> usize {
    let mut count = 0;
    ok!(cudaGraphGetEdges(
        graph,
        std::ptr::null_mut(),
        std::ptr::null_mut(),
        std::ptr::null_mut(),
        &raw mut count
    ));
    count
}

fn nodes(graph: u64) -> usize {
    let mut count = 0;
    ok!(cudaGraphGetNodes(
        graph,
        std::ptr::null_mut(),
        &raw mut count
    ));
    count
}

fn add_node(parameters: &mut [u64; NODE_PARAMETERS], graph: u64) -> c_int {
    let mut node = 0;
    // SAFETY: the node waits for none, and the parameters have the size of the structure.
    unsafe {
        crate::runtime::cudaGraphAddNode(
            &raw mut node,
            graph,
            std::ptr::null(),
            std::ptr::null::<c_void>(),
            0,
            parameters,
        )
    }
}

#[test]
fn a_capture_adds_to_a_graph_behind_its_nodes() {
    let _turn = my_turn();
    let (stream, memory) = (stream(), filled(64, 0));
    let graph = made!(cudaGraphCreate(0));
    let first = empty(graph, &[]);
    begin_to(stream, graph, &[first]);
    ok!(cudaMemsetAsync(memory, 5, 64, stream));
    gives!(ILLEGAL_STATE, cudaGraphDestroy(graph));
    let mut ended = 0;
    ok!(cudaStreamEndCapture(stream, &raw mut ended));
    assert_eq!((ended, nodes(graph), edges(graph)), (graph, 2, 1));
    let executable = made!(cudaGraphInstantiateWithFlags(graph, 0));
    ok!(cudaGraphLaunch(executable, stream));
    assert_eq!(read(memory, 64), [5; 64]);
    ok!(cudaGraphExecDestroy(executable));
    ok!(cudaGraphDestroy(graph));
    ok!(cudaStreamDestroy(stream));
    ok!(cudaFree(memory));
}

#[test]
fn a_capture_that_fails_takes_the_graph_along() {
    let _turn = my_turn();
    let stream = stream();
    let graph = made!(cudaGraphCreate(0));
    begin_to(stream, graph, &[]);
    ok!(cudaStreamDestroy(stream));
    let mut count = 0;
    gives!(
        INVALID_VALUE,
        cudaGraphGetNodes(graph, std::ptr::null_mut(), &raw mut count)
    );
}

#[test]
fn a_node_is_added_by_hand_to_what_a_capture_makes() {
    /// `cudaStreamSetCaptureDependencies`.
    const SET: u32 = 1;
    let _turn = my_turn();
    let (stream, memory) = (stream(), filled(64, 0));
    ok!(cudaStreamBeginCapture(stream, RELAXED));
    ok!(cudaMemsetAsync(memory, 1, 64, stream));
    let (graph, last) = captured_graph(stream);
    let added = empty(graph, &[last]);
    gives!(ILLEGAL_STATE, cudaGraphDestroyNode(added));
    gives!(ILLEGAL_STATE, cudaGraphDestroy(graph));
    ok!(cudaStreamUpdateCaptureDependencies_v2(
        stream,
        &raw const added,
        std::ptr::null(),
        1,
        SET
    ));
    ok!(cudaMemsetAsync(memory, 2, 64, stream));
    assert_eq!(nodes(graph), 3);
    let mut ended = 0;
    ok!(cudaStreamEndCapture(stream, &raw mut ended));
    assert_eq!((ended, nodes(graph), edges(graph)), (graph, 3, 2));
    let executable = made!(cudaGraphInstantiateWithFlags(graph, 0));
    ok!(cudaGraphLaunch(executable, stream));
    assert_eq!(read(memory, 64), [2; 64]);
    ok!(cudaGraphExecDestroy(executable));
    ok!(cudaGraphDestroy(graph));
    ok!(cudaStreamDestroy(stream));
    ok!(cudaFree(memory));
}

#[test]
fn what_a_conditional_node_runs_can_be_captured() {
    let _turn = my_turn();
    let (stream, memory) = (stream(), filled(64, 0));
    let graph = made!(cudaGraphCreate(0));
    let handle = made!(cudaGraphConditionalHandleCreate(graph, 0, 0));
    let mut parameters = [0; NODE_PARAMETERS];
    // If, with an else.
    (parameters[0], parameters[3]) = (CONDITIONAL, 2 << 32);
    parameters[2] = handle;
    assert_eq!(add_node(&mut parameters, graph), 0);
    let bodies = usize::try_from(parameters[4]).expect("an address");
    let bodies = std::ptr::with_exposed_provenance::<u64>(bodies);
    // SAFETY: the node was added, and made two graphs.
    let bodies = unsafe { [bodies.read(), bodies.add(1).read()] };
    for body in bodies {
        begin_to(stream, body, &[]);
        ok!(cudaMemsetAsync(memory, 1, 64, stream));
        let mut ended = 0;
        ok!(cudaStreamEndCapture(stream, &raw mut ended));
        assert_eq!((ended, nodes(body)), (body, 1));
    }
    let mut clone = 0;
    gives!(NOT_SUPPORTED, cudaGraphClone(&raw mut clone, graph));
    let executable = made!(cudaGraphInstantiateWithFlags(graph, 0));
    let mut second = 0;
    gives!(
        NOT_SUPPORTED,
        cudaGraphInstantiateWithFlags(&raw mut second, graph, 0)
    );
    ok!(cudaGraphLaunch(executable, stream));
    ok!(cudaGraphExecDestroy(executable));
    ok!(cudaGraphDestroy(graph));
    ok!(cudaStreamDestroy(stream));
    ok!(cudaFree(memory));
}

#[test]
fn a_graph_frees_only_what_graphs_allocate() {
    let _turn = my_turn();
    let memory = filled(64, 0);
    let graph = made!(cudaGraphCreate(0));
    let mut parameters = [0; NODE_PARAMETERS];
    (parameters[0], parameters[2]) = (FREES, memory);
    assert_eq!(add_node(&mut parameters, graph), INVALID_VALUE);
    assert_eq!(nodes(graph), 0);
    ok!(cudaGraphDestroy(graph));
    ok!(cudaFree(memory));
}

#[test]
fn edges_can_be_taken_away() {
    let _turn = my_turn();
    let graph = made!(cudaGraphCreate(0));
    let first = empty(graph, &[]);
    let second = empty(graph, &[first]);
    let edge = (&raw const first, &raw const second);
    let no_data = std::ptr::null::<c_void>();
    ok!(cudaGraphRemoveDependencies_v2(
        graph, edge.0, edge.1, no_data, 1
    ));
    assert_eq!(edges(graph), 0);
    gives!(
        INVALID_VALUE,
        cudaGraphRemoveDependencies_v2(graph, edge.0, edge.1, no_data, 1)
    );
    ok!(cudaGraphDestroy(graph));
}
