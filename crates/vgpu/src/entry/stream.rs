//! Streams.

use std::ffi::{c_int, c_uint, c_void};

use cgsan_model::{Call, Code, NodeKind, Stream};

use super::device::{GREATEST_PRIORITY, LEAST_PRIORITY};
use crate::api::Function;
use crate::device;
use crate::ffi::{Out, entry};
use crate::gpu::schedule::{self, Place};
use crate::gpu::stream::{LEGACY_STREAM, NON_BLOCKING, PER_THREAD_STREAM, StreamProperties};
use crate::gpu::work::{HostCode, HostFunction, StreamCallback, Work};
use crate::gpu::{self, StreamHandle, context, fault, handle};

entry! {
    /// Creates a blocking stream.
    fn cudaStreamCreate(this, out: Out<StreamHandle>) {
        out.put(create(this, 0, LEAST_PRIORITY)?)
    }

    /// Creates a stream.
    fn cudaStreamCreateWithFlags, cuStreamCreate(this, out: Out<StreamHandle>, flags: c_uint) {
        out.put(create(this, flags, LEAST_PRIORITY)?)
    }

    /// Creates a stream with a priority.
    fn cudaStreamCreateWithPriority, cuStreamCreateWithPriority(
        this, out: Out<StreamHandle>, flags: c_uint, priority: c_int,
    ) {
        out.put(create(this, flags, priority)?)
    }

    /// Destroys a stream.
    fn cudaStreamDestroy, cuStreamDestroy_v2, cuStreamDestroy(this, stream: StreamHandle) {
        let stream = stream.resolve(this);
        gpu::perform(this, &Call::StreamDestroy { stream }, |gpu, answer| {
            if let Some(capture) = answer.capture {
                gpu.graphs.settle(&gpu.model, capture);
            }
            if let Stream::Created(handle) = stream {
                gpu.streams.remove(&handle);
            }
            gpu.stream_attributes.remove(&stream);
            Ok(())
        })
    }

    /// Waits for a stream.
    fn cudaStreamSynchronize, cudaStreamSynchronize_ptsz, cuStreamSynchronize, cuStreamSynchronize_ptsz(
        this, stream: StreamHandle,
    ) {
        let stream = stream.resolve(this);
        gpu::call(this, &Call::StreamSynchronize { stream })?;
        schedule::wait_for_stream(stream);
        fault::after_waiting()
    }

    /// Asks whether a stream is idle.
    fn cudaStreamQuery, cudaStreamQuery_ptsz, cuStreamQuery, cuStreamQuery_ptsz(this, stream: StreamHandle) {
        let stream = stream.resolve(this);
        gpu::perform(this, &Call::StreamQuery { stream }, |gpu, _| schedule::query(Place::Stream(gpu.lane(stream))))
    }

    /// Writes the priority.
    fn cudaStreamGetPriority, cudaStreamGetPriority_ptsz, cuStreamGetPriority, cuStreamGetPriority_ptsz(
        this, stream: StreamHandle, priority: Out<c_int>,
    ) {
        let stream = stream.resolve(this);
        let value = gpu::perform(this, &Call::StreamGetPriority { stream }, |gpu, _| {
            Ok(gpu.attributes_of(stream).priority())
        })?;
        priority.put(value)
    }

    /// Writes the flags.
    fn cudaStreamGetFlags, cudaStreamGetFlags_ptsz, cuStreamGetFlags, cuStreamGetFlags_ptsz(
        this, stream: StreamHandle, flags: Out<c_uint>,
    ) {
        gpu::call(this, &Call::StreamGetFlags { stream: stream.resolve(this) })?;
        flags.put(properties(this, stream)?.flags)
    }

    /// Writes the identity.
    fn cudaStreamGetId, cudaStreamGetId_ptsz, cuStreamGetId, cuStreamGetId_ptsz(
        this, stream: StreamHandle, id: Out<u64>,
    ) {
        // A capture answers it as it does a question for the flags (`docs/captures.md`).
        gpu::call(this, &Call::StreamGetFlags { stream: stream.resolve(this) })?;
        id.put(properties(this, stream)?.id)
    }

    /// Writes the device.
    fn cudaStreamGetDevice, cudaStreamGetDevice_ptsz, cuStreamGetDevice, cuStreamGetDevice_ptsz(
        this, stream: StreamHandle, ordinal: Out<c_int>,
    ) {
        ordinal.put(device::ordinal(properties(this, stream)?.device))
    }

    /// Writes the context.
    fn cuStreamGetCtx, cuStreamGetCtx_ptsz(this, stream: StreamHandle, out: Out<u64>) {
        out.put(context::primary(properties(this, stream)?.device))
    }

    /// Enqueues a function of the program.
    fn cudaLaunchHostFunc, cudaLaunchHostFunc_ptsz, cuLaunchHostFunc, cuLaunchHostFunc_ptsz(
        this, stream: StreamHandle, function: Option<HostCode>, data: *mut c_void,
    ) {
        // SAFETY: the API documents the two to belong together.
        let host = unsafe { HostFunction::new(function.ok_or(Code::INVALID_VALUE)?, data) };
        let node = NodeKind::Host { function: host.address() };
        gpu::enqueue(this, stream.resolve(this), node, Work::Host(host)).map(drop)
    }

    /// Enqueues a function of the program, of the older kind.
    fn cudaStreamAddCallback, cudaStreamAddCallback_ptsz, cuStreamAddCallback, cuStreamAddCallback_ptsz(
        this, stream: StreamHandle, function: Option<StreamCallback>, data: *mut c_void, _flags: c_uint,
    ) {
        let function = function.ok_or(Code::INVALID_VALUE)?;
        let resolved = stream.resolve(this);
        gpu::call(this, &Call::StreamAddCallback { stream: resolved })?;
        schedule::wait_for_stream(resolved);
        // SAFETY: the API documents the function to be called with the stream, a code and its data.
        unsafe { function(stream, 0, data) };
        Ok(())
    }

    /// Attaches managed memory to a stream, which changes nothing where the host sees all memory.
    fn cudaStreamAttachMemAsync, cuStreamAttachMemAsync(
        this, stream: StreamHandle, _address: u64, _bytes: usize, _flags: c_uint,
    ) {
        gpu::call(this, &Call::StreamAttachMemory { stream: stream.resolve(this) })
    }
}

