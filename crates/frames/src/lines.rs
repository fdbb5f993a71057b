//! From a place in the code to a line, by the tables of `Objects/lnotab_notes.txt` (3.10) and
//! `Objects/locations.md` (from 3.11 on).

use crate::layout::{Layout, Table};
use crate::memory::Memory;
use crate::walk::Frame;

/// The most bytes of a line table that are read.
const LONGEST: usize = 1 << 20;

/// Bytes of code for each unit of a location table.
const CODE_UNIT: i64 = 2;

/// The line that a frame is at, counted from 1; 0 if unknown.
pub fn line(memory: &impl Memory, layout: &Layout, frame: Frame) -> u32 {
    read(memory, layout, frame).unwrap_or(0)
}

fn read(memory: &impl Memory, layout: &Layout, frame: Frame) -> Option<u32> {
    let first: i32 = memory.number(frame.code.checked_add(layout.first_line)?)?;
    let table = memory.pointer(frame.code, layout.line_table)?;
    let length: usize = memory.number(table.checked_add(layout.bytes.length)?)?;
    let mut bytes = vec![0; length.min(LONGEST)];
    memory.bytes(table.checked_add(layout.bytes.start)?, &mut bytes)?;
    let line = match layout.table {
        Table::Deltas => by_deltas(&bytes, first, frame.offset),
        Table::Locations => by_locations(&bytes, first, frame.offset),
    };
    u32::try_from(line?).ok()
}

/// Pairs of bytes: how much code, and by how many lines it is further; -128 for code without a line.
fn by_deltas(table: &[u8], first: i32, offset: i32) -> Option<i64> {
    let (mut end, mut line) = (0, i64::from(first));
    for pair in table.chunks_exact(2) {
        let delta = pair[1].cast_signed();
        if delta != i8::MIN {
            line += i64::from(delta);
        }
        end += i64::from(pair[0]);
        if i64::from(offset) < end {
            return (delta != i8::MIN).then_some(line);
        }
    }
    None
}

/// Entries whose first byte has the top bit: a kind, and how many units of code; then numbers that depend on the kind.
fn by_locations(table: &[u8], first: i32, offset: i32) -> Option<i64> {
    let (mut end, mut line) = (0_i64, i64::from(first));
    let mut bytes = table.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let kind = (byte >> 3) & 15;
        let mut has_line = true;
        match kind {
            15 => has_line = false,
            13 | 14 => line += signed(&mut bytes),
            11 | 12 => line += i64::from(kind - 10),
            _ => {}
        }
        // What follows are columns, which nobody asks for.
        while bytes.next_if(|byte| byte & 0x80 == 0).is_some() {}
        end += (i64::from(byte & 7) + 1) * CODE_UNIT;
        if i64::from(offset) < end {
            return has_line.then_some(line);
        }
    }
    None
}

/// A number in groups of six bits, the lowest first; its lowest bit is the sign.
fn signed(bytes: &mut impl Iterator<Item = u8>) -> i64 {
    let (mut value, mut shift) = (0_i64, 0);
    for byte in bytes {
        if shift < 60 {
            value |= i64::from(byte & 0x3f) << shift;
        }
        shift += 6;
        if byte & 0x40 == 0 {
            break;
        }
    }
    if value & 1 == 0 {
        value >> 1
    } else {
        -(value >> 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_3_10_are_followed() {
        // def f(): on line 4; two bytes of code on 5, four on 7, two without a line, two on 6.
        let table = [2, 1, 4, 2, 2, 0x80, 2, 0xff];
        let lines = [0, 2, 5, 6, 8, 10].map(|offset| by_deltas(&table, 4, offset));
        assert_eq!(lines, [Some(5), Some(7), Some(7), None, Some(6), None]);
    }

    #[test]
    fn tables_of_3_11_are_followed() {
        // `f.__code__.co_linetable` of a function that begins on line 2, with what `co_lines()` says of it in CPython 3.11.
        let table = [
            128, 0, 216, 8, 9, 136, 65, 137, 5, 128, 65, 224, 7, 8, 240, 0, 2, 5, 13, 216, 16, 17,
            216, 10, 11, 240, 3, 1, 16, 13, 240, 0, 1, 9, 13, 240, 3, 2, 5, 13, 240, 0, 2, 5, 13,
        ];
        let expected = [2, 3, 3, 3, 3, 3, 5, 5, 6, 7, 6, 6, 5, 5];
        for (offset, line) in (0..).step_by(2).zip(expected) {
            assert_eq!(by_locations(&table, 2, offset), Some(line), "{offset}");
        }
        assert_eq!(by_locations(&table, 2, 1000), None);
    }

    #[test]
    fn no_table_makes_it_panic() {
        for byte in [0, 0x7f, 0x80, 0xe8, 0xf0, 0xff] {
            let table = [byte; 40];
            by_locations(&table, i32::MAX, 1 << 20);
            by_deltas(&table, i32::MAX, 1 << 20);
        }
    }
}
