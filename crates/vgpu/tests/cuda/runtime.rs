//! The functions that the tests call, and their turns.

use std::env;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

// The library whose symbols these are.
use cgsan_vgpu as _;

pub const SUCCESS: c_int = 0;
pub const INVALID_VALUE: c_int = 1;
pub const OUT_OF_MEMORY: c_int = 2;
pub const INVALID_DEVICE: c_int = 101;
pub const INVALID_HANDLE: c_int = 400;
pub const NOT_READY: c_int = 600;
pub const UNSUPPORTED_IN_CAPTURE: c_int = 900;
pub const INVALIDATED: c_int = 901;

pub const GLOBAL: c_int = 0;
pub const RELAXED: c_int = 2;
pub const NON_BLOCKING: c_uint = 1;
/// `cudaMemcpyDefault`.
pub const DEFAULT: c_int = 4;

/// The numbers in a `cudaGraphNodeParams`.
pub const NODE_PARAMETERS: usize = 32;

/// `dim3`.
#[repr(C)]
pub struct Dimensions(pub [u32; 3]);

/// `cudaLaunchAttribute`.
#[repr(C)]
pub struct LaunchAttribute {
    number: u32,
    padding: u32,
    value: [u32; 16],
}

impl LaunchAttribute {
    pub fn new(number: u32, value: [u32; 16]) -> LaunchAttribute {
        LaunchAttribute {
            number,
            padding: 0,
            value,
        }
    }
}

/// `cudaLaunchConfig_t`.
#[repr(C)]
pub struct LaunchConfig {
    pub grid: Dimensions,
    pub block: Dimensions,
    pub shared: usize,
    pub stream: u64,
    pub attributes: *const LaunchAttribute,
    pub count: c_uint,
}

/// `cudaIpcMemHandle_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct IpcHandle(pub [u8; 64]);

pub type HostFunction = extern "C" fn(*mut c_void);
pub type StreamCallback = extern "C" fn(u64, c_int, *mut c_void);

