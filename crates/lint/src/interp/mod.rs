//! Follows a program through its source, without running it: values are replaced by what is known of them.
//!
//! Both branches of an undecided condition are followed from the same state, and so is a loop's body twice. What is called
//! is followed into, across files, as far as it can be seen. An [`Observer`] is notified of what happens.
//!
//! This is Python alone. What a library adds to it, its values and what its functions mean, comes with the parameter of
//! [`Interp`]: a [`Library`], which also is a [`Semantics`].

mod assign;
mod budget;
mod cache;
mod call;
pub(crate) mod cells;
pub(crate) mod choices;
mod class;
mod collections;
mod contexts;
mod define;
mod escape;
pub(crate) mod event;
pub(crate) mod exits;
mod expression;
pub(crate) mod finalizers;
mod frame;
mod given;
mod heap;
mod import;
mod inherited;
pub(crate) mod lazy;
mod library;
mod lineage;
pub(crate) mod loops;
mod names;
pub(crate) mod numbers;
pub(crate) mod object;
mod operators;
mod parameters;
mod patterns;
mod peek;
mod phases;
mod protocol;
pub(crate) mod reach;
pub(crate) mod reached;
pub(crate) mod records;
mod registered;
mod reporting;
mod semantics;
mod set_ups;
mod stacks;
mod statement;
pub(crate) mod strings;
mod uncalled;
pub(crate) mod value;

use budget::Budget;
use choices::Choices;
use contexts::Contexts;
use loops::Loops;
use reach::Roots;
use registered::Registered;
use rustc_hash::FxHashMap;
use uncalled::Functions;
use value::CellId;

use crate::project::{FileId, Project};
use crate::settings::Settings;
use crate::site::Site;
use crate::syntax::ast::TextRange;

pub(crate) use call::Args;
pub(crate) use event::{Event, Observer};
pub(crate) use frame::Frame;
pub(crate) use heap::{Cell, Changes, Heap};
pub(crate) use library::Library;
pub(crate) use loops::Turns;
pub(crate) use reach::Reach;
pub(crate) use reached::Reached;
pub(crate) use semantics::Semantics;

/// How deep calls are followed.
const DEEPEST: usize = 24;

/// The interpreter of one file and of what it calls, with what a library brings along.
#[derive(Debug)]
pub(crate) struct Interp<'p, L: Semantics> {
    pub(crate) project: &'p Project,
    pub(crate) settings: &'p Settings,
    /// What is notified of events; taken while it is.
    observer: Option<&'p mut dyn Observer<L>>,
    pub(crate) heap: Heap<'p, L>,
    /// What holds on the way that is followed, and is put back when another one is.
    pub(crate) flow: L::Flow,
    /// What the library knows of the program as a whole.
    pub(crate) library: L::State<'p>,
    pub(crate) registered: Registered<'p>,
    pub(crate) loops: Loops,
    choices: Choices<'p>,
    frames: Vec<Frame<'p, L>>,
    contexts: Contexts<'p, L>,
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

impl<'p, L: Semantics> Interp<'p, L> {
    /// Follows a file: its top level, then each function that nothing of it called. Returns the first place that was not
    /// followed, if the file takes more steps than one is given.
    pub(crate) fn follow_file(
        project: &'p Project,
        settings: &'p Settings,
        observer: &'p mut dyn Observer<L>,
        file: FileId,
    ) -> Option<Site> {
        let mut interp = Self::new(project, settings, observer, file);
        interp.enter_module(file);
        interp.end_of_program();
        interp.uncalled_functions(file);
        interp.budget.stopped()
    }

    fn new(
        project: &'p Project,
        settings: &'p Settings,
        observer: &'p mut dyn Observer<L>,
        file: FileId,
    ) -> Self {
        let mut heap = Heap::default();
        let (library, flow) = L::begin(&mut heap, file);
        Self {
            project,
            settings,
            observer: Some(observer),
            heap,
            flow,
            library,
            registered: Registered::default(),
            choices: Choices::default(),
            loops: Loops::default(),
            frames: Vec::new(),
            contexts: Contexts::default(),
            functions: Functions::default(),
            modules: FxHashMap::default(),
            derived: FxHashMap::default(),
            cached: FxHashMap::default(),
            roots: Roots::default(),
            garbage: Vec::new(),
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
