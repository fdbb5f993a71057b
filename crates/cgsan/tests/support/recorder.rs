//! A trace, written record by record as the recorder of a program would, without one.

use std::collections::HashMap;

use cgsan_model::{Call, Model, ThreadId};
use cgsan_trace::{
    AgentEvent, Argument, BlockRecord, CallRecord, CodeId, Entry, FrameId, OperatorRecord,
    ProcessInfo, Record, StringId, TensorRecord, format,
};

/// How long after the last one a record is made, in nanoseconds.
const BETWEEN_NS: u64 = 1_000;

/// A trace as far as it is written. Calls are answered by the model.
pub struct Recorder {
    /// The thread that does what comes next.
    pub thread: ThreadId,
    /// When the last record was made.
    pub time_ns: u64,
    /// How many records are no definitions.
    pub events: usize,
    bytes: Vec<u8>,
    model: Model,
    strings: HashMap<String, StringId>,
    codes: u32,
    frames: HashMap<(Option<FrameId>, CodeId, u32), FrameId>,
}

impl Recorder {
    /// Of a process that has one thread and has done nothing.
    pub fn new(process: ProcessInfo, thread: ThreadId) -> Recorder {
        let mut recorder = Recorder {
            thread,
            time_ns: 1_000_000_000,
            events: 0,
            bytes: format::encode_all(&[]),
            model: Model::new(),
            strings: HashMap::new(),
            codes: 0,
            frames: HashMap::new(),
        };
        recorder.define(Record::Process(process));
        recorder
    }

    /// The trace, whose process ends in an orderly way.
    pub fn finish(mut self) -> Vec<u8> {
        self.push(Record::End);
        let committed = (self.bytes.len() - format::HEADER_LENGTH) as u64;
        self.bytes[format::COMMITTED_OFFSET..][..8].copy_from_slice(&committed.to_le_bytes());
        self.bytes
    }

    /// Makes a call. Gives whether it did what it was asked.
    pub fn call(&mut self, stack: FrameId, function: &str, call: Call) -> bool {
        let result = self.model.call(self.thread, &call).code;
        let function = self.string(function);
        self.push(Record::Call(CallRecord {
            function,
            runtime: None,
            library: None,
            call,
            result,
            stack: Some(stack),
            native: None,
            autograd_sequence: None,
        }));
        result.is_success()
    }

    /// The agent reports something.
    pub fn agent(&mut self, stack: FrameId, event: AgentEvent) {
        let stack = Some(stack);
        self.push(Record::Agent { event, stack });
    }

    /// An operator begins.
    pub fn begin(&mut self, stack: FrameId, name: &str, arguments: Vec<Argument>) {
        let name = self.string(name);
        self.push(Record::OperatorBegin(OperatorRecord {
            name,
            arguments,
            stack: Some(stack),
        }));
    }

    /// The last operator that has begun ends.
    pub fn end(&mut self, results: &[&TensorRecord]) {
        let results = results.iter().copied().cloned().map(Argument::Tensor);
        self.push(Record::OperatorEnd {
            results: results.collect(),
        });
    }

    /// PyTorch's allocator gives out a block.
    pub fn allocated(&mut self, stack: FrameId, address: u64, bytes: u64) {
        self.push(Record::BlockAllocated(BlockRecord {
            address,
            bytes,
            stack: Some(stack),
        }));
    }

    /// It takes one back.
    pub fn freed(&mut self, address: u64, bytes: u64) {
        self.push(Record::BlockFreed(BlockRecord {
            address,
            bytes,
            stack: None,
        }));
    }

    /// A function of the program.
    pub fn code(&mut self, file: &str, function: &str) -> CodeId {
        let (file, function) = (self.string(file), self.string(function));
        let id = CodeId(self.codes);
        self.codes += 1;
        self.define(Record::Code {
            id,
            file,
            function,
            first_line: 1,
        });
        id
    }

    /// A line of a function, called from another.
    pub fn frame(&mut self, parent: Option<FrameId>, code: CodeId, line: u32) -> FrameId {
        let key = (parent, code, line);
        if let Some(known) = self.frames.get(&key) {
            return *known;
        }
        let id = FrameId(number(self.frames.len()));
        self.frames.insert(key, id);
        self.define(Record::Frame {
            id,
            parent,
            code,
            line,
        });
        id
    }

    /// A text, defined when it is used first.
    pub fn string(&mut self, text: &str) -> StringId {
        if let Some(known) = self.strings.get(text) {
            return *known;
        }
        let id = StringId(number(self.strings.len()));
        self.strings.insert(text.to_owned(), id);
        self.define(Record::String {
            id,
            text: text.to_owned(),
        });
        id
    }

    /// Adds a record of something that happens.
    pub fn push(&mut self, record: Record) {
        self.events += 1;
        self.define(record);
    }

    /// Adds a record.
    pub fn define(&mut self, record: Record) {
        self.time_ns += BETWEEN_NS;
        let entry = Entry {
            time_ns: self.time_ns,
            thread: self.thread,
            record,
        };
        format::encode(&entry, &mut self.bytes);
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).expect("few definitions")
}
