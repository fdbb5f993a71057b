//! The calls that have not returned, as a watched process shows them while it runs: a file beside its trace, which it maps.
//!
//! ```text
//! slot   8 bytes    0 while it is free; else the thread's number (upper half) and a number that no other call has
//!        56 bytes   the function, with zeros behind it
//! slot   …
//! ```
//!
//! Only calls that may block are in it, each for as long as it lasts. The last slot is for a thread that reads again and again, at
//! one place, a truth value that no kernel computed: each read is another call there.

/// How many slots there are. Calls beyond them are not shown.
pub const SLOTS: usize = 64;

/// The bytes of a slot.
pub const SLOT_LENGTH: usize = 64;

/// The name in the last slot.
pub const UNCOMPUTED: &str = "a truth value that nothing computes";

/// The name of a function of the program's that a stream calls: those that wait for the stream wait for it.
pub const HOST_FUNCTION: &str = "a host function of a stream";

/// The name of a computation on the virtual GPU, which is done in a thread that waits for it or in one of cgsan's: it goes on, however
/// little of a busy machine it gets.
pub const COMPUTES: &str = "what an operator computes";

/// Where in a slot the name of the function begins.
pub const NAME_OFFSET: usize = 8;

/// The bytes of the file.
pub const LENGTH: usize = SLOTS * SLOT_LENGTH;

/// The file of a process.
pub fn file_name(pid: u32) -> String {
    format!("waits-{pid}")
}

/// The first word of a slot that a call is in.
pub fn word(thread: u32, call: u32) -> u64 {
    u64::from(thread) << 32 | u64::from(call)
}

/// A call that has not returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The thread, by the number that `gettid` returns.
    pub thread: u32,
    /// Which of the process's calls it is.
    pub call: u32,
    /// The function.
    pub name: String,
}

/// The calls in the bytes of a file, in the order in which they began.
pub fn parse(bytes: &[u8]) -> Vec<Wait> {
    let slots = bytes.chunks_exact(SLOT_LENGTH).take(SLOTS);
    let mut waits: Vec<Wait> = slots.filter_map(wait).collect();
    waits.sort_by_key(|wait| wait.call);
    waits
}

fn wait(slot: &[u8]) -> Option<Wait> {
    let (word, name) = slot.split_first_chunk::<8>()?;
    let word = u64::from_le_bytes(*word);
    let length = name.iter().position(|byte| *byte == 0);
    let name = &name[..length.unwrap_or(name.len())];
    (word != 0).then(|| Wait {
        thread: u32::try_from(word >> 32).unwrap_or_default(),
        call: u32::try_from(word & u64::from(u32::MAX)).unwrap_or_default(),
        name: String::from_utf8_lossy(name).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_in_their_order() {
        let mut bytes = vec![0; LENGTH];
        for (slot, (thread, call, name)) in
            [(5, 9, "later"), (7, 8, "first")].into_iter().enumerate()
        {
            let slot = &mut bytes[2 * slot * SLOT_LENGTH..];
            slot[..8].copy_from_slice(&word(thread, call).to_le_bytes());
            slot[8..8 + name.len()].copy_from_slice(name.as_bytes());
        }
        let waits = parse(&bytes);
        let told: Vec<_> = waits
            .iter()
            .map(|it| (it.thread, it.call, it.name.as_str()))
            .collect();
        assert_eq!(told, [(7, 8, "first"), (5, 9, "later")]);
    }

    #[test]
    fn no_bytes_make_it_panic() {
        assert!(parse(&[]).is_empty());
        assert_eq!(parse(&[0xff; LENGTH + 7]).len(), SLOTS);
    }
}
