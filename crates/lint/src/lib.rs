//! Finds what goes wrong with CUDA graphs in the source of PyTorch programs, without running them.
//!
//! A [`Project`] holds the files, [`lint`] looks at all of them, [`lint_file`] at one. Both follow the program through
//! calls and imports, and return [`cgsan_finding::Finding`]s with the same ids as the rest of cgsan.
#![forbid(unsafe_code)]

mod apply;
mod captures;
mod comments;
mod draft;
mod entries;
mod finding;
mod fixes;
mod imports;
mod interp;
mod linter;
mod notebook;
mod packages;
mod project;
mod repair;
mod rules;
mod settings;
mod site;
mod syntax;
mod torch;

pub use apply::apply;
pub use captures::mentioned as mentions_captures;
pub use draft::Rule;
pub use finding::{SyntaxError, Unfinished};
pub use linter::{Outcome, lint, lint_file, reach};
pub use notebook::Cells;
pub use project::Project;
pub use repair::{Changed, drop_useless_fixes, helps, repair};
pub use rules::RULES;
pub use settings::{Settings, Version};
