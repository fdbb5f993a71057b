//! Bytes that a collective takes from memory and puts there.
#![expect(unsafe_code, reason = "reads and writes the memory of the program")]

use super::backing::pointer;
use super::{table, written};

/// The bytes at an address; `None` if no memory of a GPU is there.
pub fn read(start: u64, bytes: usize) -> Option<Vec<u8>> {
    check(start, bytes)?;
    // SAFETY: the memory is there, and the program promises it for the collective, as it does to the real library.
    Some(unsafe { std::slice::from_raw_parts(pointer::<u8>(start), bytes) }.to_vec())
}

/// Puts bytes at an address; `None` if no memory of a GPU is there.
pub fn write(start: u64, bytes: &[u8]) -> Option<()> {
    let end = check(start, bytes.len())?;
    written::note(start, end);
    // SAFETY: as above; the bytes are no memory of the program.
    unsafe { pointer::<u8>(start).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    Some(())
}

/// The end of a range of the GPU's memory.
fn check(start: u64, bytes: usize) -> Option<u64> {
    let end = start.checked_add(bytes as u64)?;
    let table = table::lock();
    (table.find(start).is_some() && table.holds(start, end)).then_some(end)
}
