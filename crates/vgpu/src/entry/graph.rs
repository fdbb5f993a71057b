//! Graphs: making, instantiating, launching, updating and destroying them.

use std::ffi::{c_char, c_int, c_uint};
use std::sync::Arc;

use cgsan_model::{Call, Code, ExecId, GraphId, UpdateResult, Value};

use super::user_object;
use crate::api::Function;
use crate::ffi::{InOut, Out, Text, entry};
use crate::gpu::work::Work;
use crate::gpu::{self, StreamHandle, handle, schedule, version};
use crate::graph::{self, Executable, Flags};
use crate::profile;

/// `cudaGraphInstantiateFlagAutoFreeOnLaunch`.
const AUTO_FREE: u64 = 1;

entry! {
    /// Makes an empty graph.
    fn cudaGraphCreate, cuGraphCreate(this, out: Out<u64>, _flags: c_uint) {
        let graph = handle::fresh();
        gpu::perform(this, &Call::GraphCreate { graph: GraphId(graph) }, |gpu, _| {
            gpu.graphs.insert(graph);
            Ok(())
        })?;
        out.put(graph)
    }

    /// Destroys a graph.
    fn cudaGraphDestroy, cuGraphDestroy(this, graph: u64) {
        gpu::lock().forbid_while_captured(graph)?;
        gpu::perform(this, &Call::GraphDestroy { graph: GraphId(graph) }, |gpu, _| {
            gpu.graphs.remove(graph);
            Ok(())
        })?;
        user_object::ended(graph);
        Ok(())
    }

    /// Copies a graph.
    fn cudaGraphClone, cuGraphClone(this, out: Out<u64>, graph: u64) {
        let clone = handle::fresh();
        let call = Call::GraphClone { graph: GraphId(graph), clone: GraphId(clone) };
        gpu::perform(this, &call, |gpu, _| {
            gpu.graphs.catch_up(&gpu.model, graph);
            gpu.graphs.clone_graph(graph, clone)
        })?;
        user_object::share(graph, clone);
        out.put(clone)
    }

    /// Instantiates a graph. Before CUDA 12 the function had another signature, which no supported program calls.
    fn cudaGraphInstantiate, cudaGraphInstantiateWithFlags, cuGraphInstantiateWithFlags(
        this, out: Out<u64>, graph: u64, flags: u64,
    ) {
        out.put(instantiate(this, graph, flags)?)
    }

    /// Instantiates a graph, as programs for CUDA 11 do: with room for a message about the node at fault.
    fn cuGraphInstantiate_v2(
        this, out: Out<u64>, graph: u64, error_node: Out<u64>, _message: *mut c_char, _room: usize,
    ) {
        error_node.put_if_wanted(0);
        out.put(instantiate(this, graph, 0)?)
    }

    /// Instantiates a graph, and says how that went.
    fn cudaGraphInstantiateWithParams, cudaGraphInstantiateWithParams_ptsz, cuGraphInstantiateWithParams,
        cuGraphInstantiateWithParams_ptsz(
        this, out: Out<u64>, graph: u64, parameters: InOut<InstantiateParameters>,
    ) {
        let wanted = parameters.get()?;
        let executable = instantiate(this, graph, wanted.flags)?;
        parameters.set(InstantiateParameters { error_node: 0, result: 0, ..wanted });
        out.put(executable)
    }

    /// Launches an executable graph.
    fn cudaGraphLaunch, cudaGraphLaunch_ptsz, cuGraphLaunch, cuGraphLaunch_ptsz(
        this, executable: u64, stream: StreamHandle,
    ) {
        cgsan_observe::replay_begins(executable);
        let stream = stream.resolve(this);
        let profiled = profile::call(this);
        let call = Call::GraphLaunch { exec: ExecId(executable), stream };
        let run_now = gpu::perform(this, &call, |gpu, answer| {
            let program = Arc::clone(&gpu.graphs.executable(executable)?.program);
            match answer.capture {
                Some(capture) => {
                    gpu.graphs.captured(&gpu.model, capture, Work::Graph(program));
                    Ok(None)
                }
                None => Ok(Some(program)),
            }
        })?;
        let Some(program) = run_now else {
            return Ok(());
        };
        schedule::submit(stream, Work::Graph(Arc::clone(&program)));
        if let Some(profiled) = profiled {
            profiled.launched(stream, executable, program.nodes());
        }
        Ok(())
    }

    /// Uploads an executable graph, which has nothing to upload.
    fn cudaGraphUpload, cudaGraphUpload_ptsz, cuGraphUpload, cuGraphUpload_ptsz(
        this, executable: u64, stream: StreamHandle,
    ) {
        gpu::call(this, &Call::GraphUpload { exec: ExecId(executable), stream: stream.resolve(this) })
    }

    /// Destroys an executable graph.
    fn cudaGraphExecDestroy, cuGraphExecDestroy(this, executable: u64) {
        gpu::perform(this, &Call::GraphExecDestroy { exec: ExecId(executable) }, |gpu, _| {
            gpu.graphs.remove_executable(executable);
            cgsan_observe::executable_destroyed(executable);
            Ok(())
        })?;
        user_object::ended(executable);
        Ok(())
    }

    /// Writes the flags that an executable graph was instantiated with.
    fn cudaGraphExecGetFlags, cuGraphExecGetFlags(_this, executable: u64, flags: Out<u64>) {
        flags.put(gpu::lock().graphs.executable(executable)?.flags)
    }

    /// Updates an executable graph from a graph.
    fn cudaGraphExecUpdate, cuGraphExecUpdate_v2(this, executable: u64, graph: u64, info: Out<UpdateInfo>) {
        update(this, executable, graph, info)
    }

    /// Updates an executable graph from a graph, with the older kind of result.
    fn cuGraphExecUpdate(this, executable: u64, graph: u64, error_node: Out<u64>, result: Out<c_int>) {
        let mut info = UpdateInfo::default();
        // SAFETY: the structure outlives the call.
        let updated = update(this, executable, graph, unsafe { Out::new(&raw mut info) });
        error_node.put_if_wanted(info.error_node);
        result.put_if_wanted(info.result);
        updated
    }

    /// Prints a graph into a file.
    fn cudaGraphDebugDotPrint, cuGraphDebugDotPrint(_this, graph: u64, path: Text, flags: c_uint) {
        let printed = graph::print(gpu::lock().graph(graph)?, Flags(flags)).map_err(|_| Code::UNKNOWN)?;
        std::fs::write(path.get()?, printed).map_err(|_| OPERATING_SYSTEM)
    }
}

