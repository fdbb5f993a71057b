//! The profiler's own ids: which of them are current in a thread, by kind.

use std::cell::RefCell;

thread_local! {
    /// Kinds (`CUpti_ExternalCorrelationKind`) with ids, in the order in which they became current.
    static CURRENT: RefCell<Vec<(u32, u64)>> = const { RefCell::new(Vec::new()) };
}

/// An id becomes current.
pub fn push(kind: u32, id: u64) {
    CURRENT.with_borrow_mut(|current| current.push((kind, id)));
}

/// The last id of a kind ceases to be current; `None` if there is none.
pub fn pop(kind: u32) -> Option<u64> {
    CURRENT.with_borrow_mut(|current| {
        let at = current.iter().rposition(|(of, _)| *of == kind)?;
        Some(current.remove(at).1)
    })
}

/// The innermost id of each kind.
pub fn innermost() -> Vec<(u32, u64)> {
    CURRENT.with_borrow(|current| {
        let mut innermost: Vec<(u32, u64)> = Vec::new();
        for (kind, id) in current.iter().rev() {
            if innermost.iter().all(|(known, _)| known != kind) {
                innermost.push((*kind, *id));
            }
        }
        innermost
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_id_of_each_kind_is_current() {
        for (kind, id) in [(3, 1), (4, 2), (3, 5)] {
            push(kind, id);
        }
        assert_eq!(innermost(), [(3, 5), (4, 2)]);
        assert_eq!((pop(3), pop(7)), (Some(5), None));
        assert_eq!(innermost(), [(4, 2), (3, 1)]);
        assert_eq!((pop(3), pop(4), pop(4)), (Some(1), Some(2), None));
    }
}
