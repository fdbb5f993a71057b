//! Follows a program through its source, without running it: values are replaced by what is known of them.
//!
//! Both branches of an undecided condition are followed from the same state, and so is a loop's body twice. What is called
//! is followed into, across files, as far as it can be seen. An [`Observer`] is told of what happens on the way.

pub(crate) mod answers;
mod assign;
mod backward;
mod cache;
mod call;
pub(crate) mod capture;
pub(crate) mod class;
mod collections;
mod contexts;
mod define;
mod dispatch;
pub(crate) mod event;
mod expression;
pub(crate) mod finalizers;
mod frame;
pub(crate) mod groups;
mod heap;
pub(crate) mod hooks;
mod import;
mod inherited;
pub(crate) mod join;
pub(crate) mod lazy;
mod lineage;
mod loops;
mod names;
mod numbers;
pub(crate) mod object;
mod operators;
mod parameters;
mod patterns;
mod peek;
mod protocol;
mod reach;
pub(crate) mod records;
pub(crate) mod replays;
mod reporting;
mod results;
mod semantics;
mod stacks;
mod statement;
pub(crate) mod storage;
mod streams;
pub(crate) mod strings;
mod tensor;
mod thread_targets;
pub(crate) mod threads;
mod uncalled;
pub(crate) mod value;
pub(crate) mod waits;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::site::Site;
pub(crate) use call::{Args, COMPILED};
pub(crate) use capture::{Capture, CaptureKind, Meets};
pub(crate) use event::{Event, Observer, Pageable};
use groups::Groups;
pub(crate) use heap::{Cell, Changes, Heap};
pub(crate) use loops::Turns;
use object::{Kind, Object, Saved, Stream};
pub(crate) use reach::Reach;
pub(crate) use semantics::Semantics;
use value::{CaptureId, CellId, Code, Device, Function, LoopId, Value};

use crate::project::{FileId, Project};
use crate::settings::Settings;
use crate::syntax::ast::{self, TextRange};

/// Statements and expressions that are looked at for one file, at most.
const BUDGET: u32 = 200_000;
/// The same for all functions together that nobody calls.
const UNCALLED_BUDGET: u32 = 10 * BUDGET;
/// How deep expressions are followed, over all calls.
const DEEPEST_EXPRESSION: usize = 5_000;
/// How deep calls are followed.
const DEEPEST: usize = 24;

/// The interpreter of one file and of what it calls.
#[derive(Debug)]
pub(crate) struct Interp<'p> {
    pub(crate) project: &'p Project,
    pub(crate) settings: &'p Settings,
    semantics: &'p dyn Semantics,
    /// Who is told of events; taken while it is told of one.
    observer: Option<&'p mut dyn Observer>,
    pub(crate) heap: Heap<'p>,
    pub(crate) flow: Flow<'p>,
    pub(crate) captures: Vec<Capture<'p>>,
    pub(crate) groups: Groups,
    frames: Vec<Frame<'p>>,
    /// What loops go through and what contexts are, around what is followed.
    in_use: Vec<Value<'p>>,
    /// What is to be done when contexts are left that were entered by hand, or by a stack.
    exits: FxHashMap<CellId, Vec<capture::Exit<'p>>>,
    /// What cached functions gave.
    cached: FxHashMap<cache::CacheKey, Vec<cache::Kept<'p>>>,
    modules: FxHashMap<FileId, CellId>,
    /// For classes, those that were made from them.
    derived: FxHashMap<CellId, Vec<CellId>>,
    visited: FxHashSet<usize>,
    /// What is left of [`BUDGET`].
    budget: std::cell::Cell<u32>,
    /// What functions that nobody calls may still be granted beyond it.
    uncalled_budget: u32,
    /// How deep the expression that is followed is nested, over all calls.
    nesting: usize,
    /// How many conditions of which nothing is known lead to what is followed.
    doubt: u32,
    next_loop: u32,
    default_stream: CellId,
    /// The names that stand in functions, by their code, once asked for.
    mentioned: RefCell<FxHashMap<usize, Rc<[&'p str]>>>,
    /// What was put into containers of which nothing is known, by their keys or at their ends: these grow.
    put_away: BTreeSet<CellId>,
    /// How many contexts there are around what is followed whose bodies are to fail.
    expected_failures: u32,
    /// Whether the program puts functions of its own in the place of those of `torch.cuda`'s streams and events.
    pub(crate) replaces_streams: bool,
    /// Functions under decorators of which nothing is known.
    hidden: Vec<Rc<Function<'p>>>,
    /// How many turns loops have, where that is known.
    pub(crate) loop_lengths: FxHashMap<LoopId, Turns>,
    /// What backward passes run of the program.
    backward_nodes: Vec<backward::Node<'p>>,
    /// How many turns loops had.
    turns: FxHashMap<LoopId, u32>,
    /// The value of the condition that was followed last.
    pub(crate) last_condition: Value<'p>,
    /// How many replays there were.
    pub(crate) replays: u32,
    /// The names of functions that something else stands in for, for a time.
    pub(crate) patched: Vec<Rc<str>>,
    /// What signals call, by their names.
    pub(crate) signals: Vec<(Value<'p>, Value<'p>)>,
    /// What `atexit` will call.
    pub(crate) at_exit: Vec<(Value<'p>, Vec<Value<'p>>, Site)>,
    /// Whether the function that is followed is one that nobody called.
    pub(crate) from_nowhere: bool,
    pub(crate) threads: threads::Threads<'p>,
    /// Objects that nothing else refers to, but they themselves.
    garbage: Vec<CellId>,
}

