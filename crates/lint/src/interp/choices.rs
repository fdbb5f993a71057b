//! Choices whose outcome is not known, and what led to them.

use super::Interp;
use super::set_ups::Slot;
use super::value::Value;

/// The choices that lead to what is followed.
#[derive(Debug)]
pub(super) struct Choices<'p> {
    /// How many conditions of which nothing is known lead there.
    pub(super) doubt: u32,
    /// The value of the condition that was followed last.
    pub(super) last: Value<'p>,
    /// What the conditions around ask to be unset.
    pub(super) unset: Vec<Slot>,
}

impl Default for Choices<'_> {
    fn default() -> Self {
        Self {
            doubt: 0,
            last: Value::Unknown,
            unset: Vec::new(),
        }
    }
}

impl<'p> Interp<'p> {
    /// The value of the condition that was followed last.
    pub(crate) fn last_condition(&self) -> &Value<'p> {
        &self.choices.last
    }

    /// How many conditions of which nothing is known lead to what is followed.
    pub(crate) fn doubt(&self) -> u32 {
        self.choices.doubt
    }

    /// Whether what is followed is inside a capture, and there behind a condition of which nothing is known.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.capture()
            .or(self.flow.foreign)
            .is_some_and(|id| self.choices.doubt > self.captures[id.0].doubt)
    }
}
