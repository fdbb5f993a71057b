//! Tensors that later work has overwritten, as the agent tells of them: an operator that is given one is recorded as its reader.
//!
//! A tensor is known by its storage, an object of PyTorch's: another tensor in the same memory has another one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The tensors, by where their storages' objects lie.
static OVERWRITTEN: Mutex<BTreeMap<usize, Tensor>> = Mutex::new(BTreeMap::new());
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Uses told of each: the first may only look at its form.
const USES: u8 = 16;

struct Tensor {
    number: u64,
    /// How many uses are still told.
    left: u8,
}

/// Has reads of the tensor with this storage told by its number; 0 ends that.
pub fn tell_reads(storage: u64, number: u64) {
    let Ok(storage) = usize::try_from(storage) else {
        return;
    };
    let mut known = lock();
    if number == 0 {
        known.remove(&storage);
    } else {
        let left = USES;
        known.insert(storage, Tensor { number, left });
    }
    COUNT.store(known.len(), Ordering::Relaxed);
}

/// Whether reads of any are told.
pub fn are_any() -> bool {
    COUNT.load(Ordering::Relaxed) > 0
}

/// The numbers of those among some storages.
pub fn among(storages: &[usize]) -> Vec<u64> {
    let mut known = lock();
    let mut numbers = Vec::new();
    for storage in storages {
        if let Some(tensor) = known.get_mut(storage).filter(|it| it.left > 0) {
            tensor.left -= 1;
            numbers.push(tensor.number);
        }
    }
    numbers
}

fn lock() -> MutexGuard<'static, BTreeMap<usize, Tensor>> {
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
        let uses = (0..100).filter(|_| !among(&[128]).is_empty()).count();
        assert_eq!(uses, usize::from(USES) - 2);
        tell_reads(128, 0);
        assert!(!are_any());
    }
}