unsafe extern "C" {
    pub fn cudaMalloc(out: *mut u64, bytes: usize) -> c_int;
    pub fn cudaFree(address: u64) -> c_int;
    pub fn cudaHostAlloc(out: *mut u64, bytes: usize, flags: c_uint) -> c_int;
    pub fn cudaFreeHost(address: u64) -> c_int;
    pub fn cudaMemGetInfo(free: *mut usize, total: *mut usize) -> c_int;
    pub fn cudaMemcpy(to: u64, from: u64, bytes: usize, direction: c_int) -> c_int;
    pub fn cudaMemcpyAsync(
        to: u64,
        from: u64,
        bytes: usize,
        direction: c_int,
        stream: u64,
    ) -> c_int;
    pub fn cudaIpcGetMemHandle(handle: *mut [u8; 64], address: u64) -> c_int;
    pub fn cudaIpcOpenMemHandle(out: *mut u64, handle: IpcHandle, flags: c_uint) -> c_int;
    pub fn cudaIpcCloseMemHandle(address: u64) -> c_int;
    pub fn cudaMemset(start: u64, value: c_int, bytes: usize) -> c_int;
    pub fn cudaMemsetAsync(start: u64, value: c_int, bytes: usize, stream: u64) -> c_int;
    pub fn cudaMallocAsync(out: *mut u64, bytes: usize, stream: u64) -> c_int;
    pub fn cudaFreeAsync(address: u64, stream: u64) -> c_int;
    pub fn cudaDeviceGetDefaultMemPool(out: *mut u64, ordinal: c_int) -> c_int;
    pub fn cudaMemPoolSetAttribute(pool: u64, attribute: c_int, value: *mut c_void) -> c_int;
    pub fn cudaMemPoolTrimTo(pool: u64, keep: usize) -> c_int;
    pub fn cudaPointerGetAttributes(attributes: *mut [u64; 11], address: u64) -> c_int;
    pub fn cudaStreamCreateWithFlags(out: *mut u64, flags: c_uint) -> c_int;
    pub fn cudaStreamSynchronize(stream: u64) -> c_int;
    pub fn cudaStreamDestroy(stream: u64) -> c_int;
    pub fn cudaStreamBeginCapture(stream: u64, mode: c_int) -> c_int;
    pub fn cudaStreamBeginCaptureToGraph(
        stream: u64,
        graph: u64,
        after: *const u64,
        data: *const c_void,
        count: usize,
        mode: c_int,
    ) -> c_int;
    pub fn cudaStreamEndCapture(stream: u64, graph: *mut u64) -> c_int;
    pub fn cudaStreamIsCapturing(stream: u64, status: *mut c_int) -> c_int;
    pub fn cudaStreamGetId(stream: u64, id: *mut u64) -> c_int;
    pub fn cudaStreamAddCallback(
        stream: u64,
        function: StreamCallback,
        data: *mut c_void,
        flags: c_uint,
    ) -> c_int;
    pub fn cudaStreamUpdateCaptureDependencies_v2(
        stream: u64,
        dependencies: *const u64,
        edges: *const c_void,
        count: usize,
        flags: c_uint,
    ) -> c_int;
    pub fn cudaGraphGetRootNodes(graph: u64, nodes: *mut u64, count: *mut usize) -> c_int;
    pub fn cudaStreamGetCaptureInfo(
        stream: u64,
        status: *mut c_int,
        id: *mut u64,
        graph: *mut u64,
        dependencies: *mut *const u64,
        edges: *mut *const u8,
        count: *mut usize,
    ) -> c_int;
    pub fn cudaStreamWaitEvent(stream: u64, event: u64, flags: c_uint) -> c_int;
    pub fn cudaLaunchHostFunc(stream: u64, function: HostFunction, data: *mut c_void) -> c_int;
    pub fn cudaEventCreateWithFlags(out: *mut u64, flags: c_uint) -> c_int;
    pub fn cudaEventRecord(event: u64, stream: u64) -> c_int;
    pub fn cudaEventElapsedTime(milliseconds: *mut f32, start: u64, end: u64) -> c_int;
    pub fn cudaGraphCreate(out: *mut u64, flags: c_uint) -> c_int;
    pub fn cudaGraphAddEmptyNode(
        out: *mut u64,
        graph: u64,
        after: *const u64,
        count: usize,
    ) -> c_int;
    pub fn cudaGraphAddChildGraphNode(
        out: *mut u64,
        graph: u64,
        after: *const u64,
        count: usize,
        child: u64,
    ) -> c_int;
    pub fn cudaGraphAddMemsetNode(
        out: *mut u64,
        graph: u64,
        after: *const u64,
        count: usize,
        parameters: *const [u64; 5],
    ) -> c_int;
    pub fn cudaGraphMemsetNodeGetParams(node: u64, parameters: *mut [u64; 5]) -> c_int;
    pub fn cudaGraphMemsetNodeSetParams(node: u64, parameters: *const [u64; 5]) -> c_int;
    pub fn cudaGraphExecMemsetNodeSetParams(
        executable: u64,
        node: u64,
        parameters: *const [u64; 5],
    ) -> c_int;
    pub fn cudaGraphNodeSetEnabled(executable: u64, node: u64, enabled: c_uint) -> c_int;
    pub fn cudaUserObjectCreate(
        out: *mut u64,
        data: *mut c_void,
        function: HostFunction,
        references: c_uint,
        flags: c_uint,
    ) -> c_int;
    pub fn cudaGraphRetainUserObject(
        graph: u64,
        object: u64,
        count: c_uint,
        flags: c_uint,
    ) -> c_int;
    pub fn cudaGraphReleaseUserObject(graph: u64, object: u64, count: c_uint) -> c_int;
    pub fn cudaGraphAddNode(
        out: *mut u64,
        graph: u64,
        after: *const u64,
        data: *const c_void,
        count: usize,
        parameters: *mut [u64; NODE_PARAMETERS],
    ) -> c_int;
    pub fn cudaGraphConditionalHandleCreate(
        out: *mut u64,
        graph: u64,
        value: c_uint,
        flags: c_uint,
    ) -> c_int;
    pub fn cudaGraphRemoveDependencies_v2(
        graph: u64,
        from: *const u64,
        to: *const u64,
        data: *const c_void,
        count: usize,
    ) -> c_int;
    pub fn cudaGraphClone(out: *mut u64, graph: u64) -> c_int;
    pub fn cudaGraphDestroyNode(node: u64) -> c_int;
    pub fn cudaGraphGetNodes(graph: u64, nodes: *mut u64, count: *mut usize) -> c_int;
    pub fn cudaGraphGetEdges(
        graph: u64,
        from: *mut u64,
        to: *mut u64,
        data: *mut c_void,
        count: *mut usize,
    ) -> c_int;
    pub fn cudaGraphNodeGetType(node: u64, out: *mut c_int) -> c_int;
    pub fn cudaGraphInstantiateWithFlags(out: *mut u64, graph: u64, flags: u64) -> c_int;
    pub fn cudaGraphLaunch(executable: u64, stream: u64) -> c_int;
    pub fn cudaGraphExecDestroy(executable: u64) -> c_int;
    pub fn cudaGraphDestroy(graph: u64) -> c_int;
    pub fn cudaStreamSetAttribute(stream: u64, attribute: c_uint, value: *const [u32; 16])
    -> c_int;
    pub fn cudaStreamGetAttribute(stream: u64, attribute: c_uint, value: *mut [u32; 16]) -> c_int;
    pub fn cudaStreamCopyAttributes(to: u64, from: u64) -> c_int;
    pub fn cudaStreamGetPriority(stream: u64, priority: *mut c_int) -> c_int;
    pub fn cudaGraphKernelNodeSetAttribute(
        node: u64,
        attribute: c_uint,
        value: *const [u32; 16],
    ) -> c_int;
    pub fn cudaGraphKernelNodeGetAttribute(
        node: u64,
        attribute: c_uint,
        value: *mut [u32; 16],
    ) -> c_int;
    pub fn cudaGraphKernelNodeCopyAttributes(to: u64, from: u64) -> c_int;
    pub fn cudaLaunchKernelExC(
        config: *const LaunchConfig,
        symbol: *const c_void,
        arguments: *mut *mut c_void,
    ) -> c_int;
    pub fn cudaLaunchKernel(
        symbol: *const c_void,
        grid: Dimensions,
        block: Dimensions,
        arguments: *mut *mut c_void,
        shared: usize,
        stream: u64,
    ) -> c_int;
    pub fn cudaGetLastError() -> c_int;
    pub fn cudaPeekAtLastError() -> c_int;
    pub fn cudaGetErrorString(code: c_int) -> *const c_char;
    pub fn cudaGetDeviceCount(count: *mut c_int) -> c_int;
    pub fn cudaSetDevice(ordinal: c_int) -> c_int;
    pub fn cudaGetDevice(ordinal: *mut c_int) -> c_int;
    pub fn cudaStreamGetDevice(stream: u64, ordinal: *mut c_int) -> c_int;
    pub fn cudaDeviceSynchronize() -> c_int;
    pub fn cudaDeviceEnablePeerAccess(peer: c_int, flags: c_uint) -> c_int;
    pub fn cudaDeviceDisablePeerAccess(peer: c_int) -> c_int;
    pub fn cudaMemcpyPeerAsync(
        to: u64,
        to_device: c_int,
        from: u64,
        from_device: c_int,
        bytes: usize,
        stream: u64,
    ) -> c_int;
    pub fn cuCtxPushCurrent_v2(context: u64) -> c_int;
    pub fn cuCtxPopCurrent_v2(context: *mut u64) -> c_int;
    pub fn cuDevicePrimaryCtxRetain(context: *mut u64, ordinal: c_int) -> c_int;
    pub fn cudaStreamQuery(stream: u64) -> c_int;
    pub fn cudaEventQuery(event: u64) -> c_int;
    pub fn cudaEventSynchronize(event: u64) -> c_int;
    pub fn ncclCommInitAll(out: *mut usize, count: c_int, ordinals: *const c_int) -> c_int;
    pub fn ncclCommDestroy(communicator: usize) -> c_int;
    pub fn ncclCommAbort(communicator: usize) -> c_int;
    pub fn ncclGroupStart() -> c_int;
    pub fn ncclGroupEnd() -> c_int;
    pub fn ncclAllReduce(
        from: u64,
        to: u64,
        count: usize,
        data: c_int,
        operation: c_int,
        communicator: usize,
        stream: u64,
    ) -> c_int;
    pub fn cudaGetDeviceProperties(properties: *mut [u8; 1008], ordinal: c_int) -> c_int;
    pub fn cuGraphicsUnregisterResource(resource: u64) -> c_int;
    pub fn cuMemAddressReserve(
        out: *mut u64,
        bytes: usize,
        alignment: usize,
        at: u64,
        flags: u64,
    ) -> c_int;
    pub fn cuMemAddressFree(start: u64, bytes: usize) -> c_int;
    pub fn cuMemCreate(
        out: *mut u64,
        bytes: usize,
        properties: *const [u64; 4],
        flags: u64,
    ) -> c_int;
    pub fn cuMemMap(start: u64, bytes: usize, offset: usize, handle: u64, flags: u64) -> c_int;
    pub fn cuMemUnmap(start: u64, bytes: usize) -> c_int;
    pub fn cuMemExportToShareableHandle(
        out: *mut c_int,
        handle: u64,
        kind: c_int,
        flags: u64,
    ) -> c_int;
    pub fn cuMemImportFromShareableHandle(out: *mut u64, descriptor: usize, kind: c_int) -> c_int;
    pub fn cuMemGetAllocationPropertiesFromHandle(out: *mut [u64; 4], handle: u64) -> c_int;
    pub fn cuMemRelease(handle: u64) -> c_int;
    pub fn cuMemSetAccess(start: u64, bytes: usize, access: *const u8, count: usize) -> c_int;
}

