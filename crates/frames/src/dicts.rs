//! The entries of a `dict` that keeps its values beside its keys, as those of modules do.

use crate::layout::{Keys, Layout};
use crate::memory::Memory;

/// The most entries of a `dict` that are read.
const MOST: usize = 1 << 16;

/// How long an address is.
const POINTER: usize = size_of::<usize>();

/// In a `dict`, behind the beginning of every object: how many entries it has, a version, its keys, and the values that are kept apart from them.
const KEYS: usize = 16;
const APART: usize = 24;

/// The kinds of keys from 3.11 on: any objects, with their hashes; texts alone.
const ANY: u8 = 0;
const TEXTS: u8 = 1;

/// The keys and values of the `dict` at an address: addresses of objects. `None` if it is of another form.
pub fn entries(memory: &impl Memory, layout: &Layout, dict: usize) -> Option<Vec<(usize, usize)>> {
    let fields = dict.checked_add(layout.head())?;
    let keys = memory.pointer(fields, KEYS)?;
    if memory.pointer(fields, APART).is_some() {
        return None;
    }
    let (entries, words, count) = match layout.keys {
        Keys::Sized => {
            let size: usize = memory.number(keys.checked_add(8)?)?;
            let count: usize = memory.number(keys.checked_add(32)?)?;
            let width = match size {
                0..=0xff => 1,
                0x100..=0xffff => 2,
                0x1_0000..=0xffff_ffff => 4,
                _ => 8,
            };
            (40_usize.checked_add(size.checked_mul(width)?)?, 3, count)
        }
        Keys::Logarithms => {
            let [_, indices, kind]: [u8; 3] = memory.number(keys.checked_add(8)?)?;
            let count: usize = memory.number(keys.checked_add(24)?)?;
            let words = match kind {
                ANY => 3,
                TEXTS => 2,
                _ => return None,
            };
            (32 + 1_usize.checked_shl(indices.into())?, words, count)
        }
    };
    let mut bytes = vec![0; count.min(MOST) * words * POINTER];
    memory.bytes(keys.checked_add(entries)?, &mut bytes)?;
    let numbers: Vec<usize> = bytes
        .chunks_exact(POINTER)
        .filter_map(|it| it.try_into().ok().map(usize::from_ne_bytes))
        .collect();
    let pairs = numbers
        .chunks_exact(words)
        .map(|entry| (entry[words - 2], entry[words - 1]));
    // An entry that was removed has no value.
    Some(
        pairs
            .filter(|(key, value)| *key != 0 && *value != 0)
            .collect(),
    )
}
