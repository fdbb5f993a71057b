//! Python strings.

use std::fmt::Write as _;

use crate::layout::Layout;
use crate::memory::Memory;

/// The most characters of a string that are read.
const LONGEST: usize = 4096;

/// The `str` at `address`, cut off after 4,096 characters; `None` if there is none.
pub fn read(memory: &impl Memory, layout: &Layout, address: usize) -> Option<String> {
    let length: usize = memory.number(address.checked_add(layout.text.length)?)?;
    let state: u32 = memory.number(address.checked_add(layout.text.state)?)?;
    let state = state.checked_shr(layout.text.width_bit)?;
    let kind = state & 0b111;
    let compact = state & (1 << 3) != 0;
    let ascii = state & (1 << 4) != 0;
    if !compact {
        return None;
    }
    let header = if ascii {
        layout.text.ascii_header
    } else {
        layout.text.compact_header
    };
    let width = match kind {
        1 | 2 | 4 => kind as usize,
        _ => return None,
    };
    let mut bytes = vec![0; length.min(LONGEST) * width];
    memory.bytes(address.checked_add(header)?, &mut bytes)?;
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.chunks_exact(width) {
        let mut code = [0; 4];
        code[..width].copy_from_slice(chunk);
        push(&mut text, u32::from_ne_bytes(code));
    }
    Some(text)
}

/// Adds a character. One that stands for a byte which is no UTF-8, as in names of files, is written out as `\xHH`.
fn push(text: &mut String, code: u32) {
    match code {
        0xDC80..=0xDCFF => {
            let _ = write!(text, "\\x{:02x}", code - 0xDC00);
        }
        _ => text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_written_out() {
        let mut text = String::new();
        for code in [0x61, 0xDCFF, 0xE9, 0xD800] {
            push(&mut text, code);
        }
        assert_eq!(text, "a\\xff\u{e9}\u{fffd}");
    }
}
