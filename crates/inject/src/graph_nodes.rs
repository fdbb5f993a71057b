//! The places of a graph's nodes, and the graphs that running captures add to.
//!
//! The program names a node by a handle; the model, by its place in the order in which the nodes were added, in which the
//! driver also lists them (`cuGraphGetNodes`).
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use cgsan_model::{NodeIndex, Stream};

use crate::driver;

/// `cuGraphGetNodes`.
type GetNodes = unsafe extern "C" fn(graph: u64, nodes: *mut u64, count: *mut usize) -> c_int;

/// The graphs of running captures that the program has asked for, each with a stream of its capture.
static ASKED_FOR: Mutex<Vec<(u64, Stream)>> = Mutex::new(Vec::new());

/// The places of nodes in a graph. What is no node of it is left out.
pub fn places(graph: u64, nodes: &[u64]) -> Vec<NodeIndex> {
    if nodes.is_empty() {
        return Vec::new();
    }
    let all = list(graph).unwrap_or_default();
    let place = |node: &u64| all.iter().position(|it| it == node);
    nodes
        .iter()
        .filter_map(|node| u32::try_from(place(node)?).ok().map(NodeIndex))
        .collect()
}

/// The places of nodes in whichever graph of a running capture has them.
pub fn places_in_capture(nodes: &[u64]) -> Vec<NodeIndex> {
    let graphs: Vec<u64> = asked_for().iter().map(|(graph, _)| *graph).collect();
    let found = graphs.into_iter().map(|graph| places(graph, nodes));
    found.max_by_key(Vec::len).unwrap_or_default()
}

/// The program learns which graph a stream captures into.
pub fn ask_for(graph: u64, stream: Stream) {
    let mut asked_for = asked_for();
    if !asked_for.iter().any(|(known, _)| *known == graph) {
        asked_for.push((graph, stream));
    }
}

/// A stream that captures into a graph, if the program has asked for that.
pub fn capturing_into(graph: u64) -> Option<Stream> {
    let asked_for = asked_for();
    let found = asked_for.iter().find(|(known, _)| *known == graph);
    found.map(|(_, stream)| *stream)
}

/// The capture into a graph has ended.
pub fn end(graph: u64) {
    asked_for().retain(|(known, _)| *known != graph);
}

/// All captures have ended.
pub fn end_all() {
    asked_for().clear();
}

fn list(graph: u64) -> Option<Vec<u64>> {
    static FOUND: OnceLock<Option<GetNodes>> = OnceLock::new();
    // SAFETY: a function of this name has this type (`cuda.h`).
    let get_nodes =
        (*FOUND.get_or_init(|| unsafe { driver::function::<GetNodes>(c"cuGraphGetNodes") }))?;
    let mut count = 0;
    // SAFETY: without room for nodes, the function writes how many there are.
    if unsafe { get_nodes(graph, std::ptr::null_mut(), &raw mut count) } != 0 {
        return None;
    }
    let mut nodes = vec![0; count];
    // SAFETY: there is room for so many.
    let result = unsafe { get_nodes(graph, nodes.as_mut_ptr(), &raw mut count) };
    nodes.truncate(count);
    (result == 0).then_some(nodes)
}

fn asked_for() -> MutexGuard<'static, Vec<(u64, Stream)>> {
    ASKED_FOR.lock().unwrap_or_else(PoisonError::into_inner)
}
