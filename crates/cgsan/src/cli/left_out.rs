//! A command that this cgsan was built without.

use std::ffi::OsString;

use clap::Args;

/// Its arguments, whatever they are.
#[derive(Debug, Args)]
pub struct LeftOut {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<OsString>,
}
