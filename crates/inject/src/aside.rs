//! Replays and what orders them, seen on their way to the CUDA runtime.
//!
//! CUPTI tells of all calls, but only near captures. What the rules about replays need of the rest is seen here: launches of
//! graphs, the lives of executable graphs, and the calls by which streams and the program wait. Waits are recorded while a
//! window is open ([`cgsan_observe::is_order_recorded`]); of replays, those that a window asks for, and the others are counted
//! without a lock. What CUPTI has told of is not recorded again.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

use std::cell::Cell;
use std::ffi::{c_int, c_uint};
use std::mem::{Discriminant, discriminant};
use std::panic::{AssertUnwindSafe, catch_unwind};

use cgsan_model::{Call, Code, EventId, ExecId, GraphId, Restricted, Stream};
use cgsan_observe::clock::{self, Asked};
use cgsan_observe::{CallSite, Detail};

use crate::foreign::Pointer;
use crate::functions::{EXTERNAL, instantiation, stream_of};
use crate::libraries::passed_on;
use crate::{device, executables};

thread_local! {
    /// The kind of the call that CUPTI told of last, in a call that the calling thread makes to the runtime.
    static TOLD: Cell<Option<Discriminant<Call>>> = const { Cell::new(None) };
}

/// CUPTI told of a call by the calling thread, and it was recorded.
pub fn told(call: &Call) {
    TOLD.set(Some(discriminant(call)));
}

passed_on! {
    Runtime:
    cudaGraphLaunch(exec: u64, stream: u64) => |call| replaying(exec, || shared(stream), call);
    cudaGraphLaunch_ptsz(exec: u64, stream: u64) => |call| replaying(exec, || own(stream), call);
    // Since CUDA 12 the flags come third and are the last; before, that was a pointer, which has none of them.
    cudaGraphInstantiate(out: Pointer<u64>, graph: u64, flags: u64, log: u64, size: u64) => |call| {
        instantiating(out, || instantiated(out, graph, flags), call)
    };
    cudaGraphInstantiateWithFlags(out: Pointer<u64>, graph: u64, flags: u64) => |call| {
        instantiating(out, || instantiated(out, graph, flags), call)
    };
    cudaGraphInstantiateWithParams(out: Pointer<u64>, graph: u64, parameters: Pointer<u64>) => |call| {
        instantiating(out, || instantiated_with(out, graph, parameters), call)
    };
    cudaGraphInstantiateWithParams_ptsz(out: Pointer<u64>, graph: u64, parameters: Pointer<u64>) => |call| {
        instantiating(out, || instantiated_with(out, graph, parameters), call)
    };
    cudaGraphExecUpdate(exec: u64, graph: u64, out: u64, more: u64) => |call| {
        let update = Call::GraphExecUpdate { exec: ExecId(exec), graph: GraphId(graph) };
        recorded(&UPDATE, || update, call)
    };
    cudaGraphUpload(exec: u64, stream: u64) => |call| executables::measuring(|| exec, call);
    cudaGraphUpload_ptsz(exec: u64, stream: u64) => |call| executables::measuring(|| exec, call);
    cudaGraphExecDestroy(exec: u64) => |call| destroying(exec, call);

    cudaEventRecord(event: u64, stream: u64) => |call| {
        blocking(&EVENT_RECORD, || event_record(event, shared(stream), 0), call)
    };
    cudaEventRecord_ptsz(event: u64, stream: u64) => |call| {
        blocking(&EVENT_RECORD, || event_record(event, own(stream), 0), call)
    };
    cudaEventRecordWithFlags(event: u64, stream: u64, flags: c_uint) => |call| {
        blocking(&EVENT_RECORD, || event_record(event, shared(stream), flags), call)
    };
    cudaEventRecordWithFlags_ptsz(event: u64, stream: u64, flags: c_uint) => |call| {
        blocking(&EVENT_RECORD, || event_record(event, own(stream), flags), call)
    };
    cudaStreamWaitEvent(stream: u64, event: u64, flags: c_uint) => |call| {
        blocking(&WAIT, || wait(shared(stream), event, flags), call)
    };
    cudaStreamWaitEvent_ptsz(stream: u64, event: u64, flags: c_uint) => |call| {
        blocking(&WAIT, || wait(own(stream), event, flags), call)
    };
    cudaStreamSynchronize(stream: u64) => |call| {
        waits(&SYNCHRONIZE, || Call::StreamSynchronize { stream: shared(stream) }, call)
    };
    cudaStreamSynchronize_ptsz(stream: u64) => |call| {
        waits(&SYNCHRONIZE, || Call::StreamSynchronize { stream: own(stream) }, call)
    };
    cudaStreamQuery(stream: u64) => |call| {
        ordering(&STREAM_QUERY, || Call::StreamQuery { stream: shared(stream) }, call)
    };
    cudaStreamQuery_ptsz(stream: u64) => |call| {
        ordering(&STREAM_QUERY, || Call::StreamQuery { stream: own(stream) }, call)
    };
    cudaEventSynchronize(event: u64) => |call| {
        waits(&EVENT_SYNCHRONIZE, || Call::EventSynchronize { event: EventId(event) }, call)
    };
    cudaEventQuery(event: u64) => |call| {
        ordering(&EVENT_QUERY, || Call::EventQuery { event: EventId(event) }, call)
    };
    cudaDeviceSynchronize() => |call| {
        waits(&DEVICE_SYNCHRONIZE, || Call::DeviceSynchronize { device: device::current() }, call)
    };
    // What is copied is of no interest here, but that the caller waits for it.
    cudaMemcpy(to: u64, from: u64, size: usize, kind: c_uint) => |call| {
        waits(&COPY, || Call::StreamSynchronize { stream: shared(0) }, call)
    };
    // These wait for all that the device has been given.
    cudaFree(address: u64) => |call| blocking(&FREE, || Call::Restricted(Restricted::Free), call);
    cudaFreeHost(address: u64) => |call| {
        blocking(&HOST_FREE, || Call::Restricted(Restricted::HostFree), call)
    };
}