static TURN: Mutex<()> = Mutex::new(());

/// Waits for this test's turn; the GPUs, of which there are two, are this test's own until the guard is dropped.
pub fn my_turn() -> MutexGuard<'static, ()> {
    static TWO_DEVICES: Once = Once::new();
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: every test waits for its turn before it calls anything that reads the environment.
    TWO_DEVICES.call_once(|| unsafe { env::set_var("LOCAL_WORLD_SIZE", "2") });
    ok!(cudaSetDevice(0));
    turn
}

/// Calls a function and expects a code.
macro_rules! gives {
    ($code:expr, $function:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: the arguments are what the function's documentation asks for.
        let code = unsafe { $crate::runtime::$function($($argument),*) };
        assert_eq!(code, $code, "{}", stringify!($function));
    }};
}

/// Calls a function that succeeds.
macro_rules! ok {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::runtime::gives!($crate::runtime::SUCCESS, $function($($argument),*))
    };
}

/// Calls a function that succeeds and writes a value through its first parameter; gives the value.
macro_rules! made {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        let mut value = Default::default();
        $crate::runtime::ok!($function(&raw mut value, $($argument),*));
        value
    }};
}

pub(crate) use {gives, made, ok};

/// A non-blocking stream.
pub fn stream() -> u64 {
    made!(cudaStreamCreateWithFlags(NON_BLOCKING))
}

