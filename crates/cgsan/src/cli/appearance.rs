//! How text for people looks.

use clap::{Args, ValueEnum};

use super::{heading, value};

/// How text for people looks.
#[derive(Debug, Args)]
pub struct Appearance {
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = heading::GENERAL)]
    pub color: Color,

    /// Columns to write into [default: those of the terminal, else 100]
    #[arg(long, value_name = "COLUMNS", value_parser = value::columns, help_heading = heading::GENERAL)]
    pub width: Option<usize>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
