//! Python programs that are watched while they do what programs do, and what is recorded of them.

mod exceptions;
mod hazards;
mod price;
mod records;
mod stacks;
mod support;
