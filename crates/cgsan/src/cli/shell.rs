//! The options of `cgsan completions` and `cgsan man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// The options of `cgsan completions`.
#[derive(Debug, Args)]
#[command(after_long_help = "For bash, in this shell: source <(cgsan completions bash)")]
pub struct CompletionsOptions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// The options of `cgsan man`.
#[derive(Debug, Args)]
#[command(after_long_help = "For one user: cgsan man ~/.local/share/man/man1")]
pub struct ManOptions {
    /// The folder; it is made if it is not there
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
}
