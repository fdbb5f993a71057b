//! Handles: which name something, which no longer do, and which were never announced.

use super::handle_map::{Handle, HandleMap};

/// What is known of the objects of one kind, by handle.
///
/// A destroyed handle is remembered until the driver hands the same number out again, so that its use can be refused.
/// A handle never announced is a different matter: a recording may begin after the object was made.
#[derive(Debug)]
pub(crate) struct Registry<K, V> {
    objects: HandleMap<K, Entry<V>>,
}

#[derive(Debug)]
enum Entry<V> {
    Live(V),
    Destroyed,
}

/// What a handle names.
pub(crate) enum Found<T> {
    /// This object.
    Live(T),
    /// Nothing any more.
    Destroyed,
    /// Something that was made before the model began to listen, or nothing.
    Unannounced,
}

impl<K: Handle, V> Registry<K, V> {
    /// A handle now names this object.
    pub(crate) fn create(&mut self, handle: K, object: V) {
        self.objects.insert(handle, Entry::Live(object));
    }

    /// A handle names nothing any more. Returns what it named.
    pub(crate) fn destroy(&mut self, handle: K) -> Option<V> {
        match self.objects.insert(handle, Entry::Destroyed)? {
            Entry::Live(object) => Some(object),
            Entry::Destroyed => None,
        }
    }

    /// A handle was handed out anew for an unknown object. Returns what it named before.
    pub(crate) fn forget(&mut self, handle: K) -> Option<V> {
        match self.objects.remove(handle)? {
            Entry::Live(object) => Some(object),
            Entry::Destroyed => None,
        }
    }

    /// The object, if the handle was announced and lives.
    pub(crate) fn get(&self, handle: K) -> Option<&V> {
        match self.find(handle) {
            Found::Live(object) => Some(object),
            Found::Destroyed | Found::Unannounced => None,
        }
    }

    /// The object, if the handle was announced and lives.
    pub(crate) fn get_mut(&mut self, handle: K) -> Option<&mut V> {
        self.objects.get_mut(handle)?.live()
    }

    /// What the handle names.
    pub(crate) fn find(&self, handle: K) -> Found<&V> {
        match self.objects.get(handle) {
            Some(Entry::Live(object)) => Found::Live(object),
            Some(Entry::Destroyed) => Found::Destroyed,
            None => Found::Unannounced,
        }
    }

    /// The object; one that was never announced is taken to be `assumed`. `None` if the handle was destroyed.
    pub(crate) fn get_or_assume(
        &mut self,
        handle: K,
        assumed: impl FnOnce() -> V,
    ) -> Option<&mut V> {
        self.objects
            .get_or_insert_with(handle, || Entry::Live(assumed()))
            .live()
    }
}

impl<V> Entry<V> {
    fn live(&mut self) -> Option<&mut V> {
        match self {
            Entry::Live(object) => Some(object),
            Entry::Destroyed => None,
        }
    }
}

impl<K, V> Default for Registry<K, V> {
    fn default() -> Self {
        Registry {
            objects: HandleMap::default(),
        }
    }
}
