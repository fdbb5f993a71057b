//! What is known of PyTorch's functions, methods and objects, and of a few of Python's.

mod arrays;
mod autocast;
mod autograd;
mod averaged;
mod classes;
mod comparisons;
mod containers;
mod contexts;
mod creation;
mod cuda;
mod decorators;
mod distributed;
mod distributions;
mod families;
mod functional;
mod functions;
mod graphed;
mod groups;
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
mod saved;
mod scalars;
mod semantics;
mod standard;
mod threads;
mod transfers;
mod waits;

pub(crate) use semantics::Torch;
