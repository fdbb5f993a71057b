//! Follows a program through its source, without running it: values are replaced by what is known of them.
//!
//! Both branches of an undecided condition are followed from the same state, and so is a loop's body twice. What is called
//! is followed into, across files, as far as it can be seen. An [`Observer`] is notified of what happens.

mod assign;
mod backward;
mod budget;
mod cache;
mod call;
pub(crate) mod capture;
mod choices;
pub(crate) mod class;
mod collections;
mod contexts;
mod define;
mod dispatch;
pub(crate) mod event;
mod expression;
pub(crate) mod finalizers;
mod flow;
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
mod reached;
pub(crate) mod records;
mod registered;
mod reporting;
mod results;
mod semantics;
mod set_ups;
mod stacks;
mod statement;
mod streams;
pub(crate) mod strings;
pub(crate) mod switches;
mod tensor;
mod thread_targets;
pub(crate) mod threads;
mod uncalled;
pub(crate) mod value;

use rustc_hash::FxHashMap;

use budget::Budget;
pub(crate) use call::{Args, COMPILED};
pub(crate) use capture::{Capture, CaptureKind, Meets};
use choices::Choices;
use contexts::Contexts;
pub(crate) use event::{Event, Observer, Pageable};
pub(crate) use flow::Flow;
pub(crate) use frame::Frame;
use groups::Groups;
pub(crate) use heap::{Cell, Changes, Heap};
use loops::Loops;
pub(crate) use loops::Turns;
pub(crate) use reach::Reach;
use reach::Roots;
pub(crate) use reached::Reached;
use registered::Registered;
pub(crate) use semantics::Semantics;
use streams::Streams;
use switches::Switches;
use threads::Threads;
use uncalled::Functions;
use value::{CellId, Device};

use crate::project::{FileId, Project};
use crate::settings::Settings;
use crate::site::Site;
use crate::syntax::ast::TextRange;

/// How deep calls are followed.
const DEEPEST: usize = 24;

/// The interpreter of one file and of what it calls.
#[derive(Debug)]
pub(crate) struct Interp<'p> {
    pub(crate) project: &'p Project,
    pub(crate) settings: &'p Settings,
    semantics: &'p dyn Semantics,
    /// What is notified of events; taken while it is.
    observer: Option<&'p mut dyn Observer>,
    pub(crate) heap: Heap<'p>,
    pub(crate) flow: Flow<'p>,
    pub(crate) captures: Vec<Capture<'p>>,
    pub(crate) groups: Groups,
    pub(crate) threads: Threads<'p>,
    pub(crate) streams: Streams,
    pub(crate) registered: Registered<'p>,
    switches: Switches,
    /// How many replays there were.
    pub(crate) replays: u32,
    frames: Vec<Frame<'p>>,
    choices: Choices<'p>,
    loops: Loops,
    contexts: Contexts<'p>,
    functions: Functions<'p>,
    /// The scopes of files.
    modules: FxHashMap<FileId, CellId>,
    /// For classes, those that were made from them.
    derived: FxHashMap<CellId, Vec<CellId>>,
    /// What cached functions gave.
    cached: FxHashMap<cache::CacheKey, Vec<cache::Kept<'p>>>,
    roots: Roots<'p>,
    /// Objects that nothing else refers to, but they themselves.
    garbage: Vec<CellId>,
    /// What backward passes run of the program.
    backward_nodes: Vec<backward::Node<'p>>,
    budget: Budget,
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
    /// Follows a file: its top level, then each function that nothing of it called. Returns the first place that was not
    /// followed, if the file takes more steps than one is given.
    pub(crate) fn follow_file(
        project: &'p Project,
        settings: &'p Settings,
        semantics: &'p dyn Semantics,
        observer: &'p mut dyn Observer,
        file: FileId,
    ) -> Option<Site> {
        let mut interp = Self::new(project, settings, semantics, observer, file);
        interp.enter_module(file);
        interp.end_of_program();
        interp.uncalled_functions(file);
        interp.budget.stopped()
    }

    fn new(
        project: &'p Project,
        settings: &'p Settings,
        semantics: &'p dyn Semantics,
        observer: &'p mut dyn Observer,
        file: FileId,
    ) -> Self {
        let mut heap = Heap::default();
        let streams = Streams::new(&mut heap, file);
        Self {
            project,
            settings,
            semantics,
            observer: Some(observer),
            heap,
            flow: Flow::new(Some(streams.default), Device::Host),
            captures: Vec::new(),
            groups: Groups::default(),
            threads: Threads::default(),
            streams,
            registered: Registered::default(),
            switches: Switches::default(),
            replays: 0,
            frames: Vec::new(),
            choices: Choices::default(),
            loops: Loops::default(),
            contexts: Contexts::default(),
            functions: Functions::default(),
            modules: FxHashMap::default(),
            derived: FxHashMap::default(),
            cached: FxHashMap::default(),
            roots: Roots::default(),
            garbage: Vec::new(),
            backward_nodes: Vec::new(),
            budget: Budget::default(),
        }
    }

    /// A site in the file that is followed.
    pub(crate) fn site(&self, range: TextRange) -> Site {
        Site {
            file: self.frames.last().map_or(FileId(0), |frame| frame.file),
            range,
        }
    }
}
