//! From an error text to the entries of the catalogue: a traceback, a log of several ranks, a driver's log, a line of a chat.
//!
//! A text is read once, in constant memory. A search for a few fixed words finds the lines worth a look (`scan`); around
//! them **incidents** are put together (`incident`): the traceback with those it is chained to, the message of a C++
//! exception, the stack of a process that hangs. The catalogue's patterns are asked about incidents only (`evaluate`), and
//! what they say of each is ranked (`rank`). Where that decides nothing, the text as a whole says what it leaves open
//! (`likely`).
#![forbid(unsafe_code)]

mod anchors;
mod beside;
mod candidate;
mod codes;
mod collect;
mod concern;
pub mod driver_log;
mod elsewhere;
mod evaluate;
mod expression;
mod failure;
mod fingerprint;
mod hip;
mod incident;
mod kind;
mod likely;
mod line;
mod look_up;
mod matcher;
mod nearest;
mod passing;
mod pasted;
mod rank;
mod reading;
mod repetition;
mod scan;
mod sign;
mod subject;
mod versions;
mod weigh;

pub use candidate::{Candidate, Explanation, Origin, Reason};
pub use kind::Kind;
pub use line::Writer;
pub use look_up::{Subject, look_up};
pub use nearest::nearest;
pub use pasted::program;
pub use scan::{ReadError, read, text};
pub use weigh::Evidence;