/// What a function is called in the driver and in the runtime, and whether its place in the program is of interest.
struct Name(&'static str, &'static str, Detail);

const LAUNCH: Name = Name("cuGraphLaunch", "cudaGraphLaunch", Detail::Stack);
const INSTANTIATE: Name = Name(
    "cuGraphInstantiateWithFlags",
    "cudaGraphInstantiate",
    Detail::Stack,
);
const UPDATE: Name = Name("cuGraphExecUpdate_v2", "cudaGraphExecUpdate", Detail::Stack);
const DESTROY: Name = Name("cuGraphExecDestroy", "cudaGraphExecDestroy", Detail::None);
const EVENT_RECORD: Name = Name("cuEventRecord", "cudaEventRecord", Detail::None);
const WAIT: Name = Name("cuStreamWaitEvent", "cudaStreamWaitEvent", Detail::None);
const SYNCHRONIZE: Name = Name("cuStreamSynchronize", "cudaStreamSynchronize", Detail::None);
const STREAM_QUERY: Name = Name("cuStreamQuery", "cudaStreamQuery", Detail::None);
const EVENT_SYNCHRONIZE: Name = Name("cuEventSynchronize", "cudaEventSynchronize", Detail::None);
const EVENT_QUERY: Name = Name("cuEventQuery", "cudaEventQuery", Detail::None);
const COPY: Name = Name("cuMemcpy", "cudaMemcpy", Detail::None);
const FREE: Name = Name("cuMemFree_v2", "cudaFree", Detail::None);
const HOST_FREE: Name = Name("cuMemFreeHost", "cudaFreeHost", Detail::None);
const DEVICE_SYNCHRONIZE: Name = Name("cuCtxSynchronize", "cudaDeviceSynchronize", Detail::None);

/// Makes a call that replays a graph. The agent looks at some of them.
fn replaying(exec: u64, stream: impl FnOnce() -> Stream, call: impl FnOnce() -> c_int) -> c_int {
    clock::tick(Asked::Replay, exec);
    // The rest is for those that record, and would be felt in a replay of a few microseconds.
    if !cgsan_observe::is_recording() {
        return call();
    }
    let replay = catch_unwind(|| cgsan_observe::replay_begins(exec)).ok();
    TOLD.set(None);
    let waiting = cgsan_observe::waiting("cudaGraphLaunch");
    let result = if replay.is_some_and(cgsan_observe::Replay::is_first) {
        executables::measuring(|| exec, call)
    } else {
        call()
    };
    drop(waiting);
    let launch = || Call::GraphLaunch {
        exec: ExecId(exec),
        stream: stream(),
    };
    guarded(|| {
        if TOLD.get() != Some(discriminant(&A_LAUNCH))
            && replay.is_some_and(cgsan_observe::Replay::is_recorded)
        {
            record(&LAUNCH, launch, result);
        }
    });
    result
}

