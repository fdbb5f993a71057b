//! Objects of PyTorch in another process that Python's collector tracks, and what the program calls them.

use std::collections::HashMap;

use cgsan_frames::{
    Held, Layout, Memory, Tracked, code_text, entries, held, line, lineage, read_text, tracked,
    type_name, type_of,
};

use crate::python::PythonFrame;

/// What is known of the objects of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// Its living graphs.
    pub graphs: Vec<Graph>,
    /// How many living streams it has objects for.
    pub streams: usize,
    /// Captures that are under way in a `with` statement.
    pub captures: Vec<CaptureBlock>,
    /// Which of the processes it is that `torch.multiprocessing.spawn` started.
    pub spawned: Option<u32>,
}

/// A living `torch.cuda.CUDAGraph`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// The variables that lead to it.
    pub names: Vec<Variable>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Whether it is a list, tuple or dictionary that holds the object.
    pub is_container: bool,
    /// Whose it is.
    pub of: Scope,
}

/// Whose a variable is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A module's, by its name.
    Module(String),
    /// A running function's.
    Frame(PythonFrame),
}

/// A `with torch.cuda.graph(…)` statement that is being executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureBlock {
    /// What `pthread_self` returns in its thread.
    pub pthread: u64,
    /// Where in the block, or in what it calls in its own function, the thread is.
    pub frame: PythonFrame,
}

/// Names of types that C++ gives: what they derive from makes other objects graphs and streams.
const GRAPH: &str = "torch._C._CUDAGraph";
const STREAM: &str = "torch._C._CudaStreamBase";

/// The context manager that captures, and its module.
const CONTEXT: [&str; 2] = ["graph", "object"];
const CONTEXT_MODULE: &str = "torch.cuda.graphs";

/// In a type object: its `dict`.
const TYPE_DICT: usize = 264;

/// In a module: its `dict`. In a bound method: the function, and the object. In a list and a tuple: how many items they have; in a list the items' address, in
/// a tuple the items. All lie behind the beginning of an object, and have not moved since 3.10.
const FIRST: usize = 0;
const SECOND: usize = 8;

/// The function that `torch.multiprocessing.spawn` starts processes with, its file, and its variable for their number.
const SPAWNED: (&str, &str, &str) = ("_wrap", "/torch/multiprocessing/spawn.py", "i");

/// In an `int`: how many digits it has, and whether it is negative; the first digit. A small one has none (0 or 1 until 3.11) or one.
const DIGITS: usize = 0;
const DIGIT: usize = 8;
const SMALL: [usize; 3] = [0, 1, 8];

/// The most objects that are looked at, and from how many that is tried to begin.
const MOST: usize = 1 << 22;
const STARTS: usize = 8;

/// The most items of a list or a tuple that are looked at.
const ITEMS: usize = 4096;

/// The most modules, graphs and names of a graph that are kept.
const MODULES: usize = 1 << 14;
const GRAPHS: usize = 4096;
const NAMES: usize = 4;

/// Words at the beginning of a frame, among which are its globals.
const WORDS: usize = 8;

/// How long an address is.
const POINTER: usize = size_of::<usize>();

/// A thread of Python: its state, and what `pthread_self` returns in it.
pub type State = (usize, u64);

/// What the objects of an interpreter's collector are.
#[derive(Default)]
struct Found {
    graphs: Vec<usize>,
    contexts: Vec<usize>,
    modules: Vec<usize>,
    streams: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Graph,
    Stream,
    Context,
    Module,
    Other,
}

