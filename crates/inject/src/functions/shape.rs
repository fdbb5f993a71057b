//! The shapes of the functions' parameters (`generated_cuda_meta.h`): several functions share one. Handles, pointers and
//! device addresses are 8 bytes each.

use cgsan_observe::Plain;

use crate::foreign::Pointer;

macro_rules! shapes {
    ($($(#[$text:meta])* struct $name:ident $(<$T:ident>)? { $($field:ident: $type:ty,)* })*) => {
        $($(#[$text])* #[repr(C)] #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs, reason = "the fields are named after what they are")]
        pub struct $name $(<$T>)? { $(pub $field: $type,)* }

        #[expect(unsafe_code, reason = "each field is checked")]
        // SAFETY: the structure has these fields alone, and each is plain (see `fields`).
        unsafe impl $(<$T: Plain>)? Plain for $name $(<$T>)? {}

        impl $(<$T: Plain>)? $name $(<$T>)? {
            /// Does not compile unless every field is plain.
            #[allow(dead_code, unused_variables, reason = "for the compiler alone")]
            fn fields(self) {
                fn plain(_: impl Plain) {}
                $(plain(self.$field);)*
            }
        })*
    };
}

shapes! {
    /// A stream.
    struct OfStream { stream: u64, }
    /// A new stream, its flags and its priority, which not all functions take.
    struct NewStream { out: Pointer<u64>, flags: u32, priority: i32, }
    /// A new stream without a priority.
    struct NewPlainStream { out: Pointer<u64>, flags: u32, }
    /// A stream and an event.
    struct StreamEvent { stream: u64, event: u64, flags: u32, }
    /// A stream and a capture mode.
    struct BeginCapture { stream: u64, mode: u32, }
    /// A stream, a graph with the nodes to begin at, and a mode.
    struct BeginCaptureToGraph { stream: u64, graph: u64, nodes: Pointer<u64>, edges: u64, count: usize, mode: u32, }
    /// What a capturing stream's next node is to wait for.
    struct UpdateDependencies { stream: u64, nodes: Pointer<u64>, count: usize, flags: u32, }
    /// The same, with what is special about the edges.
    struct UpdateDependenciesBehindEdges { stream: u64, nodes: Pointer<u64>, edges: u64, count: usize, flags: u32, }
    /// What a stream captures; the first version of the function ends behind the number of the capture.
    struct CaptureInfo { stream: u64, status: Pointer<u32>, id: u64, graph: Pointer<u64>, }
    /// A stream and the graph it becomes.
    struct EndCapture { stream: u64, out: Pointer<u64>, }
    /// A mode, which is exchanged.
    struct ExchangeMode { mode: Pointer<u32>, }
    /// A stream and a host function.
    struct HostFunction { stream: u64, function: u64, }

    /// An event.
    struct OfEvent { event: u64, }
    /// A new event.
    struct NewEvent { out: Pointer<u64>, flags: u32, }
    /// An event and its stream.
    struct EventRecord { event: u64, stream: u64, }
    /// An event, its stream and flags.
    struct EventRecordWithFlags { event: u64, stream: u64, flags: u32, }
    /// The time between two events.
    struct ElapsedTime { milliseconds: u64, start: u64, end: u64, }

    /// A graph or an executable graph.
    struct OfGraph { graph: u64, }
    /// A new graph.
    struct NewGraph { out: Pointer<u64>, flags: u32, }
    /// A new node of a graph, behind others.
    struct AddNode { out: u64, graph: u64, after: Pointer<u64>, count: usize, }
    /// The same, with what it does: a handle, an address, or where that is described.
    struct AddNodeOf<T> { node: AddNode, what: T, }
    /// A new node of a graph, behind others, with what is special about the edges.
    struct AddNodeBehindEdges {
        out: u64, graph: u64, after: Pointer<u64>, edges: u64, count: usize, what: Pointer<NodeParameters>,
    }
    /// `CUgraphNodeParams`, up to what a node of its kind needs, which has 8-byte parts.
    struct NodeParameters { kind: u32, reserved: u32, more: u64, }
    /// The beginning of `CUDA_CONDITIONAL_NODE_PARAMS`; the driver owns the list of graphs.
    struct Conditional { handle: u64, kind: u32, size: u32, graphs: Pointer<u64>, }
    /// The beginning of `CUDA_KERNEL_NODE_PARAMS`.
    struct KernelNode { function: u64, grid: [u32; 3], block: [u32; 3], shared: u32, }
    /// `CUDA_MEMSET_NODE_PARAMS`; the size is that of an element, and the width in elements.
    struct MemsetNode { to: u64, pitch: u64, value: u32, size: u32, width: u64, height: u64, }
    /// `CUDA_MEM_ALLOC_NODE_PARAMS`.
    struct AllocationNode { pool: [u64; 11], access: u64, access_count: usize, bytes: u64, address: u64, }
    /// An executable of a graph.
    struct Instantiate { out: Pointer<u64>, graph: u64, flags: u64, }
    /// An executable of a graph, with room for an error, as CUDA 11 has it.
    struct InstantiateWithLog { out: Pointer<u64>, graph: u64, }
    /// An executable of a graph, with parameters in a structure.
    struct InstantiateWithParameters { out: Pointer<u64>, graph: u64, parameters: Pointer<u64>, }
    /// An executable and a graph.
    struct ExecUpdate { exec: u64, graph: u64, }
    /// An executable and a stream.
    struct GraphLaunch { exec: u64, stream: u64, }

    /// Nothing that is read.
    struct Nothing {}
    /// Memory allocated in stream order.
    struct AllocAsync { out: Pointer<u64>, bytes: u64, stream: u64, }
    /// Memory allocated in stream order from a pool.
    struct AllocFromPoolAsync { out: Pointer<u64>, bytes: u64, pool: u64, stream: u64, }
    /// Memory freed in stream order.
    struct FreeAsync { address: u64, stream: u64, }
    /// Managed memory prefetched in stream order.
    struct Prefetch { address: u64, bytes: u64, device: i32, stream: u64, }
    /// The same, to a location of two numbers.
    struct PrefetchTo { address: u64, bytes: u64, location: [u32; 2], flags: u32, stream: u64, }

    /// A kernel launch.
    struct Launch {
        function: u64, grid: [u32; 3], block: [u32; 3], shared: u32, stream: u64,
    }
    /// The same with where the kernel's parameters are, one by one.
    struct LaunchGiven { launch: Launch, arguments: u64, }
    /// The same with where they may be all together.
    struct LaunchGivenEither { given: LaunchGiven, extra: u64, }
    /// A kernel launch by its configuration.
    struct LaunchEx { config: Pointer<LaunchConfig>, function: u64, }
    /// The same with where the kernel's parameters are.
    struct LaunchExGiven { launch: LaunchEx, arguments: u64, extra: u64, }
    /// `CUlaunchConfig`.
    struct LaunchConfig {
        grid: [u32; 3], block: [u32; 3], shared: u32, stream: u64, attributes: u64, attribute_count: u32,
    }
    /// A copy.
    struct Copy { to: u64, from: u64, bytes: u64, }
    /// A copy in stream order.
    struct CopyAsync { to: u64, from: u64, bytes: u64, stream: u64, }
    /// A copy between contexts.
    struct CopyPeer { to: u64, to_context: u64, from: u64, from_context: u64, bytes: u64, }
    /// A copy between contexts in stream order.
    struct CopyPeerAsync { to: u64, to_context: u64, from: u64, from_context: u64, bytes: u64, stream: u64, }
    /// A copy of rows.
    struct Copy2D { copy: Pointer<Rows>, }
    /// A copy of rows in stream order.
    struct Copy2DAsync { copy: Pointer<Rows>, stream: u64, }
    /// A copy of planes.
    struct Copy3D { copy: Pointer<Planes>, }
    /// A copy of planes in stream order.
    struct Copy3DAsync { copy: Pointer<Planes>, stream: u64, }
    /// `CUDA_MEMCPY2D`.
    struct Rows { from: RowsEnd, to: RowsEnd, width: u64, height: u64, }
    /// One end of a [`Rows`].
    struct RowsEnd { x: u64, y: u64, kind: u32, host: u64, device: u64, array: u64, pitch: u64, }
    /// `CUDA_MEMCPY3D`.
    struct Planes { from: PlanesEnd, to: PlanesEnd, width: u64, height: u64, depth: u64, }
    /// One end of a [`Planes`].
    struct PlanesEnd {
        x: u64, y: u64, z: u64, level: u64, kind: u32, host: u64, device: u64, array: u64, reserved: u64, pitch: u64,
        height: u64,
    }
    /// A fill with values of one size.
    struct Fill<T> { to: u64, value: T, count: u64, }
    /// A fill in stream order.
    struct FillAsync<T> { to: u64, value: T, count: u64, stream: u64, }
    /// A fill of rows.
    struct FillRows<T> { to: u64, pitch: u64, value: T, width: u64, height: u64, }
    /// A fill of rows in stream order.
    struct FillRowsAsync<T> { to: u64, pitch: u64, value: T, width: u64, height: u64, stream: u64, }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    /// Sizes and offsets as a C compiler gives them for the headers of CUDA 13.0; those of 12.4 and 12.8 declare the same.
    #[test]
    fn parameters_are_laid_out_as_in_the_headers() {
        assert_eq!(offset_of!(NewStream, priority), 12);
        assert_eq!(offset_of!(StreamEvent, flags), 16);
        assert_eq!(offset_of!(BeginCapture, mode), 8);
        assert_eq!(offset_of!(BeginCaptureToGraph, mode), 40);
        assert_eq!(offset_of!(UpdateDependencies, flags), 24);
        assert_eq!(offset_of!(UpdateDependenciesBehindEdges, flags), 32);
        assert_eq!(offset_of!(CaptureInfo, graph), 24);
        assert_eq!(offset_of!(EventRecordWithFlags, flags), 16);
        assert_eq!(offset_of!(ElapsedTime, end), 16);
        assert_eq!(offset_of!(Instantiate, flags), 16);
        assert_eq!(offset_of!(InstantiateWithParameters, parameters), 16);
        assert_eq!(offset_of!(AllocFromPoolAsync, stream), 24);
        assert_eq!(offset_of!(Prefetch, stream), 24);
        assert_eq!(offset_of!(PrefetchTo, stream), 32);
    }

    #[test]
    fn nodes_are_laid_out_as_in_the_headers() {
        assert_eq!(offset_of!(AddNodeOf<u64>, what), 32);
        assert_eq!(offset_of!(AddNodeBehindEdges, what), 40);
        assert_eq!(size_of::<NodeParameters>(), 16);
        assert_eq!(offset_of!(Conditional, graphs), 16);
        assert_eq!(offset_of!(KernelNode, shared), 32);
        assert_eq!(size_of::<MemsetNode>(), 40);
        assert_eq!(offset_of!(AllocationNode, bytes), 104);
        assert_eq!(size_of::<AllocationNode>(), 120);
    }

    #[test]
    fn work_is_laid_out_as_in_the_headers() {
        assert_eq!(offset_of!(Launch, grid), 8);
        assert_eq!(offset_of!(Launch, shared), 32);
        assert_eq!(offset_of!(Launch, stream), 40);
        assert_eq!(offset_of!(LaunchGiven, arguments), 48);
        assert_eq!(offset_of!(LaunchGivenEither, extra), 56);
        assert_eq!(offset_of!(LaunchExGiven, arguments), 16);
        assert_eq!(size_of::<LaunchConfig>(), 56);
        assert_eq!(offset_of!(LaunchConfig, stream), 32);
        assert_eq!(offset_of!(CopyAsync, stream), 24);
        assert_eq!(offset_of!(CopyPeerAsync, stream), 40);
        assert_eq!(size_of::<Rows>(), 128);
        assert_eq!(offset_of!(Rows, to), 56);
        assert_eq!(offset_of!(RowsEnd, pitch), 48);
        assert_eq!(size_of::<Planes>(), 200);
        assert_eq!(offset_of!(Planes, to), 88);
        assert_eq!(offset_of!(PlanesEnd, device), 48);
        assert_eq!(offset_of!(FillAsync<u8>, count), 16);
        assert_eq!(offset_of!(FillAsync<u32>, stream), 24);
        assert_eq!(offset_of!(FillRowsAsync<u16>, width), 24);
        assert_eq!(offset_of!(FillRowsAsync<u16>, stream), 40);
    }
}
