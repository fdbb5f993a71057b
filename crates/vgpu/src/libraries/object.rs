//! Objects that a program holds by an opaque pointer: looked up, never dereferenced, so that a stale one does no harm.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::gpu::handle::fresh;

/// The live objects of one kind.
pub struct Objects<T> {
    live: Mutex<Option<FxHashMap<usize, T>>>,
}

impl<T> Objects<T> {
    /// None yet.
    pub const fn new() -> Objects<T> {
        Objects {
            live: Mutex::new(None),
        }
    }

    /// Adds an object and returns the pointer by which the program will know it.
    pub fn add(&self, object: T) -> usize {
        let pointer = opaque();
        self.add_as(pointer, object);
        pointer
    }

    /// Adds an object under a name that the caller chose.
    pub fn add_as(&self, name: usize, object: T) {
        self.lock()
            .get_or_insert_with(FxHashMap::default)
            .insert(name, object);
    }

    /// Uses an object, if it is alive.
    pub fn with<R>(&self, pointer: usize, use_it: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.lock().as_mut()?.get_mut(&pointer).map(use_it)
    }

    /// Takes an object out, if it is alive.
    pub fn remove(&self, pointer: usize) -> Option<T> {
        self.lock().as_mut()?.remove(&pointer)
    }

    /// A panic of an earlier holder left the map usable: every change is a single insertion or removal.
    fn lock(&self) -> MutexGuard<'_, Option<FxHashMap<usize, T>>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Clone> Objects<T> {
    /// A copy of an object, if it is alive.
    pub fn get(&self, pointer: usize) -> Option<T> {
        self.with(pointer, |object| object.clone())
    }
}

/// A pointer that was never handed out before.
pub fn opaque() -> usize {
    usize::try_from(fresh()).expect("pointers have 64 bits on every platform this runs on")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_found_until_it_is_removed() {
        static NAMES: Objects<&str> = Objects::new();
        assert_eq!(NAMES.get(1), None);
        let pointer = NAMES.add("first");
        NAMES.with(pointer, |name| *name = "second");
        assert_eq!(NAMES.remove(pointer), Some("second"));
        assert_eq!(NAMES.get(pointer), None);
    }
}