/// Looks for objects of the interpreter with this state and these threads. `None` if its collector cannot be read. What changes all the
/// time is read as it was a millisecond ago at most; the rest may be older.
pub fn find(
    changing: &impl Memory,
    memory: &impl Memory,
    layout: &Layout,
    interpreter: usize,
    threads: &[State],
    frames: impl Fn(usize) -> Vec<usize>,
) -> Option<Objects> {
    let looking = Looking { memory, layout };
    let starts = threads.iter().flat_map(|(state, _)| frames(*state));
    let starts = starts.flat_map(|frame| looking.dicts_of(frame));
    let mut left = MOST;
    let found = starts
        .take(STARTS)
        .find_map(|start| looking.all(changing, interpreter, start, &mut left))?;
    let mut objects = Objects {
        graphs: vec![Graph::default(); found.graphs.len()],
        streams: found.streams,
        ..Objects::default()
    };
    let places: HashMap<usize, usize> = found.graphs.iter().copied().zip(0..).collect();
    let mut name = |value: usize, name: &str, of: &Scope| {
        looking.each(value, &mut |object, is_container| {
            let Some(index) = places.get(&object) else {
                return;
            };
            let names = &mut objects.graphs[*index].names;
            let variable = Variable {
                name: name.to_owned(),
                is_container,
                of: of.clone(),
            };
            if names.len() < NAMES && !names.contains(&variable) {
                names.push(variable);
            }
        });
    };
    for module in &found.modules {
        let Some((of, variables)) = looking.module(*module) else {
            continue;
        };
        let of = Scope::Module(of);
        for (key, value) in variables {
            if let Some(key) = read_text(memory, layout, key) {
                name(value, &key, &of);
            }
        }
    }
    let (mut captures, mut spawned) = (Vec::new(), None);
    for (state, pthread) in threads {
        for held in held(memory, layout, *state) {
            let Some(frame) = looking.frame(&held) else {
                continue;
            };
            if frame.function == SPAWNED.0 && frame.file.ends_with(SPAWNED.1) {
                spawned = looking.number_in(&held, SPAWNED.2);
            }
            let of = Scope::Frame(frame.clone());
            // What a module's own code calls its variables is known already.
            if frame.function != "<module>" {
                for (variable, value) in &held.variables {
                    name(*value, variable, &of);
                }
            }
            if looking.is_in_a_block(&held, &found.contexts) {
                captures.push(CaptureBlock {
                    pthread: *pthread,
                    frame,
                });
            }
        }
    }
    objects.captures = captures;
    objects.spawned = spawned;
    Some(objects)
}

struct Looking<'m, M> {
    memory: &'m M,
    layout: &'m Layout,
}

