//! Names of streams for people.

use cgsan_model::{Call, Device, Stream};
use rustc_hash::FxHashMap;

/// The streams that a program used, numbered in the order of their first use: a handle says nothing to anybody, and
/// PyTorch creates its streams by the dozen.
#[derive(Default)]
pub(super) struct StreamNames {
    numbers: FxHashMap<u64, usize>,
    non_blocking: FxHashMap<u64, bool>,
    devices: FxHashMap<u64, Device>,
}

impl StreamNames {
    /// Takes note of the stream that a call names.
    pub(super) fn see(&mut self, call: &Call) {
        if let Call::StreamCreate {
            stream: Stream::Created(handle),
            device,
            non_blocking,
            ..
        } = call
        {
            self.devices.insert(*handle, *device);
            self.non_blocking.insert(*handle, *non_blocking);
        } else if let Some(Stream::Created(handle)) = stream_of(call) {
            let next = self.numbers.len() + 1;
            self.numbers.entry(handle).or_insert(next);
        }
    }

    /// The device that a stream belongs to.
    pub(super) fn device(&self, stream: Stream) -> Option<Device> {
        match stream {
            Stream::Legacy(device) | Stream::PerThread(device) => Some(device),
            Stream::Created(handle) => self.devices.get(&handle).copied(),
        }
    }

    /// What a sentence calls a stream.
    pub(super) fn name(&self, stream: Stream) -> String {
        match stream {
            Stream::Legacy(Device(0)) => "the default stream".to_owned(),
            Stream::Legacy(Device(device)) => format!("the default stream of cuda:{device}"),
            Stream::PerThread(_) => "the thread's own default stream".to_owned(),
            Stream::Created(handle) => match self.numbers.get(&handle) {
                Some(number) => format!("stream {number}"),
                None => format!("stream {handle:#x}"),
            },
        }
    }

    /// The name and the kind of a stream.
    pub(super) fn description(&self, stream: Stream) -> String {
        let name = self.name(stream);
        let Stream::Created(handle) = stream else {
            return name;
        };
        match self.non_blocking.get(&handle) {
            Some(true) => format!("{name} (non-blocking)"),
            Some(false) => format!("{name} (blocking)"),
            None => name,
        }
    }
}

/// The stream that a call uses or asks about.
pub(crate) fn stream_of(call: &Call) -> Option<Stream> {
    match *call {
        Call::StreamSynchronize { stream }
        | Call::StreamQuery { stream }
        | Call::StreamWaitEvent { stream, .. }
        | Call::StreamIsCapturing { stream }
        | Call::StreamGetCaptureInfo { stream }
        | Call::StreamBeginCapture { stream, .. }
        | Call::StreamBeginCaptureToGraph { stream, .. }
        | Call::StreamUpdateCaptureDependencies { stream, .. }
        | Call::CaptureAddNode { stream, .. }
        | Call::CaptureBody { stream, .. }
        | Call::StreamEndCapture { stream, .. }
        | Call::EventRecord { stream, .. }
        | Call::Work { stream, .. }
        | Call::GraphLaunch { stream, .. }
        | Call::GraphUpload { stream, .. } => Some(stream),
        Call::SynchronousWork { device, .. } => Some(Stream::Legacy(device)),
        _ => None,
    }
}
