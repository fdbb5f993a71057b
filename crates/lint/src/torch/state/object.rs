//! What is known of objects of PyTorch's, and of Python's threads.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::capture::CaptureId;
use super::hooks::Hook;
use super::order::Launch;
use super::pools::PoolId;
use super::tensor::Device;
use super::threads::Started;
use crate::interp::value::{CellId, LoopId, Value};
use crate::site::Site;

/// What an object is.
#[derive(Clone, Debug)]
pub(crate) enum Own<'p> {
    /// A module of PyTorch's, by its name, with what it was made from.
    Module(Rc<str>, Vec<Value<'p>>),
    /// `torch.cuda.Stream`.
    Stream(Stream),
    /// `torch.cuda.Event`.
    Event(CudaEvent),
    /// `torch.cuda.CUDAGraph`.
    Graph(Graph),
    /// What `graph.pool()` and `graph_pool_handle()` give: the pool of a graph, or one that no graph has yet.
    Pool(Option<PoolId>),
    /// `torch.Generator`.
    Generator,
    /// `torch.optim.*`.
    Optimizer(Optimizer),
    /// `torch.distributions.*`: its name, and whether it checks what it is given, where that is known.
    Distribution(Rc<str>, Option<bool>),
    /// `torch.optim.swa_utils.AveragedModel`: the model, where the count of updates is, and whether there was one.
    Averaged(Value<'p>, Device, bool),
    /// `torch.optim.lr_scheduler.*`, with its optimizer.
    Scheduler(Value<'p>),
    /// `torch.amp.GradScaler`, and whether it scales, where known.
    Scaler(Option<bool>),
    /// `DistributedDataParallel`, with the place where it was built if that was on the default stream.
    Ddp(Value<'p>, Option<Site>),
    /// A compiled function.
    Compiled(Compiled<'p>),
    /// A graphed callable.
    Graphed(Value<'p>, Site),
    /// `threading.Thread`, not started.
    Thread(Box<Started<'p>>),
    /// An executor of `concurrent.futures`.
    Executor,
    /// `queue.Queue`, with what went in.
    Queue(Value<'p>),
    /// `TensorDataset`, of so many tensors.
    TensorDataset(usize),
    /// `DataLoader`.
    Loader(Loader),
    /// `torch.cuda.graph(...)`: its arguments.
    Capture(Box<CaptureArguments<'p>>),
    /// `torch.cuda.stream(...)`.
    OnStream(Value<'p>),
    /// `torch.autocast(...)`: where it was made, and whether its cache is on.
    Autocast(Site, bool),
    /// `torch.no_grad()` and its kin: whether gradients are on inside, and what they were before, where making it has
    /// changed that already.
    Grad(bool, Option<bool>),
    /// `torch.inference_mode(...)`: whether it turns the mode on, where known.
    Inference(Option<bool>),
    /// The handle of a collective.
    Work,
    /// `torch.distributed.new_group(...)`.
    ProcessGroup(ProcessGroup),
    /// The handle of a hook.
    Hook(Rc<Hook<'p>>),
    /// The `ctx` of a `torch.autograd.Function`.
    FunctionContext,
    /// `threading.Lock()` and its kin.
    Lock,
    /// What messages come and go through.
    Channel(Channel),
    /// What `executor.submit` gives, with what the task returned.
    Future(Value<'p>),
    /// `threading.Event()`.
    Flag(Flag),
    /// `threading.Barrier()`.
    Barrier(Barrier),
    /// `tensor.numpy()` of pinned memory: the tensor that it shares the memory with, and how many dimensions it has, where that
    /// is known.
    Array(CellId, Option<usize>),
    /// `ctypes.CDLL(...)` and `torch.cuda.cudart()`.
    SharedLibrary,
    /// `torch.compile(...)` that waits for its function: a decorator with its arguments.
    Decorator(Vec<(Option<Rc<str>>, Value<'p>)>),
}

/// What `torch.cuda.graph` was given.
#[derive(Clone, Debug)]
pub(crate) struct CaptureArguments<'p> {
    pub(crate) entry: Entry,
    pub(crate) graph: Value<'p>,
    pub(crate) pool: Option<Value<'p>>,
    pub(crate) stream: Option<Value<'p>>,
    pub(crate) mode: Mode,
    pub(crate) mode_given: bool,
}

/// What is known of a `DataLoader`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loader {
    /// Whether a thread pins memory.
    pub(crate) pins: bool,
    /// How many tensors a batch is made of.
    pub(crate) tensors: Option<usize>,
}

/// What begins a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// `torch.cuda.graph` and its kin, which wait for the device first.
    Waits,
    /// `capture_begin`, which does not.
    Bare,
}

/// The mode of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Unsafe calls of any thread are refused.
    Global,
    /// Those of the capturing thread are.
    ThreadLocal,
    /// None are.
    Relaxed,
    /// Not known.
    Unknown,
}

/// How far streams have come: the number of pieces of work on each.
pub(crate) type Progress = BTreeMap<CellId, u32>;

/// A stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stream {
    /// Whether it is the default stream.
    pub(crate) default: bool,
    /// The capture that it is part of, and the line that forked it.
    pub(crate) member: Option<(CaptureId, Option<Site>)>,
    /// What it has waited for, its own work included.
    pub(crate) knows: Progress,
    /// Whether something was done with it, or with another in its place, that was not seen.
    pub(crate) lost: bool,
    /// The line that put work on it during a capture that it is not part of, without any allocation.
    pub(crate) worked_outside: Option<(CaptureId, Site)>,
}

/// An event.
#[derive(Clone, Debug, Default)]
pub(crate) struct CudaEvent {
    /// `external=True`.
    pub(crate) external: bool,
    /// Where it was last recorded.
    pub(crate) recorded: Option<Recorded>,
    /// Whether it stands for one of several that were recorded: which, and where, is not known.
    pub(crate) one_of_several: bool,
}

impl CudaEvent {
    /// Whether asking it asks CUDA: what was never recorded answers by itself.
    pub(crate) fn may_be_asked(&self) -> bool {
        self.recorded.is_some() || self.one_of_several
    }
}

/// The record of an event.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) site: Site,
    /// The capture of the stream that it was recorded on.
    pub(crate) capture: Option<CaptureId>,
    /// The stream's progress.
    pub(crate) knows: Progress,
}

/// A graph.
#[derive(Clone, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each says another thing that may have happened to it"
)]
pub(crate) struct Graph {
    /// Its last capture.
    pub(crate) capture: Option<CaptureId>,
    /// The generators registered with it; `None` stands for unknown ones.
    pub(crate) generators: Vec<Option<CellId>>,
    /// The loops around its last replay.
    pub(crate) replayed: Option<Rc<[LoopId]>>,
    /// The last replay, by its number among all, where that is certain.
    pub(crate) written: Option<u32>,
    /// The same replay, where its order with others is known.
    pub(crate) launched: Option<Launch>,
    /// Whether something may refer to it that is not seen.
    pub(crate) lost: bool,
    /// Whether `reset()` was called after the capture.
    pub(crate) reset: bool,
    /// Whether it certainly has nothing to replay: it was not captured yet, or not since it was reset.
    pub(crate) empty: bool,
    /// Made with `keep_graph=True` and not replayed yet: there is no executable graph.
    pub(crate) awaits_instantiation: bool,
    /// Copies into its inputs since the last replay.
    pub(crate) copies: u32,
    /// Where it may be one of several: these.
    pub(crate) one_of: Vec<CellId>,
}

/// A way for messages between processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    /// An end of `multiprocessing.Pipe()`, or a connection.
    Pipe,
    /// `multiprocessing.Queue()` and its kin.
    Queue,
    /// `socket.socket()`.
    Socket,
}

/// What is known of a `threading.Event`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flag {
    /// Whether it is set.
    pub(crate) set: bool,
    /// The capture inside which another thread sets it.
    pub(crate) set_in: Option<CaptureId>,
    /// The capture inside which the program sets it.
    pub(crate) released_in: Option<CaptureId>,
    /// Whether the program waited for it outside captures.
    pub(crate) awaited: bool,
    /// The capture inside which another thread waits for it.
    pub(crate) awaited_in: Option<CaptureId>,
}

/// What is known of a `threading.Barrier`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Barrier {
    /// How often the program has waited at it.
    pub(crate) by_program: usize,
    /// The same, before the capture.
    pub(crate) before_capture: usize,
    /// How often the thread that is followed has.
    pub(crate) by_thread: usize,
    /// The captures in which another thread waits at it, wait by wait.
    pub(crate) passed_in: Vec<Option<CaptureId>>,
}

/// An optimizer of PyTorch's.
#[derive(Clone, Debug)]
pub(crate) struct Optimizer {
    /// Its full name.
    pub(crate) name: Rc<str>,
    /// What `fused` is, where known.
    pub(crate) fused: Option<bool>,
}

/// A process group.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ProcessGroup {
    /// Whether it certainly has no communicator of NCCL's yet, and needs one.
    pub(crate) is_new: bool,
    pub(crate) backend: Backend,
}

/// What a process group communicates with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Backend {
    /// Nothing is known of it.
    #[default]
    Unknown,
    /// NCCL, whose communicators wait for the graphs that hold their collectives.
    Nccl,
    /// Gloo on the host, in which the GPU takes no part.
    Host,
    /// Another one.
    Other,
}

/// A compiled function.
#[derive(Clone, Debug)]
pub(crate) struct Compiled<'p> {
    pub(crate) function: Value<'p>,
    /// Whether it was called.
    pub(crate) called: bool,
    /// Whether it is to use CUDA graphs.
    pub(crate) graphs: bool,
    pub(crate) site: Site,
}