fn create(this: &Function, flags: c_uint, priority: c_int) -> Result<StreamHandle, Code> {
    if flags & !NON_BLOCKING != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let priority = priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
    let device = context::device();
    let handle = handle::fresh();
    let call = Call::StreamCreate {
        stream: Stream::Created(handle),
        device,
        non_blocking: flags & NON_BLOCKING != 0,
        priority,
    };
    gpu::perform(this, &call, |gpu, _| {
        let id = gpu.next_stream_id();
        let properties = StreamProperties {
            device,
            flags,
            priority,
            id,
        };
        gpu.streams.insert(handle, properties);
        Ok(StreamHandle(handle))
    })
}

/// What a stream was created with.
pub(super) fn properties(this: &Function, stream: StreamHandle) -> Result<StreamProperties, Code> {
    match stream.resolve(this) {
        Stream::Created(handle) => gpu::lock()
            .streams
            .get(&handle)
            .copied()
            .ok_or(Code::INVALID_HANDLE),
        // The default streams have the identities that the driver gives them.
        Stream::Legacy(device) => Ok(StreamProperties {
            device,
            flags: 0,
            priority: LEAST_PRIORITY,
            id: LEGACY_STREAM,
        }),
        Stream::PerThread(device) => Ok(StreamProperties {
            device,
            flags: 0,
            priority: LEAST_PRIORITY,
            id: PER_THREAD_STREAM,
        }),
    }
}
