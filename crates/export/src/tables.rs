//! Which tables there are.

use crate::column::Column;
use crate::{captures, events, findings, processes, steps};

/// The names of the tables.
pub const TABLES: [&str; 5] = ["processes", "events", "captures", "findings", "steps"];

/// The columns of the tables, in the order of [`TABLES`].
pub fn columns() -> [Vec<Column>; TABLES.len()] {
    [
        processes::columns(),
        events::columns(),
        captures::columns(),
        findings::columns(),
        steps::columns(),
    ]
}
