//! The interpreter as it is written for PyTorch, by short names.

/// PyTorch, and what of Python's own library goes with it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Torch;

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
