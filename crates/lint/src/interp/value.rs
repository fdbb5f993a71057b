//! What the interpreter knows about a value.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Args;
use super::hooks::Hook;
use super::lazy::Lazy;
use super::threads::Started;
use crate::project::FileId;
use crate::syntax::ast::{self, TextRange};

/// A place in the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// The file.
    pub(crate) file: FileId,
    /// The range in it.
    pub(crate) range: TextRange,
}

/// The number of a cell of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CellId(pub(crate) u32);

/// The number of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CaptureId(pub(crate) usize);

/// One execution of a loop statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LoopId(pub(crate) u32);

impl LoopId {
    /// In place of a loop: what changes each time it is asked for. No loop has this number.
    pub(crate) const EVERY_TIME: Self = Self(0);
}

/// A value, as far as it is known.
#[derive(Clone, Debug)]
pub(crate) enum Value<'p> {
    /// Nothing is known.
    Unknown,
    /// `None`.
    None,
    /// A truth value, if known which.
    Bool(Option<bool>),
    /// Whether a capture runs, or does not: the answer that was given inside one, or what it turns into.
    Capturing(bool),
    /// A number of the host.
    Number(Number),
    /// A string, if known which.
    Text(Option<Rc<str>>),
    /// A tensor.
    Tensor(CellId),
    /// A list, a tuple or a set.
    List(CellId),
    /// A dictionary.
    Dict(CellId),
    /// A slice.
    Slice(Rc<[Value<'p>; 3]>),
    /// A function or a lambda of the project.
    Function(Rc<Function<'p>>),
    /// A function with the object it was taken from.
    Method(Rc<(Value<'p>, Value<'p>)>),
    /// An attribute of a value of Python or PyTorch, by name.
    Native(Rc<(Value<'p>, String)>),
    /// A class of the project.
    Class(CellId),
    /// An object: of a class of the project, or one of PyTorch's.
    Object(CellId),
    /// A file of the project, as a module.
    Module(FileId),
    /// What an import from outside the project gave, by its full name: `torch.cuda.graph`.
    External(Rc<str>),
}

/// A number of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Number {
    /// Its value, if it is a known integer.
    pub(crate) constant: Option<i64>,
    /// The loop in which it changes from turn to turn.
    pub(crate) varies: Option<LoopId>,
}

/// A function of the project.
#[derive(Clone, Debug)]
pub(crate) struct Function<'p> {
    /// What stands in the source.
    pub(crate) code: Code<'p>,
    /// The scope in which it was defined.
    pub(crate) scope: CellId,
    /// The file.
    pub(crate) file: FileId,
    /// The values of its defaults, by parameter.
    pub(crate) defaults: FxHashMap<&'p str, Value<'p>>,
    /// What is known of it from its decorators.
    pub(crate) kind: FunctionKind,
    /// Whether it makes contexts: `@contextlib.contextmanager`.
    pub(crate) is_manager: bool,
    /// Whether there is a `yield` in it.
    pub(crate) yields: bool,
    /// The class in whose body it stands.
    pub(crate) class: Option<CellId>,
    /// Whether it keeps what it gave, and does not run again: `functools.cache` and its kin.
    pub(crate) is_cached: bool,
    /// The contexts that decorators put around it, outermost last.
    pub(crate) contexts: Vec<Value<'p>>,
}

/// How a function binds to objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FunctionKind {
    /// As usual.
    Plain,
    /// `@staticmethod`.
    Static,
    /// `@classmethod`.
    Class,
    /// `@property`.
    Property,
}

/// The code of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Code<'p> {
    /// A `def`.
    Def(&'p ast::StmtFunctionDef),
    /// A `lambda`.
    Lambda(&'p ast::Expr, Option<&'p ast::Parameters>, TextRange),
}

impl<'p> Code<'p> {
    /// Its name for people.
    pub(crate) fn name(self) -> &'p str {
        match self {
            Self::Def(def) => def.name.as_str(),
            Self::Lambda(..) => "<lambda>",
        }
    }

    /// What tells it apart from all others.
    pub(crate) fn address(self) -> usize {
        match self {
            Self::Def(def) => std::ptr::from_ref(def) as usize,
            Self::Lambda(body, ..) => std::ptr::from_ref(body) as usize,
        }
    }

    pub(crate) fn parameters(self) -> Option<&'p ast::Parameters> {
        match self {
            Self::Def(def) => Some(&def.parameters),
            Self::Lambda(_, parameters, _) => parameters,
        }
    }
}

