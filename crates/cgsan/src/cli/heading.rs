//! The headings that `--help` and the manual pages list options under.

/// What runs or is read, and where.
pub const RUN_ON: &str = "What to run on";
/// What is judged, and what counts.
pub const LOOK_FOR: &str = "What to look for";
/// What is repaired in the source.
pub const CHANGE: &str = "What to change";
/// What is written, in which form and where to.
pub const WRITE: &str = "What to write";
/// How programs are served.
pub const SERVE: &str = "To serve programs and agents";
/// What every command takes.
pub const GENERAL: &str = "General options";