/// What holds from one statement to the next, apart from values.
#[derive(Clone, Debug)]
pub(crate) struct Flow<'p> {
    /// The captures of the thread that is followed, outermost first.
    pub(crate) captures: Vec<CaptureId>,
    /// The capture of the other thread, while a thread is followed.
    pub(crate) foreign: Option<CaptureId>,
    /// The current stream, if known.
    pub(crate) stream: Option<CellId>,
    /// Whether gradients are recorded.
    pub(crate) grad: bool,
    /// The autocasts around: where, whether the cache is on, and whether it keeps a cast weight.
    pub(crate) autocast: Vec<(Site, bool, bool)>,
    /// What is done with the tensors that autograd saves, innermost last.
    pub(crate) saved_tensors: Vec<Saved<'p>>,
    /// The loops around.
    pub(crate) loops: Rc<[LoopId]>,
    /// The device of tensors that name none.
    pub(crate) default_device: Device,
}

/// A function that is being followed.
#[derive(Debug)]
pub(crate) struct Frame<'p> {
    pub(crate) file: FileId,
    pub(crate) name: &'p str,
    pub(crate) scope: CellId,
    /// The first cell that was made since the statement began that is followed.
    statement: CellId,
    pub(crate) call: Option<Site>,
    /// Graphs captured since it was entered.
    pub(crate) graphs: Vec<CaptureId>,
    code: usize,
    /// What is followed, if it is a function.
    function: Option<Code<'p>>,
    class: Option<CellId>,
    returns: Option<Value<'p>>,
    /// The `with` statement whose body runs where this function yields.
    managed: Option<contexts::Managed<'p>>,
    yields: Vec<Value<'p>>,
    /// Of a function with `yield`: how much of it runs.
    until: lazy::Until,
    /// The statements that it stands in at its `yield`, innermost first, and what is to be done when they are left.
    suspended: Vec<(&'p ast::StmtWith, capture::Exit<'p>)>,
    left: Vec<Changes<'p>>,
    loops_left: Vec<Vec<Changes<'p>>>,
    globals: FxHashSet<&'p str>,
    nonlocals: FxHashSet<&'p str>,
}

/// How a statement ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The next one follows.
    Goes,
    /// It leaves the function.
    Returns,
    /// It leaves the loop, or its turn.
    Leaves,
    /// It raises.
    Raises,
}

impl<'p> Interp<'p> {
    /// Follows a file: its top level, then each function that nothing of it called.
    pub(crate) fn follow_file(
        project: &'p Project,
        settings: &'p Settings,
        semantics: &'p dyn Semantics,
        observer: &'p mut dyn Observer,
        file: FileId,
    ) {
        let mut interp = Self::new(project, settings, semantics, observer, file);
        interp.enter_module(file);
        interp.end_of_program();
        interp.uncalled_functions(file);
    }

