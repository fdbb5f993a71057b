//! The forms in which findings are written.

use std::sync::LazyLock;

use cgsan_render::{FORMS, Form};
use clap::ValueEnum;
use clap::builder::PossibleValue;

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people, with the source.
    Text,
    /// One JSON object.
    Json,
    /// A form that is the same for all commands.
    Shared(&'static Form),
}

static ALL: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let shared = FORMS.iter().map(Format::Shared);
    [Format::Text, Format::Json]
        .into_iter()
        .chain(shared)
        .collect()
});

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, about) = match self {
            Format::Text => ("text", "For people, with the source"),
            Format::Json => ("json", "One JSON object"),
            Format::Shared(form) => (form.name, form.about),
        };
        Some(PossibleValue::new(name).help(about))
    }
}
