//! Each failure mode on a program in miniature: it is found where it is, and neither in the repaired twin nor in what
//! only looks like it.

mod autograd;
mod contradictions;
mod devices;
mod libraries;
mod lookalikes;
mod memory;
mod pytorch;
mod random;
mod streams;
mod support;
mod threads;
mod waits;