/// Makes a call that instantiates a graph.
fn instantiating(
    out: Pointer<u64>,
    what: impl FnOnce() -> Call,
    call: impl FnOnce() -> c_int,
) -> c_int {
    executables::measuring(|| executable(out), || recorded(&INSTANTIATE, what, call))
}

/// Makes a call that destroys an executable graph.
fn destroying(exec: u64, call: impl FnOnce() -> c_int) -> c_int {
    let destroy = Call::GraphExecDestroy { exec: ExecId(exec) };
    let waiting = cgsan_observe::waiting("cudaGraphExecDestroy");
    let result = recorded(&DESTROY, || destroy, call);
    drop(waiting);
    guarded(|| cgsan_observe::executable_destroyed(exec));
    result
}

/// Makes a call that may not return. While it has not, the command sees it.
fn blocking(name: &Name, what: impl FnOnce() -> Call, call: impl FnOnce() -> c_int) -> c_int {
    let _waiting = cgsan_observe::waiting(name.1);
    ordering(name, what, call)
}

/// The same for a call that waits for the device.
fn waits(name: &Name, what: impl FnOnce() -> Call, call: impl FnOnce() -> c_int) -> c_int {
    clock::tick(Asked::Wait, 0);
    blocking(name, what, call)
}

/// Makes a call that is recorded while a window is open.
fn ordering(name: &Name, what: impl FnOnce() -> Call, call: impl FnOnce() -> c_int) -> c_int {
    if cgsan_observe::is_order_recorded() {
        recorded(name, what, call)
    } else {
        call()
    }
}

/// Makes a call that is recorded. `what` is asked once it has been made.
fn recorded(name: &Name, what: impl FnOnce() -> Call, call: impl FnOnce() -> c_int) -> c_int {
    TOLD.set(None);
    let result = call();
    guarded(|| record(name, what, result));
    result
}

/// Records a call that succeeded, unless CUPTI has told of it. Of refusals, CUPTI knows more.
fn record(name: &Name, what: impl FnOnce() -> Call, result: c_int) {
    if result != 0 || !cgsan_observe::is_recording() {
        return;
    }
    let call = what();
    if TOLD.get() == Some(discriminant(&call)) {
        return;
    }
    let Name(function, runtime, detail) = *name;
    cgsan_observe::record_call(&CallSite {
        function,
        runtime: Some(runtime),
        call: &call,
        result: Code::SUCCESS,
        detail,
    });
}

/// Runs what must not unwind into the program, which need not know.
fn guarded(what: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(what));
}

/// Stands for its kind.
const A_LAUNCH: Call = Call::GraphLaunch {
    exec: ExecId(0),
    stream: Stream::Created(0),
};

fn shared(handle: u64) -> Stream {
    stream_of(handle, false, device::current)
}

/// The same where 0 means the calling thread's own stream.
fn own(handle: u64) -> Stream {
    stream_of(handle, true, device::current)
}

fn event_record(event: u64, stream: Stream, flags: c_uint) -> Call {
    Call::EventRecord {
        event: EventId(event),
        stream,
        external: flags & EXTERNAL != 0,
    }
}

fn wait(stream: Stream, event: u64, flags: c_uint) -> Call {
    Call::StreamWaitEvent {
        stream,
        event: EventId(event),
        external: flags & EXTERNAL != 0,
    }
}

fn instantiated(out: Pointer<u64>, graph: u64, flags: u64) -> Call {
    instantiation(graph, executable(out), flags)
}

/// The executable graph that a call has made.
fn executable(out: Pointer<u64>) -> u64 {
    // SAFETY: the call has succeeded, so it has written there; null is not taken by the runtime.
    unsafe { out.read() }.unwrap_or_default()
}

fn instantiated_with(out: Pointer<u64>, graph: u64, parameters: Pointer<u64>) -> Call {
    // SAFETY: the runtime has read the structure, which begins with the flags.
    let flags = unsafe { parameters.read() }.unwrap_or_default();
    instantiated(out, graph, flags)
}