impl<M: Memory> Looking<'_, M> {
    /// The dictionaries that a frame begins with: globals and built-in functions.
    fn dicts_of(&self, frame: usize) -> Vec<usize> {
        let words = (0..WORDS).filter_map(|it| self.memory.pointer(frame, it * POINTER));
        words.filter(|it| self.is_a(*it, "dict")).collect()
    }

    fn is_a(&self, object: usize, name: &str) -> bool {
        let of_type = type_of(self.memory, self.layout, object);
        of_type
            .and_then(|it| type_name(self.memory, self.layout, it))
            .as_deref()
            == Some(name)
    }

    /// A field of an object, behind its beginning.
    fn field(&self, object: usize, offset: usize) -> Option<usize> {
        self.memory
            .pointer(object.checked_add(self.layout.head())?, offset)
    }

    fn all(
        &self,
        changing: &impl Memory,
        interpreter: usize,
        start: usize,
        left: &mut usize,
    ) -> Option<Found> {
        let mut found = Found::default();
        let mut kinds: HashMap<usize, Kind> = HashMap::new();
        let mut see = |it: Tracked| {
            let kind = kinds
                .entry(it.of_type)
                .or_insert_with(|| self.kind(it.of_type));
            match kind {
                Kind::Graph if found.graphs.len() < GRAPHS => found.graphs.push(it.object),
                Kind::Stream => found.streams += 1,
                Kind::Context if found.contexts.len() < GRAPHS => found.contexts.push(it.object),
                Kind::Module if found.modules.len() < MODULES => found.modules.push(it.object),
                _ => {}
            }
        };
        tracked(changing, self.layout, interpreter, start, left, &mut see)?;
        found.graphs.sort_unstable();
        found.modules.sort_unstable();
        Some(found)
    }

    fn kind(&self, of_type: usize) -> Kind {
        let names = lineage(self.memory, self.layout, of_type);
        let derives_from = |name: &str| names.iter().any(|it| it == name);
        if derives_from(GRAPH) {
            Kind::Graph
        } else if derives_from(STREAM) {
            Kind::Stream
        } else if derives_from("module") {
            Kind::Module
        } else if names == CONTEXT && self.module_of(of_type).as_deref() == Some(CONTEXT_MODULE) {
            Kind::Context
        } else {
            Kind::Other
        }
    }

    /// The module that a class was made in.
    fn module_of(&self, class: usize) -> Option<String> {
        self.text_in(self.memory.pointer(class, TYPE_DICT)?, "__module__")
    }

    fn text_in(&self, dict: usize, wanted: &str) -> Option<String> {
        let all = entries(self.memory, self.layout, dict)?;
        let named = |key: usize| read_text(self.memory, self.layout, key);
        let (_, value) = all
            .into_iter()
            .find(|(key, _)| named(*key).as_deref() == Some(wanted))?;
        read_text(self.memory, self.layout, value)
    }

    /// A module's name and its variables.
    fn module(&self, module: usize) -> Option<(String, Vec<(usize, usize)>)> {
        let dict = self.field(module, FIRST)?;
        let variables = entries(self.memory, self.layout, dict)?;
        Some((self.text_in(dict, "__name__")?, variables))
    }

    /// An object, and those that it holds if it is a list, a tuple or a dictionary.
    fn each(&self, object: usize, see: &mut impl FnMut(usize, bool)) {
        see(object, false);
        let of_type = type_of(self.memory, self.layout, object);
        let name = of_type.and_then(|it| type_name(self.memory, self.layout, it));
        let count = || Some(self.field(object, FIRST)?.min(ITEMS));
        let items = match name.as_deref() {
            Some("list") => self.field(object, SECOND).zip(count()),
            Some("tuple") => object.checked_add(self.layout.head() + SECOND).zip(count()),
            Some("dict") => {
                let entries = entries(self.memory, self.layout, object);
                for (_, value) in entries.into_iter().flatten().take(ITEMS) {
                    see(value, true);
                }
                None
            }
            _ => None,
        };
        let Some((first, count)) = items else { return };
        for index in 0..count {
            if let Some(item) = self.memory.pointer(first, index * POINTER) {
                see(item, true);
            }
        }
    }

    fn frame(&self, held: &Held) -> Option<PythonFrame> {
        let text = code_text(self.memory, self.layout, held.frame)?;
        Some(PythonFrame {
            file: text.file,
            function: text.function,
            line: line(self.memory, self.layout, held.frame),
        })
    }

    /// A small number that a variable of a frame holds.
    fn number_in(&self, held: &Held, name: &str) -> Option<u32> {
        let (_, value) = held.variables.iter().find(|(it, _)| it == name)?;
        let fields = value.checked_add(self.layout.head())?;
        let digits: usize = self.memory.number(fields.checked_add(DIGITS)?)?;
        let is_number = self.is_a(*value, "int") && SMALL.contains(&digits);
        is_number.then(|| self.memory.number(fields.checked_add(DIGIT)?))?
    }

    /// Whether a frame is in a `with` statement of one of these contexts: it keeps the context's `__exit__`, from 3.14 on as a function with the
    /// context behind it.
    fn is_in_a_block(&self, held: &Held, contexts: &[usize]) -> bool {
        let mut before = None;
        held.values.iter().any(|value| {
            let previous = before.replace(*value);
            let bound = || {
                self.is_a(*value, "method")
                    .then(|| self.field(*value, SECOND))?
            };
            let behind_its_exit = || previous.is_some_and(|it| self.is_a(it, "function"));
            contexts.contains(value) && behind_its_exit()
                || bound().is_some_and(|it| contexts.contains(&it))
        })
    }
}
