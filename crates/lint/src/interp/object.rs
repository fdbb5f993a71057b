//! What is known of objects: of the project's classes, of Python's and of the library's.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::lazy::Lazy;
use super::value::{CellId, Function, LoopId, Value};
use super::{Args, Library};
use crate::site::Site;

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object<'p, L: Library> {
    pub(crate) kind: Kind<'p, L>,
    pub(crate) fields: FxHashMap<Rc<str>, Value<'p>>,
    pub(crate) made: Site,
    pub(crate) loops: Rc<[LoopId]>,
    /// What the library knows of it.
    pub(crate) about: L::About,
    /// Whether fields may have been set where it was not seen.
    pub(crate) open: bool,
}

/// What an object is.
#[derive(Clone, Debug)]
pub(crate) enum Kind<'p, L: Library> {
    /// Of a class of the project.
    Instance(CellId),
    /// One that the library makes.
    Library(L::Object<'p>),
    /// One of two contexts.
    Either(Value<'p>, Value<'p>),
    /// What a function under `@contextlib.contextmanager` gives, with the arguments of its call.
    Managed(Rc<Function<'p>>, Box<Args<'p>>),
    /// A generator and its kin, until something has gone through it.
    Lazy(Option<Rc<Lazy<'p>>>),
    /// `unittest.mock.patch(...)`: the name that means something else meanwhile.
    Patch(Rc<str>),
    /// `dataclasses.field(...)`: the default, or what makes it.
    Field(Value<'p>, bool),
    /// `contextlib.ExitStack()`.
    ExitStack,
    /// `contextlib.nullcontext(value)`, or `closing(value)`, which closes it at the end.
    Holding(Value<'p>),
    /// `super()` in a method of that class.
    Super(CellId, Value<'p>),
    /// `functools.partial`: the function, and the arguments that it has already, by name or without.
    Partial(Value<'p>, Vec<Value<'p>>, Vec<(Rc<str>, Value<'p>)>),
    /// `weakref.ref(...)`: what a call of it gives while that lives. It keeps nothing alive.
    Weak(Value<'p>),
}
