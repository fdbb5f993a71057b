//! What is known of PyTorch's functions, methods and objects, and of a few of Python's.

mod answers;
mod arrays;
mod autocast;
mod autograd;
mod averaged;
mod calls;
mod classes;
mod comparisons;
mod containers;
mod contexts;
mod creation;
mod cuda;
mod data;
mod decorators;
mod distributed;
mod distributions;
mod families;
mod functional;
mod functions;
mod graphed;
mod groups;
mod host;
mod indexing;
mod methods;
pub(crate) mod module_parts;
pub(crate) mod module_tree;
mod modules;
mod names;
mod objects;
pub(crate) mod optimizers;
mod python;
mod ranks;
mod replays;
mod saved;
mod scalars;
mod semantics;
mod standard;
pub(crate) mod state;
mod storage;
mod switches;
mod tensors;
mod threads;
mod transfers;
mod waits;

pub(crate) use semantics::Torch;

/// The interpreter of programs that use PyTorch.
pub(crate) type Interp<'p> = crate::interp::Interp<'p, Torch>;

/// Its memory.
pub(crate) type Heap<'p> = crate::interp::Heap<'p, Torch>;

/// A cell of it.
pub(crate) type Cell<'p> = crate::interp::Cell<'p, Torch>;

/// An object.
pub(crate) type Object<'p> = crate::interp::object::Object<'p, Torch>;

/// What an object is.
pub(crate) type Kind<'p> = crate::interp::object::Kind<'p, Torch>;