/// Where a tensor lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    /// On a GPU.
    Cuda,
    /// Elsewhere: on the host.
    Host,
    /// Not known.
    Unknown,
}

impl Device {
    /// The device of what is computed from both.
    pub(crate) fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Cuda, _) | (_, Self::Cuda) => Self::Cuda,
            (Self::Host, Self::Host) => Self::Host,
            _ => Self::Unknown,
        }
    }

    /// What is known where it is one of both.
    pub(crate) fn or(self, other: Self) -> Self {
        if self == other { self } else { Self::Unknown }
    }
}

/// The kind of a tensor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elements {
    /// `torch.bool`.
    Bool,
    /// `torch.float16` or `torch.bfloat16`.
    Half,
    /// Any other type.
    Other,
    /// Not known.
    Unknown,
}

/// A tensor.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    /// Where it lives.
    pub(crate) device: Device,
    /// Of what it is made.
    pub(crate) elements: Elements,
    /// Whether its memory is pinned; `None` where that is not known.
    pub(crate) pinned: Option<bool>,
    /// Whether gradients flow through it.
    pub(crate) requires_grad: bool,
    /// Whether it is a leaf of the autograd graph.
    pub(crate) leaf: bool,
    /// The line that made the first node of its autograd graph that is not a leaf, on the default stream, outside captures.
    pub(crate) history: Option<Site>,
    /// The line that built the `DistributedDataParallel` it went through, on the default stream.
    pub(crate) ddp: Option<Site>,
    /// The tensors that a backward pass goes on to from here.
    pub(crate) parents: Rc<[CellId]>,
    /// The line that made it.
    pub(crate) made: Site,
    /// The loops around that line.
    pub(crate) loops: Rc<[LoopId]>,
    /// The capture in which it was made.
    pub(crate) captured: Option<CaptureId>,
    /// Whether it shares the memory of another one: a view.
    pub(crate) view_of: Option<CellId>,
    /// Whether it may be known to code that is not seen.
    pub(crate) escaped: bool,
    /// Bytes, where they are known.
    pub(crate) bytes: Option<i64>,
    /// How many dimensions it has, where that is known.
    pub(crate) rank: Option<usize>,
    /// The depth of the call stack where it was made.
    pub(crate) depth: usize,
    /// The capture whose replay may still read it, as the source of a captured copy.
    pub(crate) in_flight: Option<Site>,
    /// Its `.grad`, once asked for.
    pub(crate) grad: Option<CellId>,
}

/// A list, tuple or set.
#[derive(Clone, Debug)]
pub(crate) struct List<'p> {
    /// Its elements, if all are known; otherwise one that stands for all.
    pub(crate) items: Vec<Value<'p>>,
    /// Whether `items` are all, in order.
    pub(crate) exact: bool,
    /// What of the three it is.
    pub(crate) form: Form,
    /// The loops around the line that made it.
    pub(crate) loops: Rc<[LoopId]>,
}

/// What a list, tuple or set is known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A list.
    List,
    /// A set.
    Set,
    /// A tuple, or one of which that is not known.
    Other,
}

