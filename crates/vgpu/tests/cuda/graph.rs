//! Graphs that are built node by node.

use crate::runtime::{INVALID_VALUE, gives, made, my_turn, ok};

fn add(graph: u64, after: &[u64]) -> u64 {
    made!(cudaGraphAddEmptyNode(graph, after.as_ptr(), after.len()))
}

fn edges(graph: u64) -> Vec<(u64, u64)> {
    let (mut from, mut to, mut count) = ([0; 8], [0; 8], 8);
    ok!(cudaGraphGetEdges(
        graph,
        from.as_mut_ptr(),
        to.as_mut_ptr(),
        std::ptr::null_mut(),
        &raw mut count
    ));
    from.into_iter().zip(to).take(count).collect()
}

#[test]
fn nodes_wait_for_those_they_were_added_after() {
    let _turn = my_turn();
    let graph = made!(cudaGraphCreate(0));
    let first = add(graph, &[]);
    let second = add(graph, &[first]);
    let third = add(graph, &[first, second]);
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
    let first = add(graph, &[]);
    let second = add(graph, &[first]);
    let third = add(graph, &[second]);
    let fourth = add(graph, &[third]);
    ok!(cudaGraphDestroyNode(second));
    assert_eq!(edges(graph), [(third, fourth)]);
    gives!(INVALID_VALUE, cudaGraphDestroyNode(second));
    ok!(cudaGraphDestroy(graph));
}

#[test]
fn a_node_waits_only_for_nodes_of_its_graph() {
    let _turn = my_turn();
    let (one, other) = (made!(cudaGraphCreate(0)), made!(cudaGraphCreate(0)));
    let foreign = add(other, &[]);
    let mut node = 0;
    gives!(
        INVALID_VALUE,
        cudaGraphAddEmptyNode(&raw mut node, one, &raw const foreign, 1)
    );
    ok!(cudaGraphDestroy(one));
    ok!(cudaGraphDestroy(other));
}