/// `cudaErrorOperatingSystem`.
const OPERATING_SYSTEM: Code = Code(304);

/// `cudaGraphInstantiateParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct InstantiateParameters {
    flags: u64,
    upload_stream: u64,
    error_node: u64,
    result: c_int,
}

crate::ffi::plain! {
    InstantiateParameters { flags: u64, upload_stream: u64, error_node: u64, result: c_int }
}

/// `cudaGraphExecUpdateResultInfo`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct UpdateInfo {
    result: c_int,
    error_node: u64,
    error_from_node: u64,
}

fn instantiate(this: &Function, graph: u64, flags: u64) -> Result<u64, Code> {
    let executable = handle::fresh();
    let call = Call::GraphInstantiate {
        graph: GraphId(graph),
        exec: ExecId(executable),
        auto_free: flags & AUTO_FREE != 0,
    };
    gpu::perform(this, &call, |gpu, _| {
        let instantiated = Executable::of(gpu.graph(graph)?, flags).ok_or(Code::INVALID_VALUE)?;
        gpu.graphs.insert_executable(executable, instantiated);
        Ok(())
    })?;
    user_object::share(graph, executable);
    Ok(executable)
}

fn update(this: &Function, executable: u64, graph: u64, info: Out<UpdateInfo>) -> Result<(), Code> {
    let call = Call::GraphExecUpdate {
        exec: ExecId(executable),
        graph: GraphId(graph),
    };
    let mut result = UpdateResult::Error;
    let updated = gpu::perform_with_answer(this, &call, |gpu, answer| {
        if let Value::Update(value) = answer.value {
            result = value;
        }
        if answer.code.is_success() {
            gpu.graphs.catch_up(&gpu.model, graph);
            gpu.graphs.update_executable(executable, graph)?;
        }
        Ok(())
    });
    if updated.is_ok() {
        user_object::share_anew(graph, executable);
        result = UpdateResult::Success;
    }
    info.put_if_wanted(UpdateInfo {
        result: result as c_int,
        ..UpdateInfo::default()
    });
    updated
}

/// Whether functions that changed with CUDA 13 are called in the new way.
pub(super) fn edges_carry_data(this: &Function) -> bool {
    this.runtime.is_some() && version::is_13()
}

#[cfg(test)]
mod tests {
    use super::{InstantiateParameters, UpdateInfo};

    #[test]
    fn the_parameters_are_laid_out_as_in_the_headers_of_cuda_12_and_13() {
        assert_eq!(size_of::<InstantiateParameters>(), 32);
        assert_eq!(size_of::<UpdateInfo>(), 24);
    }
}
