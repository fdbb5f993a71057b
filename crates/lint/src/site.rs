//! Places in the project.

use crate::project::FileId;
use crate::syntax::ast::TextRange;

/// A place in the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Site {
    /// The file.
    pub(crate) file: FileId,
    /// The range in it.
    pub(crate) range: TextRange,
}
