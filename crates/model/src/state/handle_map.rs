//! A map from handles to what is known of them.

use std::marker::PhantomData;

use rustc_hash::FxHashMap;

use crate::{Device, EventId, ExecId, GraphId, ThreadId, handle::StreamKey};

/// A name that a program has for an object.
pub(crate) trait Handle: Copy {
    /// The page of the handle, and its offset in the page, which is less than [`PAGE`].
    fn place(self) -> (u64, u16);
}

/// How many handles a page has.
const PAGE: u64 = 1 << 12;

/// The place of a number. Names of several kinds can share a map if each kind has its own `space`, of 12 bits.
pub(crate) fn place(space: u64, number: u64) -> (u64, u16) {
    let offset = u16::try_from(number % PAGE).unwrap_or_default();
    ((space << 52) | (number / PAGE), offset)
}

impl Handle for EventId {
    fn place(self) -> (u64, u16) {
        place(0, self.0)
    }
}

impl Handle for GraphId {
    fn place(self) -> (u64, u16) {
        place(0, self.0)
    }
}

impl Handle for ExecId {
    fn place(self) -> (u64, u16) {
        place(0, self.0)
    }
}

impl Handle for StreamKey {
    fn place(self) -> (u64, u16) {
        match self {
            StreamKey::Created(handle) => place(0, handle),
            StreamKey::Legacy(Device(device)) => place(1, device.into()),
            StreamKey::PerThread(Device(device), ThreadId(thread)) => {
                place(2, u64::from(device) << 32 | u64::from(thread))
            }
        }
    }
}

/// A map from handles to values that keeps neighbours together.
///
/// Handles are addresses of what the driver allocated one after the other, or numbers that count up. A program that
/// works through many objects takes them in that order more often than not, so their values lie side by side, in pages:
/// a hash table would scatter them, and each access to a large one would wait for memory.
#[derive(Debug)]
pub(crate) struct HandleMap<K, V> {
    pages: FxHashMap<u64, Page<V>>,
    handles: PhantomData<K>,
}

/// The values of one page, by ascending offset.
#[derive(Debug)]
struct Page<V> {
    offsets: Vec<u16>,
    values: Vec<V>,
}

impl<K: Handle, V> HandleMap<K, V> {
    pub(crate) fn get(&self, handle: K) -> Option<&V> {
        let (page, offset) = handle.place();
        let page = self.pages.get(&page)?;
        page.values.get(page.find(offset).ok()?)
    }

    pub(crate) fn get_mut(&mut self, handle: K) -> Option<&mut V> {
        let (page, offset) = handle.place();
        let page = self.pages.get_mut(&page)?;
        let at = page.find(offset).ok()?;
        page.values.get_mut(at)
    }

    /// Returns what the handle had before.
    pub(crate) fn insert(&mut self, handle: K, value: V) -> Option<V> {
        let (page, offset) = handle.place();
        let page = self.pages.entry(page).or_default();
        match page.find(offset) {
            Ok(at) => Some(std::mem::replace(&mut page.values[at], value)),
            Err(at) => {
                page.insert(at, offset, value);
                None
            }
        }
    }

    pub(crate) fn get_or_insert_with(&mut self, handle: K, value: impl FnOnce() -> V) -> &mut V {
        let (page, offset) = handle.place();
        let page = self.pages.entry(page).or_default();
        let at = page.find(offset).unwrap_or_else(|at| {
            page.insert(at, offset, value());
            at
        });
        &mut page.values[at]
    }

    pub(crate) fn remove(&mut self, handle: K) -> Option<V> {
        let (number, offset) = handle.place();
        let page = self.pages.get_mut(&number)?;
        let at = page.find(offset).ok()?;
        page.offsets.remove(at);
        let removed = page.values.remove(at);
        if page.values.is_empty() {
            self.pages.remove(&number);
        }
        Some(removed)
    }
}

impl<V> Page<V> {
    /// Where the value of an offset is, or belongs.
    fn find(&self, offset: u16) -> Result<usize, usize> {
        // Handles that were handed out one after the other are evenly spaced, so a look at where it should be mostly ends
        // the search.
        if let (Some(&first), Some(&last)) = (self.offsets.first(), self.offsets.last())
            && (first..=last).contains(&offset)
            && first < last
        {
            let steps = u32::try_from(self.offsets.len()).unwrap_or_default() - 1;
            let guess = u32::from(offset - first) * steps / u32::from(last - first);
            if self.offsets.get(guess as usize) == Some(&offset) {
                return Ok(guess as usize);
            }
        }
        self.offsets.binary_search(&offset)
    }

    fn insert(&mut self, at: usize, offset: u16, value: V) {
        self.offsets.insert(at, offset);
        self.values.insert(at, value);
    }
}

impl<V> Default for Page<V> {
    fn default() -> Self {
        Page {
            offsets: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl<K, V> Default for HandleMap<K, V> {
    fn default() -> Self {
        HandleMap {
            pages: FxHashMap::default(),
            handles: PhantomData,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Numbers that share pages, evenly spaced or not, and some far away.
    fn number() -> impl Strategy<Value = u64> {
        prop_oneof![
            0..64_u64,
            (0..64_u64).prop_map(|step| 0x5500_0000_1000 + step * 0x300),
            (0..4_u64).prop_map(|step| u64::MAX - step),
        ]
    }

    proptest! {
        #[test]
        fn it_maps_as_a_sorted_map_does(steps in prop::collection::vec((number(), 0..4_u8), 1..200)) {
            let mut map = HandleMap::<EventId, u64>::default();
            let mut sorted = BTreeMap::new();
            for (step, (number, kind)) in (0..).zip(steps) {
                let handle = EventId(number);
                match kind {
                    0 => prop_assert_eq!(map.insert(handle, step), sorted.insert(number, step)),
                    1 => prop_assert_eq!(map.remove(handle), sorted.remove(&number)),
                    2 => prop_assert_eq!(map.get_mut(handle), sorted.get_mut(&number)),
                    _ => prop_assert_eq!(
                        map.get_or_insert_with(handle, || step),
                        sorted.entry(number).or_insert(step)
                    ),
                }
                prop_assert_eq!(map.get(handle), sorted.get(&number));
            }
        }
    }

    #[test]
    fn names_of_two_kinds_never_meet() {
        for number in [0, 1, PAGE, u64::MAX] {
            assert_ne!(place(0, number), place(1, number));
        }
    }
}
