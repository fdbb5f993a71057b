//! The entry points of the libraries that PyTorch links to.
