//! Memory of tests.

use std::collections::HashMap;

use crate::memory::Memory;

/// Memory with these words, and zeros everywhere else.
pub(crate) struct Words(pub(crate) HashMap<usize, usize>);

impl Memory for Words {
    fn bytes(&self, address: usize, buffer: &mut [u8]) -> Option<()> {
        for (at, byte) in (address..).zip(buffer) {
            let word = self.0.get(&(at & !7)).copied().unwrap_or_default();
            *byte = word.to_ne_bytes()[at & 7];
        }
        Some(())
    }
}
