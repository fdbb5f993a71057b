//! From what callers report to records in the file.

use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use cgsan_model::{Call, ExecId, FunctionId, ThreadId};
use cgsan_trace::written::shown;
use cgsan_trace::{
    AddressChange, AddressRecord, AgentEvent, Argument, BlockRecord, CallRecord, OperatorRecord,
    ProcessInfo, Record, command_line,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::blocks::Ranges;
use crate::captured::{self, Captured, Storage};
use crate::identity;
use crate::keep::Keep;
use crate::native::{self, NativeStacks};
use crate::operators::{self, Begun};
use crate::sink::Sink;
use crate::stacks::Stacks;
use crate::state::{self, Setup};
use crate::strings::Strings;
use crate::uncomputed::{self, Uncomputed};
use crate::unseen::Unseen;
use crate::window::{self, Choice, Window};
use crate::writer::Writer;
use crate::{CallSite, Detail, names, replays, thread, waits};

/// How many exceptions are recorded from the start, and again from the beginning of each capture: some programs throw
/// and catch them in loops.
const MOST_EXCEPTIONS: u32 = 1000;

/// How many kernels are named that are not computed.
const KERNELS: usize = 32;

/// Writes the trace of this process.
pub struct Recorder {
    writer: Writer,
    strings: Strings,
    stacks: Stacks,
    native_stacks: NativeStacks,
    functions: FxHashSet<FunctionId>,
    missing: FxHashSet<&'static str>,
    computed_value_read: bool,
    kernels_not_computed: FxHashSet<FunctionId>,
    uncomputed: Uncomputed,
    exceptions_left: u32,
    window: Window,
    /// The blocks of PyTorch's allocator that are in use: their first bytes and sizes.
    blocks: FxHashMap<u64, u64>,
    /// Those that are other ones than at the end of the last window.
    unseen: Unseen,
    captured: Captured,
    /// The device memory that graphs have to do with.
    of_graphs: Ranges,
    /// Whether every call is served and seen, as by the virtual GPU.
    sees_all_calls: bool,
    /// Whether, on a real GPU, replays and the calls that order them are all seen in windows.
    sees_order: bool,
    /// The name that a thread has when nobody gave it one.
    default_thread_name: String,
}

/// What was found out about a call before the recorder was locked.
pub struct Origin {
    /// The calling thread's next autograd sequence number.
    pub autograd_sequence: Option<u64>,
    /// The native stack, innermost frame first.
    pub native: Option<Vec<native::Address>>,
}

impl Recorder {
    /// Makes the trace of this process, with what is known of it.
    pub fn open(setup: &'static Setup) -> io::Result<Recorder> {
        let run = setup.config.run_directory();
        let limit = cgsan_trace::place::trace_limit(run);
        let mut recorder = Recorder {
            writer: Writer::new(create(run)?, limit),
            strings: Strings::default(),
            stacks: Stacks::new(setup.python.as_ref().ok(), &setup.config.agent),
            native_stacks: NativeStacks::default(),
            functions: FxHashSet::default(),
            missing: FxHashSet::default(),
            computed_value_read: false,
            kernels_not_computed: FxHashSet::default(),
            uncomputed: Uncomputed::new(setup.config.values),
            exceptions_left: MOST_EXCEPTIONS,
            window: Window::default(),
            blocks: FxHashMap::default(),
            unseen: Unseen::default(),
            captured: Captured::default(),
            of_graphs: Ranges::default(),
            sees_all_calls: setup.config.virtual_gpu,
            sees_order: setup.config.sees_order,
            default_thread_name: std::fs::read_to_string("/proc/self/comm")
                .map(|name| name.trim_end().to_owned())
                .unwrap_or_default(),
        };
        recorder.stamp();
        let process = process_info(setup);
        let keep = Keep::asked(run, &process);
        recorder.writer.append(Record::Process(process));
        recorder.writer.keep(keep);
        if let Err(reason) = &setup.python {
            let text = format!("Python stacks are not recorded: {reason}");
            recorder.writer.append(Record::Note { text });
        }
        recorder.mark_order(true);
        for (function, name) in names::all() {
            recorder.write_function(function, name);
        }
        match recorder.take_failure() {
            None => Ok(recorder),
            Some(error) => Err(error),
        }
    }

    /// Sets the time and the thread of the records to come.
    pub fn stamp(&mut self) {
        self.writer.stamp();
    }

    /// Records a call by the calling thread, or counts it.
    pub fn call(&mut self, site: &CallSite<'_>, origin: Origin) {
        if self.window.is_at_boundary(site.call) && self.writer.needs_gap() {
            let counted = self.window.take_counted().unwrap_or_default();
            self.writer.append(Record::Counted(counted));
        }
        match self.window.choose(site.call, site.result) {
            Choice::Count => return,
            Choice::Open => self.open_window(),
            Choice::Record => {}
        }
        if site.call.begins_capture() {
            replays::capture_begins();
        }
        self.introduce_thread();
        self.open_operators();
        self.follow_captures(site);
        let (writer, strings) = (&mut self.writer, &mut self.strings);
        let record = CallRecord {
            function: strings.intern_static(writer, site.function),
            runtime: site
                .runtime
                .map(|runtime| strings.intern_static(writer, runtime)),
            library: thread::library().map(|library| strings.intern_static(writer, library)),
            call: site.call.clone(),
            result: site.result,
            stack: match site.detail {
                Detail::None => None,
                Detail::Stack | Detail::StackAndNative => self.stacks.take(writer, strings),
            },
            native: origin
                .native
                .map(|stack| self.native_stacks.intern(writer, strings, stack)),
            autograd_sequence: origin.autograd_sequence,
        };
        self.write(Record::Call(record));
    }

    /// Keeps in mind which memory the captures have to do with.
    fn follow_captures(&mut self, site: &CallSite<'_>) {
        let this = thread::current_thread();
        match site.call {
            it if it.begins_capture() && site.result.is_success() => {
                self.exceptions_left = MOST_EXCEPTIONS;
                self.captured.begin(this);
            }
            Call::StreamEndCapture { .. } if window::ends_capture(site.result) => {
                for storage in self.captured.end(this) {
                    self.of_graphs.insert(storage.address, storage.bytes);
                    if storage.kind == captured::HOST_RESULT {
                        operators::add_host_result(storage.address, storage.bytes);
                    }
                }
            }
            Call::Work { .. } if site.result.is_success() && self.captured.any() => {
                let for_others = thread::is_of_autograd();
                self.captured.work(this, for_others, site.call);
                operators::innermost_works();
                operators::innermost_storages(|address, bytes| {
                    if self.blocks.contains_key(&address) {
                        self.captured.touch(this, for_others, address, bytes);
                    }
                });
                if let Some((address, bytes)) = operators::innermost_copied_into() {
                    self.captured.copy_into(this, for_others, address, bytes);
                }
            }
            _ => {}
        }
    }

    /// What the last capture that the calling thread ended has to do with.
    pub fn captured_storages(&self) -> &[Storage] {
        self.captured.of(thread::current_thread())
    }

    /// Writes a record of a window, which may be its last one.
    fn write(&mut self, record: Record) {
        self.writer.append(record);
        if self.window.spend() {
            operators::pause(true);
            if self.sees_all_calls {
                self.writer.append(Record::Watched { on: false });
            }
            self.mark_order(false);
        }
    }

    fn open_window(&mut self) {
        operators::pause(false);
        self.write_counted();
        self.write_unseen_blocks();
        if self.sees_all_calls {
            self.writer.append(Record::Watched { on: true });
        }
        self.mark_order(true);
    }

    fn mark_order(&mut self, on: bool) {
        if self.sees_order {
            self.writer.append(Record::Ordered { on });
        }
    }

    /// Records that calls which order others may be made unseen from now on.
    pub fn order_is_unseen(&mut self) {
        self.mark_order(false);
        self.sees_order = false;
    }

    /// Tells those who ask without the lock whether a window is open.
    pub fn publish_window(&self) {
        self.window.publish();
    }

    fn write_counted(&mut self) {
        if let Some(counted) = self.window.take_counted() {
            self.writer.append(Record::Counted(counted));
        }
    }

    /// Writes the beginnings of the operators that the calling thread is inside of, unless they are written.
    fn open_operators(&mut self) {
        if !operators::are_known() {
            return;
        }
        operators::unwritten(|begun| {
            let operator = self.operator(begun);
            self.write(Record::OperatorBegin(operator));
        });
    }

    /// The operators that the calling thread is inside of are handed to code in Python: their stack is that of now, without the
    /// frames of that code.
    pub fn python_begins(&mut self) {
        if operators::any_unwritten(|arguments| self.matters(arguments)) {
            self.introduce_thread();
            self.open_operators();
        }
    }

    /// The innermost operator of the calling thread is given these tensors, which later work has overwritten.
    pub fn overwritten_read(&mut self, outputs: &[u64]) {
        for output in outputs {
            self.introduce_thread();
            self.open_operators();
            self.agent_event(Some(AgentEvent::OverwrittenRead { output: *output }));
        }
    }

    fn operator(&mut self, begun: &Begun) -> OperatorRecord {
        let name = begun.name.to_string_lossy();
        OperatorRecord {
            name: self.strings.intern(&mut self.writer, &name),
            // A copy: which memory a capture reads is asked of the operator as long as it is open.
            arguments: begun.arguments.clone(),
            stack: self.stack(),
        }
    }

    /// Records that the innermost operator of the calling thread ended; as a whole if nothing happened inside it.
    pub fn operator_ended(&mut self, begun: &Begun, results: Vec<Argument>) {
        if begun.works && self.captured.any() {
            self.follow_storages(begun, &results);
        }
        if begun.written {
            self.write(Record::OperatorEnd { results });
        } else if begun.is_of_group() || self.matters(&begun.arguments) || self.matters(&results) {
            self.introduce_thread();
            let operator = self.operator(begun);
            self.write(Record::Operator { operator, results });
        }
    }

    /// Keeps in mind what a captured operator did to the memory that it was given.
    fn follow_storages(&mut self, begun: &Begun, results: &[Argument]) {
        let (this, for_others) = (thread::current_thread(), thread::is_of_autograd());
        let overwritten = begun.overwritten(results);
        operators::tensors(&begun.arguments, &mut |it| {
            let is_overwritten = overwritten.contains(&it.address);
            let storage = (it.address, it.bytes);
            self.captured
                .use_storage(this, for_others, storage, is_overwritten);
        });
    }

    /// Whether a tensor among these lies in the memory of a GPU, or in the host's where a graph copies from or to.
    fn matters(&self, arguments: &[Argument]) -> bool {
        arguments.iter().any(|argument| match argument {
            Argument::Tensor(tensor) => {
                tensor.on_gpu || self.of_graphs.touches(tensor.address, tensor.bytes)
            }
            Argument::List(elements) => self.matters(elements),
            _ => false,
        })
    }

    /// PyTorch's allocator gave out a block.
    pub fn block_allocated(&mut self, address: u64, bytes: u64) {
        self.blocks.insert(address, bytes);
        if self.captured.any() {
            let this = thread::current_thread();
            let for_others = thread::is_of_autograd();
            self.captured.allocate(this, for_others, address, bytes);
        }
        if self.is_worth_a_record(address, bytes) {
            let record = self.block(address, bytes);
            self.write(Record::BlockAllocated(record));
        }
    }

    /// PyTorch's allocator took back the block that begins there.
    pub fn block_freed(&mut self, address: u64) {
        let bytes = self.blocks.remove(&address).unwrap_or_default();
        self.captured.free(address);
        if self.is_worth_a_record(address, bytes) {
            let record = self.block(address, bytes);
            self.write(Record::BlockFreed(record));
        }
    }

    fn is_worth_a_record(&mut self, address: u64, bytes: u64) -> bool {
        if self.window.is_open() {
            return true;
        }
        let of_graph = self.of_graphs.touches(address, bytes);
        if of_graph {
            self.window.disturb();
        } else {
            self.window.count_block();
            self.unseen.changed(address, bytes, &self.blocks);
        }
        of_graph
    }

    /// Records which blocks are other ones than at the end of the last window.
    fn write_unseen_blocks(&mut self) {
        let record = |address, bytes| BlockRecord {
            address,
            bytes,
            stack: None,
        };
        let unseen = self.unseen.take();
        for (address, before) in unseen.iter().filter(|(_, before)| **before > 0) {
            let freed = Record::BlockFreed(record(*address, *before));
            self.writer.append(freed);
        }
        for address in unseen.keys() {
            if let Some(bytes) = self.blocks.get(address) {
                let allocated = Record::BlockAllocated(record(*address, *bytes));
                self.writer.append(allocated);
            }
        }
    }

    fn block(&mut self, address: u64, bytes: u64) -> BlockRecord {
        self.introduce_thread();
        self.open_operators();
        BlockRecord {
            address,
            bytes,
            stack: self.stack(),
        }
    }

    /// Records what a call did to some addresses.
    pub fn addresses(&mut self, what: AddressChange, start: u64, bytes: u64) {
        self.introduce_thread();
        let stack = self.stack();
        self.writer.append(Record::Addresses(AddressRecord {
            what,
            start,
            bytes,
            stack,
        }));
    }

    /// Names a kernel, unless it has a name.
    pub fn define_function(&mut self, function: FunctionId, name: &str) {
        if !self.functions.contains(&function) {
            names::remember(function, name);
            self.write_function(function, name);
        }
    }

    fn write_function(&mut self, function: FunctionId, name: &str) {
        if self.functions.insert(function) {
            let name = self.strings.intern(&mut self.writer, name);
            self.writer.append(Record::Function { id: function, name });
        }
    }

    /// Records the first call of a function that is not there.
    pub fn missing(&mut self, function: &'static str) {
        if self.missing.insert(function) {
            self.introduce_thread();
            let function = self.strings.intern_static(&mut self.writer, function);
            let stack = self.stack();
            self.writer.append(Record::Missing { function, stack });
        }
    }

    /// Records the first read of a value of so many bytes that a kernel should have computed, and names a place that reads such
    /// values without end.
    pub fn computed_value_read(&mut self, bytes: u64) {
        if self.computed_value_read && self.uncomputed.is_over(bytes) {
            return;
        }
        self.introduce_thread();
        let stack = self.stack();
        if !self.computed_value_read {
            self.computed_value_read = true;
            self.writer.append(Record::ComputedValueRead { stack });
        }
        let read = stack.map(|stack| self.uncomputed.read_at(stack, bytes));
        let read = read.unwrap_or_default();
        if let Some(reads) = read.named_after {
            let place = self.stacks.own_line();
            let place = place.unwrap_or_else(|| "the program".to_owned());
            state::say(&uncomputed::text(&place, reads));
        }
        if read.decides {
            waits::reads_uncomputed();
        }
    }

    /// Records the first launch of a kernel that is not computed.
    pub fn kernel_not_computed(&mut self, function: FunctionId) {
        if self.kernels_not_computed.len() < KERNELS && self.kernels_not_computed.insert(function) {
            self.introduce_thread();
            let stack = self.stack();
            let record = Record::KernelNotComputed { function, stack };
            self.writer.append(record);
        }
    }

    /// Records a remark on what could not be observed.
    pub fn note(&mut self, text: &str) {
        let text = text.to_owned();
        self.writer.append(Record::Note { text });
    }

    /// Records that calls to CUDA are watched again, or no longer.
    pub fn watched(&mut self, on: bool) {
        self.writer.append(Record::Watched { on });
    }

    /// Records how much memory was free before and after a call that takes some for an executable graph, in bytes.
    pub fn executable_memory(&mut self, exec: ExecId, before: u64, after: u64) {
        self.introduce_thread();
        self.writer.append(Record::ExecutableMemory {
            exec,
            before,
            after,
        });
    }

    /// Records an event of the agent; `None` if it could not be understood.
    pub fn agent_event(&mut self, event: Option<AgentEvent>) {
        self.introduce_thread();
        let begins_part = matches!(event, Some(AgentEvent::PartBegins { .. }));
        if begins_part && self.window.begin_part() {
            self.open_window();
        }
        let record = match event {
            Some(event) => Record::Agent {
                event,
                stack: self.stack(),
            },
            None => Record::UnreadableAgentEvent,
        };
        self.writer.append(record);
    }

    /// Names the calling thread.
    pub fn thread_name(&mut self, name: &str) {
        thread::introduce();
        let name = self.strings.intern(&mut self.writer, name);
        self.writer.append(Record::ThreadName { name });
    }

    /// Names a thread that ran before the recording.
    pub fn name_thread(&mut self, thread: ThreadId, name: &str) {
        self.writer.stamp_as(thread);
        let name = self.strings.intern(&mut self.writer, name);
        self.writer.append(Record::ThreadName { name });
    }

    /// Records an exception, if there were not too many.
    pub fn exception(&mut self, type_name: &str, message: &str) {
        let Some(left) = self.exceptions_left.checked_sub(1) else {
            return;
        };
        self.exceptions_left = left;
        self.introduce_thread();
        let type_name = self.strings.intern(&mut self.writer, type_name);
        let message = message.to_owned();
        let stack = self.stack();
        self.writer.append(Record::Exception {
            type_name,
            message,
            stack,
        });
    }

    /// Records that this process forked.
    pub fn fork(&mut self, child: u32) {
        self.writer.append(Record::Fork { child });
    }

    /// Records that the process is ending.
    pub fn end(&mut self) {
        self.write_counted();
        self.writer.append(Record::End);
        self.writer.trim();
    }

    /// The error that kept a record from the file, if there was one.
    pub fn take_failure(&mut self) -> Option<io::Error> {
        self.writer.take_failure()
    }

    /// Marks in the file that recording stopped early.
    pub fn mark_stopped(&mut self) {
        self.writer.mark_stopped();
    }

    /// The folder of the file that is being written.
    pub fn folder(&self) -> &Path {
        let file = self.writer.path();
        file.parent().unwrap_or(file)
    }

    /// Python is about to end, in the calling thread.
    pub fn python_ends(&mut self) {
        self.stacks.only_of_this_thread();
    }

    fn stack(&mut self) -> Option<cgsan_trace::FrameId> {
        self.stacks.take(&mut self.writer, &mut self.strings)
    }

    /// Before a thread's first record, notes what the operating system calls it: the agent knows the names of Python's
    /// threads alone, and PyTorch names its own ones (`pt_autograd_0`).
    fn introduce_thread(&mut self) {
        if !thread::introduce() {
            return;
        }
        let name = if thread::current_thread().0 == std::process::id() {
            "MainThread".to_owned()
        } else {
            thread::system_name()
        };
        if name != self.default_thread_name {
            self.thread_name(&name);
        }
    }
}

/// Makes the trace's file. A process that replaced itself (`execv`) has left one under its id.
fn create(directory: &Path) -> io::Result<Sink> {
    let pid = std::process::id();
    let mut result = Sink::create(&directory.join(format!("trace-{pid}.cgsan")));
    for attempt in 2..100 {
        match &result {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let name = format!("trace-{pid}-{attempt}.cgsan");
                result = Sink::create(&directory.join(name));
            }
            _ => break,
        }
    }
    result
}

fn process_info(setup: &Setup) -> ProcessInfo {
    // Close to the record's own time: by the two, traces of several machines are laid side by side.
    let started = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let config = &setup.config;
    let host = identity::host();
    ProcessInfo {
        pid: std::process::id(),
        arguments: command_line::masked(&config.arguments),
        directory: std::env::current_dir()
            .map(|directory| shown(directory.as_os_str()))
            .unwrap_or_default(),
        started: started.as_secs(),
        python: config.python.clone(),
        torch: config.torch.clone(),
        device: config.device.clone(),
        virtual_gpu: config.virtual_gpu,
        rank: identity::rank(&|name| std::env::var(name).ok()),
        started_ns: Some(started.subsec_nanos()),
        run: cgsan_trace::place::run(config.run_directory()),
        job: identity::job(host.as_deref(), &|name| std::env::var(name).ok()),
        host,
    }
}
