//! Numbers by which incidents and lines are told apart.

use crate::incident::Incident;
use crate::line::Writer;

/// The same for incidents of a writer that differ in numbers only: steps, times, addresses.
pub fn of_incident(incident: &Incident) -> u64 {
    let blocks = incident.blocks.iter();
    let lines = blocks.flat_map(|block| block.errors.iter().chain(&block.code).chain(&block.calls));
    let writer = match incident.writer {
        Writer::Unknown => 0,
        Writer::Rank(rank) => 1 + 2 * u64::from(rank),
        Writer::Process(pid) => 2 + 2 * u64::from(pid),
    };
    of_lines(lines.map(String::as_bytes)) ^ writer.rotate_right(8)
}

/// A number for lines, of which digits are no part.
pub fn of_lines<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for line in lines {
        for &byte in line.iter().filter(|byte| !byte.is_ascii_digit()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(PRIME);
        }
        hash = (hash ^ u64::from(b'\n')).wrapping_mul(PRIME);
    }
    hash
}
