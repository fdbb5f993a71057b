//! Memory of the host that captured copies write: a tensor there is a place, and no number, also without dimensions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::blocks::Ranges;

static ANY: AtomicBool = AtomicBool::new(false);
static RANGES: Mutex<Option<Ranges>> = Mutex::new(None);

/// A captured copy writes there.
pub(crate) fn add(address: u64, bytes: u64) {
    let mut ranges = RANGES.lock().unwrap_or_else(PoisonError::into_inner);
    ranges.get_or_insert_default().insert(address, bytes);
    ANY.store(true, Ordering::Relaxed);
}

/// Whether a captured copy writes something there.
pub(super) fn touches(address: u64, bytes: u64) -> bool {
    ANY.load(Ordering::Relaxed) && {
        let ranges = RANGES.lock().unwrap_or_else(PoisonError::into_inner);
        ranges.as_ref().is_some_and(|it| it.touches(address, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_touched() {
        add(0x1_0000, 4);
        assert!(touches(0x1_0000, 1) && touches(0x1_0003, 8));
        assert!(!touches(0x1_0004, 4) && !touches(0xfffc, 4));
    }
}
