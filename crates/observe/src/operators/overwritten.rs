//! Tensors that later work has overwritten, as the agent tells of them: an operator that is given one is recorded as its reader.
//!
//! A tensor is known by its storage, an object of PyTorch's: another tensor in the same memory has another one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The numbers of the tensors, by where their storages' objects lie.
static OVERWRITTEN: Mutex<BTreeMap<usize, u64>> = Mutex::new(BTreeMap::new());
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Has reads of the tensor with this storage told by its number; 0 ends that.
pub fn tell_reads(storage: u64, number: u64) {
    let Ok(storage) = usize::try_from(storage) else {
        return;
    };
    let mut known = lock();
    if number == 0 {
        known.remove(&storage);
    } else {
        known.insert(storage, number);
    }
    COUNT.store(known.len(), Ordering::Relaxed);
}

/// Whether reads of any are told.
pub fn are_any() -> bool {
    COUNT.load(Ordering::Relaxed) > 0
}

/// The numbers of those among some storages.
pub fn among(storages: &[usize]) -> Vec<u64> {
    let known = lock();
    let numbers = storages.iter().filter_map(|it| known.get(it).copied());
    numbers.collect()
}

fn lock() -> MutexGuard<'static, BTreeMap<usize, u64>> {
    OVERWRITTEN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_is_told_of_until_it_is_gone() {
        assert!(!are_any());
        tell_reads(64, 1);
        tell_reads(128, 2);
        assert_eq!(among(&[128, 256, 64]), [2, 1]);
        tell_reads(64, 0);
        tell_reads(64, 0);
        assert_eq!(among(&[64, 128]), [2]);
        assert!(are_any());
        tell_reads(128, 0);
        assert!(!are_any());
    }
}
