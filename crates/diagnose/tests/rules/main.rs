//! Each failure mode on a program in miniature: it is found where it is, and neither in the repaired twin nor in what
//! only looks like it.

mod arbitrary;
mod autograd;
mod consequences;
mod contradictions;
mod devices;
mod endings;
mod facts;
mod gradients;
mod libraries;
mod lookalikes;
mod memory;
mod optimizers;
mod order;
mod parts;
mod pools;
mod pytorch;
mod random;
mod regions;
mod replays;
mod shortened;
mod streams;
mod support;
mod threads;
mod twin;
mod waits;
mod workspaces;
