//! Choices whose outcome is not known, and what led to them.

use super::phases::Phase;
use super::set_ups::Slot;
use super::value::Value;
use super::{Interp, Semantics};

/// The choices that lead to what is followed.
#[derive(Debug)]
pub(super) struct Choices<'p> {
    /// How many unknown conditions lead there.
    pub(super) doubt: u32,
    /// The value of the condition that was followed last.
    pub(super) last: Value<'p>,
    /// What the conditions around ask to be unset.
    pub(super) unset: Vec<Slot>,
    /// Those that the program outgrows, with what they lead to.
    pub(super) phases: Vec<Phase>,
}

impl Default for Choices<'_> {
    fn default() -> Self {
        Self {
            doubt: 0,
            last: Value::Unknown,
            unset: Vec::new(),
            phases: Vec::new(),
        }
    }
}

impl<'p, L: Semantics> Interp<'p, L> {
    /// The value of the condition that was followed last.
    pub(crate) fn last_condition(&self) -> &Value<'p> {
        &self.choices.last
    }

    /// How many unknown conditions lead to what is followed.
    pub(crate) fn doubt(&self) -> u32 {
        self.choices.doubt
    }

    /// What is followed next is in so much doubt; gives what it was in before.
    pub(crate) fn set_doubt(&mut self, doubt: u32) -> u32 {
        std::mem::replace(&mut self.choices.doubt, doubt)
    }
}
