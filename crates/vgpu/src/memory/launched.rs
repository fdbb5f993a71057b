//! The memory of work that was launched.

use super::table;
use crate::gpu::schedule;

/// Whether the memory from one address to another is there for work that was launched: what was given back behind a launch stays
/// until the launch is done.
pub fn is_there(start: u64, end: u64) -> bool {
    let in_use = table::lock().has(start, end);
    in_use || schedule::is_retired(start)
}
