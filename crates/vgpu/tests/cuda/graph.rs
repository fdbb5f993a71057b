//! Graphs that are built node by node.

use crate::runtime::{INVALID_VALUE, edges, empty, gives, made, my_turn, ok};

#[test]
fn nodes_wait_for_those_they_were_added_after() {
    let _turn = my_turn();
    let graph = made!(cudaGraphCreate(0));
    let first = empty(graph, &[]);
    let second = empty(graph, &[first]);
    let third = empty(graph, &[first, second]);
    assert_eq!(
        edges(graph),
        [(first, second), (first, third), (second, third)]
    );
    let mut kind = -1;
    ok!(cudaGraphNodeGetType(third, &raw mut kind));
    assert_eq!(kind, 5);
    ok!(cudaGraphDestroy(graph));
    gives!(INVALID_VALUE, cudaGraphNodeGetType(third, &raw mut kind));
}

#[test]
fn a_node_that_is_destroyed_takes_its_edges_along() {
    let _turn = my_turn();
    let graph = made!(cudaGraphCreate(0));
    let first = empty(graph, &[]);
    let second = empty(graph, &[first]);
    let third = empty(graph, &[second]);
    let fourth = empty(graph, &[third]);
    ok!(cudaGraphDestroyNode(second));
    assert_eq!(edges(graph), [(third, fourth)]);
    gives!(INVALID_VALUE, cudaGraphDestroyNode(second));
    ok!(cudaGraphDestroy(graph));
}

#[test]
fn a_node_waits_only_for_nodes_of_its_graph() {
    let _turn = my_turn();
    let (one, other) = (made!(cudaGraphCreate(0)), made!(cudaGraphCreate(0)));
    let foreign = empty(other, &[]);
    let mut node = 0;
    gives!(
        INVALID_VALUE,
        cudaGraphAddEmptyNode(&raw mut node, one, &raw const foreign, 1)
    );
    ok!(cudaGraphDestroy(one));
    ok!(cudaGraphDestroy(other));
}
