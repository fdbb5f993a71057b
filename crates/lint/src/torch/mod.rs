//! What is known of PyTorch's functions, methods and objects, and of a few of Python's.

pub(crate) mod arrays;
pub(crate) mod autograd;
mod averaged;
pub(crate) mod classes;
pub(crate) mod comparisons;
mod contexts;
mod creation;
mod cuda;
pub(crate) mod decorators;
mod distributed;
mod distributions;
pub(crate) mod functions;
mod graphed;
pub(crate) mod indexing;
pub(crate) mod methods;
pub(crate) mod module_parts;
pub(crate) mod module_tree;
mod modules;
pub(crate) mod names;
pub(crate) mod objects;
pub(crate) mod optimizers;
mod python;
mod ranks;
pub(crate) mod saved;
mod scalars;
mod standard;
pub(crate) mod threads;
