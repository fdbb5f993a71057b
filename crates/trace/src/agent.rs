//! What the agent in the Python interpreter reports.

use serde::{Deserialize, Serialize};

use crate::{StackFrame, TwinArguments, TwinCause, TwinDifference};

/// What the agent in the Python interpreter reports. The agent passes it as JSON, tagged by `event`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum AgentEvent {
    /// An exception was in flight when a capture was being ended, or ended the program.
    Exception {
        /// The type as a traceback prints it, e.g. `torch.AcceleratorError`.
        type_name: String,
        /// Its message.
        message: String,
        /// Its traceback, outermost frame first.
        traceback: Vec<StackFrame>,
        /// Whether it ended the program (or a thread of it).
        uncaught: bool,
    },
    /// The autograd graph that a failing `backward()` was walking, as far as it could be read.
    Autograd {
        /// Its nodes.
        nodes: Vec<AutogradNode>,
    },
    /// The process is part of a distributed job.
    Rank(Rank),
    /// PyTorch is about to begin a capture, on a real GPU: where calls to CUDA cannot be watched, this reports it.
    CaptureBegins {
        /// Its mode, as PyTorch names it: `global`, `thread_local` or `relaxed`.
        mode: Option<String>,
        /// The thread, by the number that `pthread_self` gives, as the driver's log names threads.
        thread: u64,
    },
    /// A capture by PyTorch has ended. The calls that made its executable graph come right before, on the same thread.
    GraphCaptured {
        /// The number of the graph, from 1 in each process: one for each capture.
        graph: u64,
        /// The id of its memory pool, as PyTorch names it.
        pool: Option<(u64, u64)>,
        /// What the program calls the storages that the capture read or left alive, nearest names first.
        names: Vec<StorageName>,
    },
    /// At the moment before a replay, names that led to a storage of the capture lead to another.
    InputsRebound {
        /// The graph's number.
        graph: u64,
        /// The number of the replay, from 1.
        replay: u64,
        /// The names, each reported once for each storage that it led to at a sample.
        names: Vec<Rebound>,
        /// The lines of the program that use each of them, and those that use the other names of `still_held_by`.
        uses: Option<Vec<Uses>>,
        /// Whether each of them leads to a parameter of a module; a recording of an older cgsan lacks them.
        parameters: Option<Vec<OfParameter>>,
    },
    /// The program keeps several references to the same output of a graph, and more from sample to sample.
    OutputsKept {
        /// The graph's number.
        graph: u64,
        /// The number of the replay that was about to happen; when the program ended, of the last one that was looked at.
        replay: u64,
        /// What holds them.
        containers: Vec<KeptOutput>,
        /// Which of the storages are gradients, by where they begin.
        gradients: Option<Vec<u64>>,
        /// Of which of the storages there were more references at each of the last samples; a recording of an older cgsan lacks them.
        growing: Option<Vec<u64>>,
        /// The only line, by file and number, that adds to each of the containers; a recording of an older cgsan lacks them.
        added: Option<Vec<Option<(String, u32)>>>,
    },
    /// A replay is made in place of a module's `forward`, and there are hooks on the modules inside of it.
    HooksSkipped {
        /// The graph's number.
        graph: u64,
        /// The number of the replay.
        replay: u64,
        /// The hooks.
        hooks: Vec<SkippedHook>,
    },
    /// Plain values that a capture changed, as they were at the replays since. The last such event of a graph counts.
    HostState {
        /// The graph's number.
        graph: u64,
        /// The number of the replay that was about to happen; when the program ended, of the last one that was looked at.
        replay: u64,
        /// The values.
        changes: Vec<HostChange>,
        /// For each of the changes, the lines that may have made it; none where a change is meant to happen once. A recording
        /// of an older cgsan lacks them.
        lines: Option<Vec<Vec<CodeLine>>>,
    },
    /// Gradients of optimizers' parameters, in memory that a capture allocated; told when it has ended.
    GradientBuffers {
        /// The graph's number.
        graph: u64,
        /// The gradients.
        buffers: Vec<GradientBuffer>,
    },
    /// Numbers of optimizers are others than at the end of the capture.
    OptimizerChanged {
        /// The graph's number.
        graph: u64,
        /// The number of the replay that was about to happen.
        replay: u64,
        /// The numbers, each reported once.
        changes: Vec<OptimizerChange>,
    },
    /// The host wrote pinned memory that captured copies read, after the replay before and not later than at this one.
    HostSourcesChanged {
        /// The graph's number.
        graph: u64,
        /// The number of the replay that was about to happen.
        replay: u64,
        /// Where something else lies than at the replay before: addresses, and how many bytes.
        sources: Vec<(u64, u64)>,
    },
    /// A backward graph of `make_graphed_callables` is about to be replayed for a forward behind which there was another one.
    BackwardOfEarlier {
        /// The number of the backward graph.
        graph: u64,
        /// The number of the replay that was about to happen.
        replay: u64,
        /// The number of the forward graph.
        forward: u64,
    },
    /// The region of a graph was run beside the program, and was compared with what it did at the capture.
    TwinCompared {
        /// The graph's number.
        graph: u64,
        /// The number of the replay that was about to happen; 0 where it was run as if no capture ran.
        replay: u64,
        /// How many operators were compared.
        operators: u64,
        /// What differs, in order; nothing where the region does now what another graph of this place does.
        differences: Vec<TwinDifference>,
        /// Why that is not all, if it is not.
        stopped: Option<String>,
        /// Whether it drew random numbers on the host.
        draws: bool,
        /// Whether a plain variable of the region had another value than at the capture; `None` in traces that do not have it.
        moved: Option<bool>,
        /// Why it differs, if that was found out by running it in other modes, or lies in a hook.
        cause: Option<TwinCause>,
        /// Whether the code of the region names constants or plain variables, which may stand for what a step is given; `None` in
        /// traces that do not have it.
        fixed: Option<bool>,
        /// Where storages begin that a name led to and leads to no more, and that the region is still given wherever it was at the
        /// capture; `None` where nobody asked.
        still_read: Option<Vec<u64>>,
        /// The functions, each with a line, that set what it differs for, and that this replay did not come by: with what that was at
        /// the capture, nothing differs. `None` where that is not so.
        set_by: Option<Vec<StackFrame>>,
        /// What the capture gave to the program's functions that the code of the region calls; `None` in traces that do not have it.
        arguments: Option<Vec<TwinArguments>>,
        /// The numbers that the code of the region names or its variables have from the capture, which no change of the program's state
        /// reaches; `None` in traces that do not have it.
        constants: Option<Vec<String>>,
    },
    /// The region of a graph was run and computed twice from the state of a replay, as if a capture ran and as if none did.
    LeftCompared {
        /// The graph's number.
        graph: u64,
        /// The number of the replay that was about to happen.
        replay: u64,
        /// Whether it left something else.
        differs: bool,
    },
    /// The regions of graphs that were not run beside the program, with the reasons; told when the program ends.
    TwinsLeftOut {
        /// The graphs' numbers, and why.
        graphs: Vec<(u64, String)>,
    },
    /// Tensors whose `.grad` is memory that a capture allocated.
    Gradients {
        /// The number of the graph that is replayed, among whose inputs the tensors are.
        graph: u64,
        /// The number of the replay that was about to happen; when the program ended, of the last one that was looked at.
        replay: u64,
        /// The tensors.
        gradients: Vec<StaticGradient>,
        /// Where the storages of the tensors themselves begin, in the same order.
        tensors: Option<Vec<u64>>,
    },
    /// `torch.compile` said what becomes of the captures that a compiled function should have.
    Compiled {
        /// Whether it makes no capture of the function, or of this shape.
        skipped: bool,
        /// Its reason, in its own words; lines of the program where it names some.
        message: String,
        /// The stack of the call that it was compiled for, innermost frame first.
        stack: Vec<StackFrame>,
    },
    /// `torch.compile` captures a function again: none of the graphs that there are of it at this place fits its inputs.
    RecordedAgain {
        /// What does not fit the last of them, in PyTorch's words; lines of the program where it names some.
        reason: String,
        /// The stack of the call that is captured, innermost frame first.
        stack: Vec<StackFrame>,
    },
    /// Inductor has split a function that is compiled with graphs: one graph for each part that can have one.
    Partitioned {
        /// The function's qualified name.
        function: String,
        /// The file that defines it.
        file: String,
        /// The line that defines it, or its first decorator's.
        line: u32,
        /// How many graphs it has; at least two.
        graphs: u64,
        /// The operators that it was split around; none where Inductor took the function from its cache.
        operators: Vec<SplitAround>,
    },
    /// A tensor that a captured compiled function returned was overwritten by a later call, while the program had it.
    OutputOverwritten {
        /// Its number in this process.
        output: u64,
        /// Where its storage begins.
        address: u64,
        /// The stack of the call that returned it, innermost frame first, without PyTorch's own.
        made: Vec<StackFrame>,
        /// The same of the call that overwrote it.
        stack: Vec<StackFrame>,
        /// Whether that call ran the same graph again, and not another one that may use its memory.
        again: bool,
    },
    /// An operator was given such a tensor; it is the innermost of its thread.
    OverwrittenRead {
        /// The tensor's number.
        output: u64,
    },
    /// The host is about to send or receive a message while the calling thread captures.
    HostMessage {
        /// The method that does it, e.g. `Connection.recv`.
        call: String,
        /// The stack of the call, innermost frame first.
        stack: Vec<StackFrame>,
    },
    /// The calling thread is a timer of Python's which does nothing but end the process, once its time has come.
    EndingTimer,
    /// An operator's values are not computed on the virtual GPU, though the program asked for values; told once an operator.
    NotComputed {
        /// The operator, e.g. `aten._cudnn_rnn.default`, or another kernel.
        operator: String,
        /// Why: what its computation raised.
        reason: String,
        /// The stack of the first call, or of the replay that came to it; innermost frame first.
        stack: Vec<StackFrame>,
        /// Whether the memory of its results stays as it was, and is not made recognisable; a recording of an older cgsan lacks it.
        stays: Option<bool>,
    },
    /// A kernel of the virtual GPU failed, as it would on a GPU; told once, since nothing is done afterwards.
    DeviceFailed {
        /// The operator, e.g. `aten.index.Tensor`, or the kernel.
        operator: String,
        /// What its computation came to.
        reason: String,
        /// The stack of the operator's first call, or of the replay that came to it; innermost frame first.
        stack: Vec<StackFrame>,
        /// What calls return since: 710, a failed assertion, where there is none.
        #[serde(default)]
        code: Option<i32>,
    },
    /// A process group was made.
    GroupCreated {
        /// Its number, from 1 in each process.
        group: u64,
        /// Its name, the same in all ranks.
        name: String,
        /// Where PyTorch's object of it lies: what operators are given.
        address: u64,
        /// The number of this process among its members.
        rank: u32,
        /// How many members it has.
        size: u32,
    },
    /// A process group is about to be shut down, in the way of which NCCL waits for graphs.
    GroupDestroyed {
        /// Its number.
        group: u64,
        /// Whether the interpreter is ending: the program's last line has run.
        exiting: bool,
        /// The graphs whose Python objects are alive.
        graphs: Vec<HeldGraph>,
    },
    /// The program has ended, and process groups are left.
    GroupsLeft {
        /// Their numbers.
        groups: Vec<u64>,
        /// The graphs whose Python objects are alive.
        graphs: Vec<HeldGraph>,
    },
    /// The program has ended, and was to be verified: what was compared with eager runs.
    Verification {
        /// The graphed callables.
        callables: Vec<Verified>,
        /// How many captures there were beside theirs; where `graphs` is known, those that have no number.
        others: u64,
        /// The stack of the first of these, innermost frame first.
        stack: Vec<StackFrame>,
        /// The graphs of other captures; `None` in traces that do not have it.
        graphs: Option<Vec<VerifiedGraph>>,
    },
    /// A part of the program begins, such as a test, and the part before ends.
    PartBegins {
        /// What the program calls it.
        name: String,
    },
    /// Code that is in no file: a cell of a notebook.
    Cell {
        /// The file that its code objects name.
        file: String,
        /// The number that the notebook shows beside it: 3 of `In [3]`.
        number: u32,
        /// Its code.
        code: String,
    },
    /// What happened up to here was reported while the program ran. The part before ends.
    PartsTold,
    /// What PyTorch's allocator holds, by its own account.
    Memory {
        /// When.
        moment: MemoryMoment,
        /// The devices that it has memory of.
        devices: Vec<DeviceMemory>,
        /// The pools; `None` if there are too many blocks to go through.
        pools: Option<Vec<PoolMemory>>,
        /// The segments that were not there at the last such event.
        segments: Vec<Segment>,
        /// Where those began that were there then and have gone back to the driver.
        gone: Vec<u64>,
        /// The blocks that the program freed and that wait for another stream: where they begin, and their sizes.
        pending: Vec<(u64, u64)>,
        /// The options of the allocator that the program runs with, as `PYTORCH_ALLOC_CONF` has them.
        settings: Option<String>,
        /// The pool that alone was gone through; `None` for all.
        only: Option<(u64, u64)>,
    },
}

