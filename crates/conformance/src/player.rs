//! A model, and the handles that a recorded program kept in its variables.

use cgsan_model::{
    Answer, Call, CaptureStatus, Dependencies, Device, EventId, ExecId, GraphId, Model, Node,
    Stream, ThreadId, Value,
};

use crate::recording::{Header, State};

/// The created streams, by index, in the order in which a recording tells their states.
const CREATED: [i64; 5] = [1, 2, 3, 5, 6];
const EVENTS: usize = 4;
const GRAPHS: usize = 3;
const SLOTS: usize = 2;

/// The thread that prepares a program.
const MAIN: ThreadId = ThreadId(u32::MAX);

/// A model, and what the program has at hand.
pub struct Player {
    pub model: Model,
    devices: u32,
    timed_events: Vec<i64>,
    streams: [u64; CREATED.len()],
    events: [u64; EVENTS],
    graphs: [Option<GraphId>; GRAPHS],
    execs: [Option<ExecId>; GRAPHS],
    allocated: [Option<u64>; SLOTS],
    handles: u64,
}

impl Player {
    /// What every program starts with.
    pub fn new(header: &Header) -> Player {
        let mut player = Player {
            model: Model::new(),
            devices: header.devices.max(1),
            timed_events: header.timed_events.clone(),
            streams: [0; CREATED.len()],
            events: [0; EVENTS],
            graphs: [None; GRAPHS],
            execs: [None; GRAPHS],
            allocated: [None; SLOTS],
            handles: 0,
        };
        for index in CREATED {
            player.create_stream(MAIN, index);
        }
        for index in (0..).take(EVENTS) {
            player.create_event(MAIN, index);
        }
        player
    }

    /// Create a stream in the place of one: 1 and 2 are non-blocking, 3 is blocking; 5 (non-blocking) and 6 (blocking)
    /// belong to the second device.
    pub fn create_stream(&mut self, thread: ThreadId, index: i64) -> Option<Answer> {
        let place = CREATED.iter().position(|&created| created == index)?;
        self.streams[place] = self.new_handle();
        let create = Call::StreamCreate {
            stream: Stream::Created(self.streams[place]),
            device: device_of(index),
            non_blocking: !matches!(index, 3 | 6),
            priority: 0,
        };
        Some(self.model.call(thread, &create))
    }

    /// Create an event in the place of one. Where there are two devices, the last belongs to the second.
    pub fn create_event(&mut self, thread: ThreadId, index: i64) -> Option<Answer> {
        let handle = self.new_handle();
        *self.events.get_mut(place(index)?)? = handle;
        let is_remote = self.devices > 1 && place(index) == Some(EVENTS - 1);
        let create = Call::EventCreate {
            event: EventId(handle),
            device: Device(u32::from(is_remote)),
            timing: self.timed_events.contains(&index),
        };
        Some(self.model.call(thread, &create))
    }

    /// The stream of an index; 0 is the legacy stream, 4 the per-thread one, 7 the legacy stream of the second device.
    pub fn stream(&self, index: i64) -> Option<Stream> {
        match index {
            0 | 7 => Some(Stream::Legacy(device_of(index))),
            4 => Some(Stream::PerThread(Device(0))),
            _ => {
                let place = CREATED.iter().position(|&created| created == index)?;
                Some(Stream::Created(self.streams[place]))
            }
        }
    }

    pub fn event(&self, index: i64) -> Option<EventId> {
        self.events.get(place(index)?).copied().map(EventId)
    }

    /// The graph in a variable; null if there is none.
    pub fn graph(&self, index: i64) -> Option<GraphId> {
        let graph = *self.graphs.get(place(index)?)?;
        Some(graph.unwrap_or(GraphId(0)))
    }

    pub fn set_graph(&mut self, index: i64, graph: GraphId) -> Option<()> {
        *self.graphs.get_mut(place(index)?)? = Some(graph);
        Some(())
    }

    /// The executable in a variable; null if there is none.
    pub fn exec(&self, index: i64) -> Option<ExecId> {
        let exec = *self.execs.get(place(index)?)?;
        Some(exec.unwrap_or(ExecId(0)))
    }

    pub fn set_exec(&mut self, index: i64, exec: ExecId) -> Option<()> {
        *self.execs.get_mut(place(index)?)? = Some(exec);
        Some(())
    }

    /// The address in a variable.
    pub fn allocated(&mut self, index: i64) -> Option<&mut Option<u64>> {
        self.allocated.get_mut(place(index)?)
    }

    /// A handle that no object has.
    pub fn new_handle(&mut self) -> u64 {
        self.handles += 1;
        self.handles
    }

    /// What the stream's next node will depend on.
    pub fn dependencies(&mut self, thread: ThreadId, stream: Stream) -> Dependencies {
        let ask = Call::StreamGetCaptureInfo { stream };
        match self.model.call(thread, &ask).value {
            Value::CaptureInfo(info) => info.dependencies,
            _ => Dependencies::default(),
        }
    }

    /// What a recording keeps of the created streams, each with its index.
    pub fn states(&mut self, thread: u32) -> impl Iterator<Item = (i64, State)> {
        CREATED
            .map(|index| (index, self.state(ThreadId(thread), index)))
            .into_iter()
    }

    fn state(&mut self, thread: ThreadId, index: i64) -> State {
        let Some(stream) = self.stream(index) else {
            return (0, 0, 0);
        };
        let answer = self
            .model
            .call(thread, &Call::StreamGetCaptureInfo { stream });
        match answer.value {
            Value::CaptureInfo(info) if info.status == CaptureStatus::Active => {
                (answer.code.0, info.status as i32, info.dependencies.len())
            }
            Value::CaptureInfo(info) => (answer.code.0, info.status as i32, 0),
            _ => (answer.code.0, 0, 0),
        }
    }

    /// The nodes of a graph; none if it is null.
    pub fn nodes(&self, graph: GraphId) -> &[Node] {
        self.model.nodes(graph).unwrap_or_default()
    }
}

fn device_of(stream: i64) -> Device {
    Device(u32::from(stream >= 5))
}

fn place(index: i64) -> Option<usize> {
    usize::try_from(index).ok()
}
