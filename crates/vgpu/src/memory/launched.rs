//! The memory of work that was launched.

use super::table;
use crate::gpu::schedule;

/// Whether the memory from one address to another is there for the work that the calling thread does: what was given back behind
/// its launch stays until it is done, and what was given back before is gone.
pub fn is_there(start: u64, end: u64) -> bool {
    let in_use = table::lock().has(start, end);
    in_use || schedule::is_kept_for_this_task(start)
}