/// A class of the project.
#[derive(Clone, Debug)]
pub(crate) struct Class<'p> {
    pub(crate) def: &'p ast::StmtClassDef,
    pub(crate) bases: Vec<Value<'p>>,
    pub(crate) scope: CellId,
    /// `@dataclasses.dataclass`.
    pub(crate) is_dataclass: bool,
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object<'p> {
    pub(crate) kind: Kind<'p>,
    pub(crate) fields: FxHashMap<Rc<str>, Value<'p>>,
    pub(crate) made: Site,
    pub(crate) loops: Rc<[LoopId]>,
    /// Of an `nn.Module`, where its parameters are.
    pub(crate) device: Device,
    /// Whether fields may have been set where it was not seen.
    pub(crate) open: bool,
}

/// What an object is.
#[derive(Clone, Debug)]
pub(crate) enum Kind<'p> {
    /// Of a class of the project.
    Instance(CellId),
    /// A module of PyTorch's, by its name, with what it was made from.
    Module(Rc<str>, Vec<Value<'p>>),
    /// `torch.cuda.Stream`.
    Stream(Stream),
    /// `torch.cuda.Event`.
    Event(Event),
    /// `torch.cuda.CUDAGraph`.
    Graph(Graph),
    /// What `graph.pool()` and `graph_pool_handle()` give.
    Pool,
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
    /// `DataLoader`: whether a thread pins memory.
    Loader(bool),
    /// `torch.cuda.graph(...)`: its arguments.
    Capture(Box<CaptureArguments<'p>>),
    /// `torch.cuda.stream(...)`.
    OnStream(Value<'p>),
    /// `torch.autocast(...)`: where it was made, and whether its cache is on.
    Autocast(Site, bool),
    /// `torch.no_grad()` and its kin: whether gradients are on inside, and what they were before, where making it has
    /// changed that already.
    Grad(bool, Option<bool>),
    /// The handle of a collective.
    Work,
    /// `torch.distributed.new_group(...)`.
    ProcessGroup(ProcessGroup),
    /// What a function under `@contextlib.contextmanager` gives, with the arguments of its call.
    Managed(Rc<Function<'p>>, Box<Args<'p>>),
    /// A generator and its kin, until something has gone through it.
    Lazy(Option<Rc<Lazy<'p>>>),
    /// The handle of a hook.
    Hook(Rc<Hook<'p>>),
    /// The `ctx` of a `torch.autograd.Function`.
    FunctionContext,
    /// `unittest.mock.patch(...)`: the name that means something else meanwhile.
    Patch(Rc<str>),
    /// `dataclasses.field(...)`: the default, or what makes it.
    Field(Value<'p>, bool),
    /// `functools.partialmethod`: as a partial function, with the object before its arguments.
    PartialMethod(Value<'p>, Vec<Value<'p>>, Vec<(Rc<str>, Value<'p>)>),
    /// `contextlib.ExitStack()`.
    ExitStack,
    /// `contextlib.nullcontext(value)`, or `closing(value)`, which closes it at the end.
    Holding(Value<'p>, bool),
    /// `super()` in a method of that class.
    Super(CellId, Value<'p>),
    /// `threading.Lock()` and its kin.
    Lock,
    /// What `executor.submit` gives, with what the task returned.
    Future(Value<'p>),
    /// `threading.Event()`.
    Flag(Flag),
    /// `threading.Barrier()`.
    Barrier(Barrier),
    /// `ctypes.CDLL(...)` and `torch.cuda.cudart()`.
    SharedLibrary,
    /// `torch.cuda.make_graphed_callables` waiting for its callable and the like: a decorator with its arguments.
    Decorator(Rc<str>, Vec<(Option<Rc<str>>, Value<'p>)>),
    /// `functools.partial`: the function, and the arguments that it has already, by name or without.
    Partial(Value<'p>, Vec<Value<'p>>, Vec<(Rc<str>, Value<'p>)>),
}

/// What `torch.cuda.graph` was given.
#[derive(Clone, Debug)]
pub(crate) struct CaptureArguments<'p> {
    pub(crate) graph: Value<'p>,
    pub(crate) pool: Option<Value<'p>>,
    pub(crate) stream: Option<Value<'p>>,
    pub(crate) mode: Mode,
    pub(crate) mode_given: bool,
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
pub(crate) struct Event {
    /// `external=True`.
    pub(crate) external: bool,
    /// Where it was last recorded.
    pub(crate) recorded: Option<Recorded>,
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
    /// The generators registered with it; `None` stands for those of which nothing is known.
    pub(crate) generators: Vec<Option<CellId>>,
    /// The loops around its last replay.
    pub(crate) replayed: Option<Rc<[LoopId]>>,
    /// Whether something may refer to it that is not seen.
    pub(crate) lost: bool,
    /// Whether `reset()` was called after the capture.
    pub(crate) reset: bool,
    /// Made with `keep_graph=True` and not replayed yet: there is no executable graph.
    pub(crate) awaits_instantiation: bool,
    /// Copies into its inputs since the last replay.
    pub(crate) copies: u32,
    /// Where it may be one of several: these.
    pub(crate) one_of: Vec<CellId>,
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

impl Value<'_> {
    /// An integer.
    pub(crate) fn integer(value: i64) -> Self {
        Self::Number(Number {
            constant: Some(value),
            varies: None,
        })
    }

    /// A number of which nothing is known.
    pub(crate) fn number() -> Self {
        Self::Number(Number::default())
    }

    /// A known string.
    pub(crate) fn text(text: &str) -> Self {
        Self::Text(Some(Rc::from(text)))
    }

    /// The cell that it refers to; of a function, the scope around it.
    pub(crate) fn cell(&self) -> Option<CellId> {
        match self {
            Self::Tensor(cell)
            | Self::List(cell)
            | Self::Dict(cell)
            | Self::Class(cell)
            | Self::Object(cell) => Some(*cell),
            Self::Function(function) => Some(function.scope),
            Self::Method(it) => it.1.cell(),
            Self::Native(it) => it.0.cell(),
            _ => None,
        }
    }

    /// What it is known to be as a condition.
    pub(crate) fn truth(&self) -> Option<bool> {
        match self {
            Self::None => Some(false),
            Self::Bool(value) => *value,
            Self::Capturing(value) => Some(*value),
            Self::Number(number) if number.varies.is_none() => number.constant.map(|it| it != 0),
            Self::Text(text) => text.as_ref().map(|it| !it.is_empty()),
            Self::Function(_) | Self::Class(_) | Self::Method(_) | Self::Module(_) => Some(true),
            _ => None,
        }
    }

    /// The loop in which it changes.
    pub(crate) fn varies(&self) -> Option<LoopId> {
        match self {
            Self::Number(number) => number.varies,
            _ => None,
        }
    }

    /// The full name of what was imported.
    pub(crate) fn as_external(&self) -> Option<&str> {
        match self {
            Self::External(name) => Some(name),
            _ => None,
        }
    }

    /// The string it is known to be.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => text.as_deref(),
            _ => None,
        }
    }

    /// The integer it is known to be.
    pub(crate) fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.constant,
            _ => None,
        }
    }

    /// Whether both are certainly the same object or constant.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Capturing(a), Self::Capturing(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Tensor(a), Self::Tensor(b))
            | (Self::List(a), Self::List(b))
            | (Self::Dict(a), Self::Dict(b))
            | (Self::Class(a), Self::Class(b))
            | (Self::Object(a), Self::Object(b)) => a == b,
            (Self::Function(a), Self::Function(b)) => Rc::ptr_eq(a, b),
            (Self::Method(a), Self::Method(b)) => a.0.same(&b.0) && a.1.same(&b.1),
            (Self::Native(a), Self::Native(b)) => a.0.same(&b.0) && a.1 == b.1,
            (Self::Module(a), Self::Module(b)) => a == b,
            (Self::External(a), Self::External(b)) => a == b,
            _ => false,
        }
    }
}

impl Number {
    /// What is computed from two numbers.
    pub(crate) fn with(self, other: Self, constant: Option<i64>) -> Self {
        Self {
            constant,
            varies: self.varies.or(other.varies),
        }
    }
}
