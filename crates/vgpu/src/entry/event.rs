//! Events.

use std::ffi::c_uint;

use cgsan_model::{Call, Code, EventId};

use crate::api::Function;
use crate::event::events;
use crate::ffi::{Out, entry};
use crate::gpu::schedule::{self, Place};
use crate::gpu::work::Work;
use crate::gpu::{self, StreamHandle, context, fault, handle, tally};

/// `cudaEventBlockingSync`, `cudaEventDisableTiming`, `cudaEventInterprocess`.
const CREATE_FLAGS: c_uint = 1 | DISABLE_TIMING | 4;
const DISABLE_TIMING: c_uint = 2;
/// `cudaEventRecordExternal`, `cudaEventWaitExternal`.
const EXTERNAL: c_uint = 1;

entry! {
    /// Creates an event.
    fn cudaEventCreate(this, out: Out<u64>) {
        out.put(create(this, 0)?)
    }

    /// Creates an event.
    fn cudaEventCreateWithFlags, cuEventCreate(this, out: Out<u64>, flags: c_uint) {
        out.put(create(this, flags)?)
    }

    /// Destroys an event.
    fn cudaEventDestroy, cuEventDestroy_v2, cuEventDestroy(this, event: u64) {
        gpu::perform(this, &Call::EventDestroy { event: EventId(event) }, |_, _| {
            events().remove(event);
            schedule::forget_event(event);
            Ok(())
        })
    }

    /// Records an event on a stream.
    fn cudaEventRecord, cudaEventRecord_ptsz, cuEventRecord, cuEventRecord_ptsz(
        this, event: u64, stream: StreamHandle,
    ) {
        record(this, event, stream, 0)
    }

    /// Records an event on a stream, perhaps for use outside the graph.
    fn cudaEventRecordWithFlags, cudaEventRecordWithFlags_ptsz, cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz(
        this, event: u64, stream: StreamHandle, flags: c_uint,
    ) {
        record(this, event, stream, flags)
    }

    /// Makes a stream wait for an event.
    fn cudaStreamWaitEvent, cudaStreamWaitEvent_ptsz, cuStreamWaitEvent, cuStreamWaitEvent_ptsz(
        this, stream: StreamHandle, event: u64, flags: c_uint,
    ) {
        if flags & !EXTERNAL != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let external = flags & EXTERNAL != 0;
        let stream = stream.resolve(this);
        let call = Call::StreamWaitEvent { stream, event: EventId(event), external };
        gpu::perform(this, &call, |gpu, answer| {
            match answer.capture {
                Some(capture) if external => {
                    gpu.graphs.captured(&gpu.model, capture, Work::AwaitEvent(event));
                }
                Some(_) => {}
                None => {
                    schedule::await_event(gpu, stream, event);
                    tally::note_waiting(stream);
                }
            }
            Ok(())
        })
    }

    /// Asks whether an event has happened.
    fn cudaEventQuery, cuEventQuery(this, event: u64) {
        gpu::perform(this, &Call::EventQuery { event: EventId(event) }, |_, _| schedule::query(Place::Event(event)))
    }

    /// Waits for an event.
    fn cudaEventSynchronize, cuEventSynchronize(this, event: u64) {
        gpu::call(this, &Call::EventSynchronize { event: EventId(event) })?;
        schedule::wait(Place::Event(event));
        fault::after_waiting()
    }

    /// Writes the milliseconds between two events.
    fn cudaEventElapsedTime, cudaEventElapsedTime_v2, cuEventElapsedTime, cuEventElapsedTime_v2(
        this, milliseconds: Out<f32>, start: u64, end: u64,
    ) {
        let call = Call::EventElapsedTime { start: EventId(start), end: EventId(end) };
        let elapsed = gpu::perform(this, &call, |_, _| {
            schedule::query(Place::Event(start))?;
            schedule::query(Place::Event(end))?;
            events().elapsed(start, end).ok_or(Code::INVALID_HANDLE)
        })?;
        milliseconds.put(elapsed.as_secs_f32() * 1000.0)
    }
}

/// An event that stands for one of another process, which has happened.
pub(super) fn of_another_process(this: &Function) -> Result<u64, Code> {
    create(this, DISABLE_TIMING)
}

fn create(this: &Function, flags: c_uint) -> Result<u64, Code> {
    if flags & !CREATE_FLAGS != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let event = handle::fresh();
    let is_timed = flags & DISABLE_TIMING == 0;
    let call = Call::EventCreate {
        event: EventId(event),
        device: context::device(),
        timing: is_timed,
    };
    gpu::perform(this, &call, |_, _| {
        events().insert(event, is_timed);
        Ok(event)
    })
}

/// Records an event on a stream.
pub(super) fn record(
    this: &Function,
    event: u64,
    stream: StreamHandle,
    flags: c_uint,
) -> Result<(), Code> {
    if flags & !EXTERNAL != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let external = flags & EXTERNAL != 0;
    let stream = stream.resolve(this);
    let call = Call::EventRecord {
        event: EventId(event),
        stream,
        external,
    };
    let is_awaited_elsewhere = gpu::perform(this, &call, |gpu, answer| {
        match answer.capture {
            None => schedule::record(gpu, stream, event),
            Some(capture) if external => {
                gpu.graphs
                    .captured(&gpu.model, capture, Work::RecordEvent(event));
            }
            Some(_) => {}
        }
        Ok(answer.capture.is_none() && events().is_shared(event))
    })?;
    if is_awaited_elsewhere {
        schedule::wait(Place::Event(event));
    }
    Ok(())
}
