//! What the interpreter knows about a value.

use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::project::FileId;
use crate::syntax::ast::{self, TextRange};

/// The number of a cell of the heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CellId(pub(crate) u32);

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
    /// A truth value that the library gave, or what it turns into: it is known, and is another at other moments.
    Momentary(bool),
    /// A number of the host.
    Number(Number),
    /// A string, if known which.
    Text(Option<Rc<str>>),
    /// A value of an extension type: the library knows what it is, and what operators make of it.
    Extension(CellId),
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
    /// An attribute of a value of Python or of the library, by name.
    Native(Rc<(Value<'p>, String)>),
    /// A class of the project.
    Class(CellId),
    /// An object: of a class of the project, of Python's or of the library's.
    Object(CellId),
    /// A file of the project, as a module.
    Module(FileId),
    /// What an import from outside the project gave, by its full name: `os.path.join`.
    External(Rc<str>),
}

/// A number of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Number {
    /// Its value, if it is a known integer.
    pub(crate) constant: Option<i64>,
    /// The bits of the fraction that it is written as, if it is one.
    pub(crate) fraction: Option<u64>,
    /// The largest of the known integers that it goes through, where it is one of several. None of them is taken to be negative:
    /// it is asked of sizes.
    pub(crate) most: Option<i64>,
    /// The loop in which it changes with each iteration.
    pub(crate) varies: Option<LoopId>,
}

/// A number that a call gives, and the object and the attribute of it that keep it.
pub(crate) type Given = (Number, (CellId, Rc<str>));

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
    /// Whether there is a `yield` in it, once a call has asked: most functions that are defined are never called.
    pub(crate) yields: OnceCell<bool>,
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

/// A list, tuple or set.
#[derive(Clone, Debug)]
pub(crate) struct List<'p> {
    /// Its elements, if all are known; otherwise one that stands for all.
    pub(crate) items: Vec<Value<'p>>,
    /// Whether `items` are all, in order.
    pub(crate) exact: bool,
    /// How many elements one stands for, where that is known.
    pub(crate) count: Option<usize>,
    /// Whether it grows: a loop that is younger adds to it.
    pub(crate) grows: bool,
    /// What of the three it is.
    pub(crate) form: Form,
    /// The loops around the line that made it.
    pub(crate) loops: Rc<[LoopId]>,
}

impl List<'_> {
    /// How many elements it has, where that is known.
    pub(crate) fn length(&self) -> Option<usize> {
        if self.exact {
            Some(self.items.len())
        } else {
            self.count
        }
    }

    /// Its elements are not known one by one any more, nor how many there are.
    pub(crate) fn blurs(&mut self) {
        self.exact = false;
        self.count = None;
    }
}

/// What a list, tuple or set is known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A list.
    List,
    /// A set.
    Set,
    /// What `range` gives.
    Range,
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

impl Value<'_> {
    /// An integer.
    pub(crate) fn integer(value: i64) -> Self {
        Self::Number(Number {
            constant: Some(value),
            ..Number::default()
        })
    }

    /// An unknown number.
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
            Self::Extension(cell)
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
            Self::Momentary(value) => Some(*value),
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

    /// The same, and what it is does not change.
    pub(crate) fn stays(self) -> Self {
        match self {
            Self::Number(number) => Self::Number(Number {
                varies: None,
                ..number
            }),
            other => other,
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

    /// Whether it is `:`, all there is.
    pub(crate) fn is_whole_slice(&self) -> bool {
        let is_open = |part: &Self| matches!(part, Self::None);
        matches!(self, Self::Slice(parts) if parts[..2].iter().all(is_open))
    }

    /// The largest integer that it can be, where that is known.
    pub(crate) fn at_most(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.at_most(),
            _ => None,
        }
    }

    /// Whether both are certainly the same object or constant.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Momentary(a), Self::Momentary(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Extension(a), Self::Extension(b))
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
    /// One that changes with each iteration of a loop.
    pub(crate) fn varying(varies: LoopId) -> Self {
        Self {
            varies: Some(varies),
            ..Self::default()
        }
    }

    /// The largest integer that it can be, where that is known.
    pub(crate) fn at_most(self) -> Option<i64> {
        self.constant.or(self.most)
    }

    /// What is computed from two numbers.
    pub(crate) fn with(self, other: Self, constant: Option<i64>, most: Option<i64>) -> Self {
        Self {
            constant,
            fraction: None,
            most,
            varies: self.varies.or(other.varies),
        }
    }
}