    fn new(
        project: &'p Project,
        settings: &'p Settings,
        semantics: &'p dyn Semantics,
        observer: &'p mut dyn Observer,
        file: FileId,
    ) -> Self {
        let mut heap = Heap::default();
        let nowhere = Site {
            file,
            range: TextRange::default(),
        };
        let default_stream = heap.add(Cell::Object(Object {
            kind: Kind::Stream(Stream {
                default: true,
                ..Stream::default()
            }),
            fields: FxHashMap::default(),
            made: nowhere,
            loops: Rc::from([]),
            device: Device::Unknown,
            open: false,
        }));
        Self {
            project,
            settings,
            semantics,
            observer: Some(observer),
            heap,
            flow: Flow {
                captures: Vec::new(),
                foreign: None,
                stream: Some(default_stream),
                grad: true,
                autocast: Vec::new(),
                saved_tensors: Vec::new(),
                loops: Rc::from([]),
                default_device: Device::Host,
            },
            captures: Vec::new(),
            groups: Groups::default(),
            put_away: BTreeSet::new(),
            expected_failures: 0,
            replaces_streams: false,
            frames: Vec::new(),
            in_use: Vec::new(),
            exits: FxHashMap::default(),
            cached: FxHashMap::default(),
            modules: FxHashMap::default(),
            visited: FxHashSet::default(),
            budget: std::cell::Cell::new(BUDGET),
            uncalled_budget: UNCALLED_BUDGET,
            derived: FxHashMap::default(),
            nesting: 0,
            doubt: 0,
            next_loop: 0,
            default_stream,
            mentioned: RefCell::default(),
            hidden: Vec::new(),
            loop_lengths: FxHashMap::default(),
            backward_nodes: Vec::new(),
            turns: FxHashMap::default(),
            last_condition: Value::Unknown,
            replays: 0,
            patched: Vec::new(),
            signals: Vec::new(),
            at_exit: Vec::new(),
            from_nowhere: false,
            threads: threads::Threads::default(),
            garbage: Vec::new(),
        }
    }

    /// A site in the file that is followed.
    pub(crate) fn site(&self, range: TextRange) -> Site {
        Site {
            file: self.frames.last().map_or(FileId(0), |frame| frame.file),
            range,
        }
    }

    /// The capture that runs on the thread that is followed.
    pub(crate) fn capture(&self) -> Option<CaptureId> {
        self.flow.captures.last().copied()
    }

    /// The capture that runs on the thread that is followed, if it is one of a graph and not of a compiler.
    pub(crate) fn graph_capture(&self) -> Option<CaptureId> {
        self.capture()
            .filter(|id| self.captures[id.0].kind != CaptureKind::Compiler)
    }

    /// Whether a compiler sees what is followed.
    pub(crate) fn is_compiling(&self) -> bool {
        self.capture()
            .is_some_and(|id| self.captures[id.0].kind == CaptureKind::Compiler)
    }

    /// The name of the function that is followed.
    pub(crate) fn function_name(&self) -> &'p str {
        self.frames.last().map_or("<module>", |frame| frame.name)
    }

    /// The code of the function that is followed.
    pub(crate) fn code(&self) -> Option<Code<'p>> {
        self.frames.last()?.function
    }

    /// The call of the function that is followed.
    pub(crate) fn call_site(&self) -> Option<Site> {
        self.frames.last()?.call
    }

    /// The names of the function that is followed, with their values, in no order.
    pub(crate) fn local_values(&self) -> impl Iterator<Item = (&'p str, &Value<'p>)> {
        let scope = self.frames.last().map(|frame| self.heap.get(frame.scope));
        let names = match scope {
            Some(Cell::Scope(names, _)) => Some(names),
            _ => None,
        };
        names
            .into_iter()
            .flatten()
            .map(|(name, value)| (*name, value))
    }

    /// The objects that names of the function that is followed refer to.
    pub(crate) fn local_objects(&self) -> Vec<CellId> {
        let scope = self.frames.last().map(|frame| self.heap.get(frame.scope));
        let Some(Cell::Scope(names, _)) = scope else {
            return Vec::new();
        };
        let mut objects: Vec<_> = names
            .values()
            .filter_map(|value| match value {
                Value::Object(cell) => Some(*cell),
                _ => None,
            })
            .collect();
        objects.sort();
        objects
    }

    /// How deep the call stack is.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Notes that a capture began in the functions that are followed.
    pub(crate) fn note_graph(&mut self, capture: CaptureId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.graphs.push(capture);
        }
    }

    /// How many conditions of which nothing is known lead to what is followed.
    pub(crate) fn doubt(&self) -> u32 {
        self.doubt
    }

    /// Whether what is followed is inside a capture, and there behind a condition of which nothing is known.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.capture()
            .or(self.flow.foreign)
            .is_some_and(|id| self.doubt > self.captures[id.0].doubt)
    }

    /// How many turns a loop had, with the one that is followed.
    pub(crate) fn turn_of(&self, id: LoopId) -> u32 {
        self.turns.get(&id).copied().unwrap_or(0)
    }

    fn spend(&self) -> bool {
        self.spend_many(1);
        self.budget.get() > 0
    }

    pub(crate) fn spend_many(&self, steps: u32) {
        self.budget.set(self.budget.get().saturating_sub(steps));
    }
}