/// When the allocator was asked what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryMoment {
    /// A capture is about to begin.
    BeforeCapture,
    /// A capture is about to end, well or not.
    CaptureEnds,
    /// A graph is about to be replayed, and the reserved memory has changed.
    Replay,
    /// The program has ended.
    ProgramEnds,
}

/// What the allocator's statistics say of a device, in bytes; the names are those of `torch.cuda.memory_stats()`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct DeviceMemory {
    /// The device.
    pub device: u32,
    /// `allocated_bytes.all.current`.
    pub allocated: u64,
    /// `active_bytes.all.current`.
    pub active: u64,
    /// `reserved_bytes.all.current`.
    pub reserved: u64,
    /// `reserved_bytes.all.peak`.
    pub reserved_peak: u64,
    /// `inactive_split_bytes.all.current`.
    pub split: u64,
    /// `num_ooms`.
    pub ooms: u64,
}

/// A memory pool, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct PoolMemory {
    /// The device.
    pub device: u32,
    /// Its id, as PyTorch names it; 0 and 0 for that of eager work.
    pub pool: (u64, u64),
    /// How many segments it has.
    pub segments: u64,
    /// Their sizes.
    pub reserved: u64,
    /// What the program holds.
    pub allocated: u64,
    /// What it freed and another stream may still use.
    pub pending: u64,
    /// Free blocks that are a part of a segment.
    pub split: u64,
    /// The largest free block.
    pub largest: u64,
}

