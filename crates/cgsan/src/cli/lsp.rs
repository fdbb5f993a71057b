//! The options of `cgsan lsp`.

use clap::Args;

/// The options of `cgsan lsp`.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Exit status:\n  0    the editor asked to shut down before it asked to exit\n  1    it did not, or went away"
)]
pub struct LspOptions {
    /// Accepted because clients pass it to servers that also have other transports
    #[arg(long, hide = true)]
    pub stdio: bool,
}
