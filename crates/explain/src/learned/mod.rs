//! What is learned from reports: how their words and signs go together with the entries, and with trouble that is no graph's.
//! `cargo xtask learn` learns it from the made-up reports of `crates/explain/reports`, and writes the table. It orders what is
//! likely and never decides.

mod features;
mod fit;
mod held_out;
mod learn;
mod table;

use std::sync::LazyLock;

use cgsan_catalogue::{Entry, entries};

pub use held_out::{Held, held_out};
pub use learn::{LearnError, Report, learn};

pub(crate) use features::Features;
pub(crate) use table::Table;

use crate::reading::Reading;

static TABLE: LazyLock<Table<'static>> =
    LazyLock::new(|| Table::read(include_str!("../../learned.tsv")));

/// What a text as a whole says.
#[derive(Clone, Debug)]
pub struct Learned {
    /// How likely each entry is, in their order, if one of them it is: together 1.
    entries: Vec<f32>,
    /// How much likelier it is no failure of a graph than one: the logarithm of the ratio.
    pub beside: f32,
}

impl Learned {
    /// What the words and the signs of a text say.
    pub fn of(reading: &Reading<'_>) -> Self {
        TABLE.say(&Features::of(reading))
    }

    /// How likely an entry is, from 0 to 1.
    pub fn share(&self, entry: &Entry) -> f32 {
        let number = entries().iter().position(|known| known.id == entry.id);
        number.map_or(0.0, |number| self.entries[number])
    }
}
