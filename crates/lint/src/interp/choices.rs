//! Choices whose outcome is not known, and what led to them.

use super::set_ups::Slot;
use super::value::Value;
use super::{Interp, Semantics};
use crate::site::Site;

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

/// What is followed behind a condition that a program outgrows, such as `step < WARM_UP`.
#[derive(Clone, Debug)]
pub(crate) struct Phase {
    /// The condition.
    pub(super) test: Site,
    /// Whether it holds there.
    pub(super) holds: bool,
    /// The outcome that lasts, where the condition compares with a number that each iteration of a loop raises.
    pub(super) lasting: Option<bool>,
    /// What it compares with a number that is known.
    pub(super) compared: Vec<Slot>,
}

impl Phase {
    /// Whether this phase is over as soon as `later` was reached, and does not come back, for all that changes `slot` in it.
    pub(crate) fn is_over_in(&self, later: &Self, slot: &Slot) -> bool {
        self.test == later.test
            && self.holds != later.holds
            && (self.lasting == Some(later.holds) || self.compared.contains(slot))
    }
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
