//! Which findings a report leaves out, whether a program ran or its source was read: by id, by file, by comments in the source, by a
//! baseline of what is known. Each that is left out is kept, with the reason.
#![forbid(unsafe_code)]

mod baseline;
mod comment;
mod earlier;
mod ids;
mod left_out;
mod pattern;
mod policy;
mod scan;

pub use baseline::{Baseline, Left};
pub use comment::Comment;
pub use earlier::{Earlier, EarlierFinding};
pub use ids::{Unknown, unknown};
pub use left_out::{Files, Split, split};
pub use policy::{Listed, Policy};