/// Memory that the allocator got from the driver in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Segment {
    /// The device.
    pub device: u32,
    /// Where it begins.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
    /// The pool that it belongs to.
    pub pool: (u64, u64),
    /// The stream, by its handle, whose allocations it serves.
    pub stream: u64,
}

/// A graphed callable, some calls of which were compared with eager runs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Verified {
    /// Its name.
    pub name: String,
    /// How many calls were compared.
    pub calls: u64,
    /// Whether one left something else than an eager run.
    pub differs: bool,
    /// What differs, or why nothing can be said; `None` if all is right.
    pub message: Option<String>,
    /// The stack of the call that graphed it, innermost frame first.
    pub stack: Vec<StackFrame>,
}

/// A graph that no graphed callable made: some of its replays are compared with eager runs of its region.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct VerifiedGraph {
    /// The graph's number.
    pub graph: u64,
    /// How many replays were compared.
    pub replays: u64,
    /// Why none was.
    pub reason: Option<String>,
    /// The stack of its capture, innermost frame first.
    pub stack: Vec<StackFrame>,
}

/// A graph whose Python object is alive, and what refers to it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct HeldGraph {
    /// The graph's number.
    pub graph: u64,
    /// The expression that leads to it, e.g. `Runner.graph`; `None` if none was found.
    pub name: Option<String>,
    /// Whether that leads through a class or a module other than the main one, which outlive the program's variables.
    pub outlives: bool,
    /// The file of the code that has the name.
    pub file: Option<String>,
    /// The line that binds the name, if one was found.
    pub line: Option<u32>,
}