/// The edges of a graph of few.
pub fn edges(graph: u64) -> Vec<(u64, u64)> {
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

/// Adds an empty node.
pub fn empty(graph: u64, after: &[u64]) -> u64 {
    made!(cudaGraphAddEmptyNode(graph, after.as_ptr(), after.len()))
}

/// The graph that a stream captures, and the one node on which its next work would depend.
pub fn captured_graph(stream: u64) -> (u64, u64) {
    let (mut status, mut id, mut graph, mut count): (c_int, u64, u64, usize) = (0, 0, 0, 0);
    let (mut dependencies, mut edges) = (std::ptr::null(), std::ptr::null());
    ok!(cudaStreamGetCaptureInfo(
        stream,
        &raw mut status,
        &raw mut id,
        &raw mut graph,
        &raw mut dependencies,
        &raw mut edges,
        &raw mut count,
    ));
    assert_eq!((status, count), (1, 1));
    // SAFETY: one dependency was announced, and no other call was made since.
    (graph, unsafe { *dependencies })
}

/// Device memory with a byte repeated in it.
pub fn filled(bytes: usize, value: u8) -> u64 {
    let address = made!(cudaMalloc(bytes));
    ok!(cudaMemset(address, c_int::from(value), bytes));
    address
}

/// What device memory holds.
pub fn read(address: u64, bytes: usize) -> Vec<u8> {
    let mut values = vec![0_u8; bytes];
    ok!(cudaMemcpy(
        values.as_mut_ptr().expose_provenance() as u64,
        address,
        bytes,
        DEFAULT
    ));
    values
}
