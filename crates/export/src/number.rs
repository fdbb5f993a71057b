//! The number of a process.

use cgsan_finding::Process;

/// The number of a process, which stays the same wherever and whenever its rows are written: 63 bits of FNV-1a of what tells processes
/// apart.
pub fn number_of(process: &Process) -> i64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let rank = process.rank.map_or(u64::MAX, u64::from);
    let host = process.host.as_deref().unwrap_or_default();
    let numbers = [u64::from(process.pid), rank, process.started];
    let bytes = numbers.into_iter().flat_map(u64::to_le_bytes);
    let hash = bytes.chain(host.bytes()).fold(OFFSET, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    });
    i64::try_from(hash >> 1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_keeps_its_number_and_shares_it_with_none() {
        let process = Process {
            pid: 7,
            rank: Some(3),
            host: Some("node-1".to_owned()),
            ..Process::default()
        };
        assert_eq!(number_of(&process), 731_382_428_102_248_515);
        let other = Process {
            rank: None,
            ..process.clone()
        };
        assert_ne!(number_of(&process), number_of(&other));
    }
}