/// What a storage is to a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StorageKind {
    /// Read by captured operators, and allocated outside of the capture.
    Input,
    /// Allocated during the capture, and alive at its end.
    Output,
    /// Memory of the host that a captured copy reads.
    Host,
}

/// What the program calls a storage.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct StorageName {
    /// The expression, e.g. `self.static_x`, `inputs[0]`.
    pub name: String,
    /// Where the storage begins.
    pub address: u64,
    /// What it is to the capture.
    pub kind: StorageKind,
}

/// A name that led to a storage of a capture, and now leads to another.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Rebound {
    /// The expression.
    pub name: String,
    /// What the storage is to the capture.
    pub kind: StorageKind,
    /// Where the storage of the capture begins.
    pub old: u64,
    /// Where the storage begins that the name leads to now.
    pub new: u64,
    /// Whether it is the same tensor, which was given other memory, as `.data = ` does.
    pub same_tensor: bool,
    /// Whether the shape is the same.
    pub same_shape: bool,
    /// Whether the element type is the same.
    pub same_dtype: bool,
    /// The function whose variable the name begins with; `None` for a module's or an object's.
    pub function: Option<String>,
    /// The file of the code that holds the name or stored it anew.
    pub file: Option<String>,
    /// The line that most likely stored it anew.
    pub line: Option<u32>,
    /// Other names that still lead to the storage of the capture.
    pub still_held_by: Vec<String>,
}

