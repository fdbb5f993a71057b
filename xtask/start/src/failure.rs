//! Errors of the tasks.

use std::fmt::{self, Display};

/// The result of a task or of a part of one.
pub type Result<T> = std::result::Result<T, Failure>;

/// Why a task failed and, where something can be done about it, what.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// A failure with a text that names what was tried and what to do.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Says what was being done when a lower-level error came.
pub trait Context<T> {
    /// Turns the error into a [`Failure`] that starts with `doing`, a phrase such as `cannot create /some/folder`.
    fn context(self, doing: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Display> Context<T> for std::result::Result<T, E> {
    fn context(self, doing: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|error| Failure(format!("{}: {error}", doing())))
    }
}
