//! Locks that are taken only if nobody holds them.

use std::sync::{Mutex, MutexGuard, TryLockError};

/// A lock if nobody holds it. A panic of an earlier holder left usable what it protects.
pub fn if_free<T>(lock: &'static Mutex<T>) -> Option<MutexGuard<'static, T>> {
    match lock.try_lock() {
        Ok(held) => Some(held),
        Err(TryLockError::Poisoned(held)) => Some(held.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
