//! Changing what nodes do, of graphs and of executable graphs.

use std::ffi::{c_int, c_uint};

use cgsan_model::{Code, NodeKind};

use super::copy::Memcpy3D;
use super::graph_build::{self, HostParameters, Made, MemsetParameters};
use super::graph_node::Parameters;
use crate::ffi::{In, Out, Untyped, entry};
use crate::gpu;
use crate::gpu::work::Work;
use crate::memory::{Transfer, copy_3d};

entry! {
    /// Changes what a kernel node launches. The driver's own parameters have further fields at their end, which are not
    /// kept.
    fn cudaGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2(
        this, node: u64, parameters: Untyped,
    ) {
        change(node, graph_build::kernel(this, parameters, 0))
    }

    /// Changes what a node copies.
    fn cudaGraphMemcpyNodeSetParams(_this, node: u64, parameters: In<Memcpy3D>) {
        change(node, graph_build::copy(parameters.get()?.transfer()?))
    }

    /// Changes what a node copies.
    fn cuGraphMemcpyNodeSetParams(_this, node: u64, parameters: In<copy_3d::Parameters>) {
        change(node, graph_build::copy(parameters.get()?.transfer()?))
    }

    /// Changes which consecutive bytes a node copies.
    fn cudaGraphMemcpyNodeSetParams1D(_this, node: u64, to: u64, from: u64, bytes: usize, _direction: c_int) {
        change(node, graph_build::copy(Transfer::linear(to, from, bytes as u64)))
    }

    /// Changes what a node fills.
    fn cudaGraphMemsetNodeSetParams, cuGraphMemsetNodeSetParams(_this, node: u64, parameters: In<MemsetParameters>) {
        change(node, graph_build::fill(parameters.get()?))
    }

    /// Changes which function of the program a node calls.
    fn cudaGraphHostNodeSetParams, cuGraphHostNodeSetParams(_this, node: u64, parameters: In<HostParameters>) {
        change(node, graph_build::host(parameters.get()?))
    }

    /// Changes which event a node records.
    fn cudaGraphEventRecordNodeSetEvent, cuGraphEventRecordNodeSetEvent(_this, node: u64, event: u64) {
        change(node, Ok(graph_build::record(event)))
    }

    /// Changes which event a node waits for.
    fn cudaGraphEventWaitNodeSetEvent, cuGraphEventWaitNodeSetEvent(_this, node: u64, event: u64) {
        change(node, Ok(graph_build::wait(event)))
    }

    /// Changes what a node does.
    fn cudaGraphNodeSetParams, cuGraphNodeSetParams(this, node: u64, parameters: Untyped) {
        change(node, Parameters(parameters).made(this))
    }

    /// Changes what an executable graph launches for a kernel node.
    fn cudaGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2(
        this, executable: u64, node: u64, parameters: Untyped,
    ) {
        update(executable, node, graph_build::kernel(this, parameters, 0))
    }

    /// Changes what an executable graph copies for a node.
    fn cudaGraphExecMemcpyNodeSetParams(_this, executable: u64, node: u64, parameters: In<Memcpy3D>) {
        update(executable, node, graph_build::copy(parameters.get()?.transfer()?))
    }

    /// Changes what an executable graph copies for a node.
    fn cuGraphExecMemcpyNodeSetParams(
        _this, executable: u64, node: u64, parameters: In<copy_3d::Parameters>, _context: u64,
    ) {
        update(executable, node, graph_build::copy(parameters.get()?.transfer()?))
    }

    /// Changes which consecutive bytes an executable graph copies for a node.
    fn cudaGraphExecMemcpyNodeSetParams1D(
        _this, executable: u64, node: u64, to: u64, from: u64, bytes: usize, _direction: c_int,
    ) {
        update(executable, node, graph_build::copy(Transfer::linear(to, from, bytes as u64)))
    }

    /// Changes what an executable graph fills for a node.
    fn cudaGraphExecMemsetNodeSetParams(_this, executable: u64, node: u64, parameters: In<MemsetParameters>) {
        update(executable, node, graph_build::fill(parameters.get()?))
    }

    /// Changes what an executable graph fills for a node.
    fn cuGraphExecMemsetNodeSetParams(
        _this, executable: u64, node: u64, parameters: In<MemsetParameters>, _context: u64,
    ) {
        update(executable, node, graph_build::fill(parameters.get()?))
    }

    /// Changes which function of the program an executable graph calls for a node.
    fn cudaGraphExecHostNodeSetParams, cuGraphExecHostNodeSetParams(
        _this, executable: u64, node: u64, parameters: In<HostParameters>,
    ) {
        update(executable, node, graph_build::host(parameters.get()?))
    }

    /// Changes which event an executable graph records for a node.
    fn cudaGraphExecEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent(
        _this, executable: u64, node: u64, event: u64,
    ) {
        update(executable, node, Ok(graph_build::record(event)))
    }

    /// Changes which event an executable graph waits for.
    fn cudaGraphExecEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent(
        _this, executable: u64, node: u64, event: u64,
    ) {
        update(executable, node, Ok(graph_build::wait(event)))
    }

    /// Changes which graph an executable graph runs for a node: one of the same shape.
    fn cudaGraphExecChildGraphNodeSetParams, cuGraphExecChildGraphNodeSetParams(
        _this, executable: u64, node: u64, child: u64,
    ) {
        update(executable, node, graph_build::child(child))
    }

    /// Changes what an executable graph does for a node.
    fn cudaGraphExecNodeSetParams, cuGraphExecNodeSetParams(this, executable: u64, node: u64, parameters: Untyped) {
        update(executable, node, Parameters(parameters).made(this))
    }

    /// Turns a node of an executable graph on or off.
    fn cudaGraphNodeSetEnabled, cuGraphNodeSetEnabled(_this, executable: u64, node: u64, enabled: c_uint) {
        gpu::lock().graphs.enable(executable, node, enabled != 0)
    }

    /// Writes whether a node of an executable graph is on.
    fn cudaGraphNodeGetEnabled, cuGraphNodeGetEnabled(_this, executable: u64, node: u64, enabled: Out<c_uint>) {
        enabled.put(gpu::lock().graphs.is_enabled(executable, node)?.into())
    }
}

