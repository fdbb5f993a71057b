//! Python strings.

use crate::layout::Layout;
use crate::memory::Memory;

/// The most characters of a string that are read.
const LONGEST: usize = 4096;

/// In `PyASCIIObject`: the number of characters.
const LENGTH: usize = 16;

/// In `PyASCIIObject`: the bits that say how the characters are kept.
const STATE: usize = 32;

/// The `str` at `address`, cut off after 4,096 characters; `None` if there is none.
pub fn read(memory: &impl Memory, layout: &Layout, address: usize) -> Option<String> {
    let length: usize = memory.number(address.checked_add(LENGTH)?)?;
    let state: u32 = memory.number(address.checked_add(STATE)?)?;
    let kind = (state >> 2) & 0b111;
    let compact = state & (1 << 5) != 0;
    let ascii = state & (1 << 6) != 0;
    if !compact {
        return None;
    }
    let header = if ascii {
        layout.ascii_header
    } else {
        layout.compact_header
    };
    let width = match kind {
        1 | 2 | 4 => kind as usize,
        _ => return None,
    };
    let mut bytes = vec![0; length.min(LONGEST) * width];
    memory.bytes(address.checked_add(header)?, &mut bytes)?;
    let character = |code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    Some(
        bytes
            .chunks_exact(width)
            .map(|chunk| {
                let mut code = [0; 4];
                code[..width].copy_from_slice(chunk);
                character(u32::from_ne_bytes(code))
            })
            .collect(),
    )
}