/// Whether what a name leads to is a parameter (`torch.nn.Parameter`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct OfParameter {
    /// Whether it was one at the capture.
    pub then: bool,
    /// Whether it is one now.
    pub now: bool,
}

/// Where the program's code uses the names of one storage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Uses {
    /// The file and the line of each use of the name that was rebound.
    pub rebound: Vec<(String, u32)>,
    /// Those of the names that still lead to the storage.
    pub still_held: Vec<(String, u32)>,
}

/// A container with several entries of the same output.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct KeptOutput {
    /// The expression; `None` if no name leads to it.
    pub name: Option<String>,
    /// Its type, e.g. `list`.
    pub type_name: String,
    /// How many of its entries are tensors of that storage, or hold one.
    pub entries: u64,
    /// Where the storage begins.
    pub address: u64,
}

/// A hook on a module inside of a graphed one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SkippedHook {
    /// The path of the module that it is on, from the graphed one, e.g. `encoder.0`.
    pub module: String,
    /// `forward_pre`, `forward`, `backward_pre` or `backward`.
    pub kind: String,
    /// The qualified name of the function, or of the class of what is called.
    pub hook: String,
    /// The file that defines it; `None` for what is not written in Python.
    pub file: Option<String>,
    /// The line that defines it.
    pub line: Option<u32>,
}

/// An operator of a compiled function that no graph may hold.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SplitAround {
    /// Its name, e.g. `prims.device_put.default`.
    pub operator: String,
    /// Why, in Inductor's words; `None` from a version that does not say.
    pub reason: Option<String>,
    /// The file that calls it.
    pub file: String,
    /// The line that does.
    pub line: u32,
    /// The function.
    pub function: String,
}

/// A gradient in memory of a capture.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct GradientBuffer {
    /// Where its storage begins.
    pub gradient: u64,
    /// Where the storage of its parameter begins.
    pub parameter: u64,
}

/// A number of an optimizer's group that changed after a capture.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OptimizerChange {
    /// How the program reaches it, e.g. `optimizer.param_groups[0]['lr']`.
    pub name: String,
    /// Which number it is, e.g. `lr`.
    pub key: String,
    /// What it was when the capture ended, as Python prints it.
    pub captured: String,
    /// What it is now.
    pub now: String,
    /// Where storages of the group's parameters begin; of many, the first. Of an optimizer whose step is not PyTorch's, that of the
    /// tensor which the number was.
    pub parameters: Vec<u64>,
}

/// A plain value that changed between the beginning and the end of a capture.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct HostChange {
    /// The expression.
    pub name: String,
    /// The value before, as Python writes it; of a container, the number of its entries; of a generator of random numbers,
    /// whose state it is, nothing; of an iterator, from which items were taken, its class.
    pub before: String,
    /// The value after, in the same way.
    pub after: String,
    /// Whether it is the number of entries of a container.
    pub is_length: bool,
    /// Whether it was different again at a later sample: something beside the replays changes it.
    pub moved: bool,
    /// The file of the line that stores it; `None` if that is unclear.
    pub file: Option<String>,
    /// The line that stores it.
    pub line: Option<u32>,
}

/// A line of the program, with the extent of the function that it is in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CodeLine {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The first line of the function.
    pub first: u32,
    /// Its last line.
    pub last: u32,
    /// Whether it runs once: under a condition that what it does makes false.
    pub sets_up: bool,
}

/// A tensor whose `.grad` is memory that a capture allocated.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct StaticGradient {
    /// What the program calls the tensor.
    pub name: String,
    /// Where the storage of its gradient begins.
    pub address: u64,
    /// The number of the graph whose capture allocated that.
    pub of_graph: u64,
}

/// The place of a process in a distributed job, as the environment gives it (`RANK`, `LOCAL_RANK`, `WORLD_SIZE`), or
/// `torch.distributed` once it is initialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rank {
    /// Its number among all processes of the job.
    pub rank: u32,
    /// Its number among those on its machine.
    #[serde(default)]
    pub local_rank: Option<u32>,
    /// How many processes the job has.
    #[serde(default)]
    pub world_size: Option<u32>,
}

/// A node of the autograd graph.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct AutogradNode {
    /// Its class, e.g. `AddBackward0`, `AccumulateGrad`.
    pub name: String,
    /// Its sequence number; `None` for nodes without one (`AccumulateGrad`).
    pub sequence: Option<u64>,
    /// The variable or parameter of the program that it belongs to, if one was found.
    pub variable: Option<String>,
}