/// Makes a node of a graph do something else of its kind.
fn change(node: u64, made: Made) -> Result<(), Code> {
    let (kind, work) = made?;
    let mut gpu = gpu::lock();
    let (graph, place) = gpu.graphs.node(node)?;
    gpu.forbid_while_captured(graph)?;
    if !gpu.graphs.graph(graph)?.nodes()[place]
        .kind
        .is_same_type(&kind)
    {
        return Err(Code::INVALID_VALUE);
    }
    if gpu.graphs.is_embedded(graph) {
        return Err(Code::NOT_SUPPORTED);
    }
    if let NodeKind::ChildGraph { graph: child } = kind {
        gpu.graphs.embed(node, child.0)?;
    }
    gpu.graphs.graph_mut(graph)?.replace(place, kind, work);
    Ok(())
}

/// Makes an executable graph do something else for a node that it was instantiated from.
fn update(executable: u64, node: u64, made: Made) -> Result<(), Code> {
    let (kind, work) = made?;
    let mut gpu = gpu::lock();
    if let NodeKind::ChildGraph { graph: child } = kind
        && !gpu.graphs.is_shaped_like_embedded(child.0, node)?
    {
        return Err(Code::GRAPH_EXEC_UPDATE_FAILURE);
    }
    gpu.graphs.replace_in_executable(executable, node, |old| {
        let may_be = old.kind.is_same_type(&kind)
            && match (&old.work, &work) {
                (Work::Copy(old), Work::Copy(new)) => is_update_of_copy(old, new),
                (Work::Fill(old), Work::Fill(new)) => is_update_of_fill(old.parts(), new.parts()),
                _ => true,
            };
        may_be.then_some((kind, work)).ok_or(Code::INVALID_VALUE)
    })
}

/// Whether a copy can be updated to another: both are of consecutive bytes, of some, and from and to the same kinds of
/// memory (CUDA runtime API, `cudaGraphExecMemcpyNodeSetParams`).
fn is_update_of_copy(old: &Transfer, new: &Transfer) -> bool {
    let is_linear = |transfer: &Transfer| transfer.parts().2[1..] == [1, 1];
    let from_and_to = |transfer: &Transfer| std::mem::discriminant(&transfer.kind());
    is_linear(old) && is_linear(new) && new.bytes() > 0 && from_and_to(old) == from_and_to(new)
}

/// Start, pitch, value, its size, width and rows.
type FillParts = (u64, u64, u32, u8, u64, u64);

/// Whether a fill can be updated to another: of rows the dimensions stay, of a row their number (CUDA runtime API,
/// `cudaGraphExecMemsetNodeSetParams`).
fn is_update_of_fill(old: FillParts, new: FillParts) -> bool {
    let (_, old_pitch, _, old_size, old_width, old_rows) = old;
    let (_, pitch, _, size, width, rows) = new;
    let same_rows = (old_pitch, old_size, old_width) == (pitch, size, width);
    rows == old_rows && (rows == 1 || same_rows) && width > 0
}

#[cfg(test)]
mod tests {
    use super::is_update_of_fill;

    #[test]
    fn rows_stay_as_they_are() {
        let row = (4096, 0, 1, 1, 64, 1);
        assert!(is_update_of_fill(row, (8192, 0, 2, 1, 32, 1)));
        assert!(!is_update_of_fill(row, (4096, 64, 1, 1, 64, 2)));
        let rows = (4096, 64, 1, 1, 32, 2);
        assert!(is_update_of_fill(rows, (8192, 64, 2, 1, 32, 2)));
        assert!(!is_update_of_fill(rows, (4096, 64, 1, 1, 16, 2)));
    }
}
