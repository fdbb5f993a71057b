//! Blocks that came and went between windows: which are other ones when the next window opens.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

/// The changes since the last window, as far as they are left.
#[derive(Debug, Default)]
pub struct Unseen {
    /// By their first bytes: the sizes of the blocks that were there at the end of the window; 0 where there was none.
    before: FxHashMap<u64, u64>,
}

impl Unseen {
    /// A block of this size was given out or taken back; `now` has the blocks after that.
    pub fn changed(&mut self, address: u64, bytes: u64, now: &FxHashMap<u64, u64>) {
        let is_there = now.contains_key(&address);
        match self.before.entry(address) {
            Entry::Vacant(place) => {
                place.insert(if is_there { 0 } else { bytes });
            }
            // What came and went again makes no difference.
            Entry::Occupied(place) if *place.get() == 0 && !is_there => {
                place.remove();
            }
            Entry::Occupied(_) => {}
        }
    }

    /// The places where another block lies than before, or none, each with the size of the one before; nothing is left.
    pub fn take(&mut self) -> BTreeMap<u64, u64> {
        self.before.drain().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_left_of_changes_is_told() {
        let mut now = FxHashMap::from_iter([(16, 8), (32, 4)]);
        let mut unseen = Unseen::default();
        now.insert(64, 2);
        unseen.changed(64, 2, &now);
        now.remove(&64);
        unseen.changed(64, 2, &now);
        now.remove(&16);
        unseen.changed(16, 8, &now);
        now.insert(16, 6);
        unseen.changed(16, 6, &now);
        now.insert(128, 1);
        unseen.changed(128, 1, &now);
        assert_eq!(unseen.take(), BTreeMap::from([(16, 8), (128, 0)]));
        assert_eq!(unseen.take(), BTreeMap::new());
    }
}
