//! How a trace lies in a file.
//!
//! ```text
//! header   64 bytes   signature (8), version (4), flags (4), committed (8), stands for (8), zeros
//! record   8 bytes    length of the payload (4), CRC-32 of the payload (4)
//!          length     payload: time, thread, tag, and what belongs to a record of this tag
//! record   …
//! ```
//!
//! Numbers are little-endian. `committed` counts the bytes of whole records after the header; the writer raises it after
//! each record, so whoever reads the file while it grows, or after its writer was killed, never sees half a record. What
//! lies behind may be a record being written, or the zeros of a chunk not yet used. `stands for` is zero but in a shorter trace that is
//! offered to a writer.
//!
//! A reader skips a record whose tag it does not know, and ignores what follows the fields that it knows; so new records
//! and new last fields need no new version. The tables in `wire` are what payloads consist of.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use crate::read::Header;
use crate::wire::Wire;
use crate::{Entry, ParseError};

/// The first bytes of every trace. Like PNG's, they show a file that was damaged by a transfer as text.
pub const SIGNATURE: [u8; 8] = *b"\x89cgsan\r\n";

/// The version of the format.
pub const VERSION: u32 = 2;

/// The length of the header in bytes.
pub const HEADER_LENGTH: usize = 64;

/// Where the header keeps its flags (4 bytes).
pub const FLAGS_OFFSET: usize = 12;

/// Where the header keeps the number of committed bytes (8 bytes, aligned).
pub const COMMITTED_OFFSET: usize = 16;

/// Where the header of a shorter trace, that is offered to the writer of a longer one, says how many committed bytes of that it stands
/// for (8 bytes).
pub const STANDS_FOR_OFFSET: usize = 24;

/// The flag of a trace whose recording stopped before the process ended, because of an error (a full disk).
pub const FLAG_STOPPED: u32 = 1;

/// The bytes before each record's payload.
pub const RECORD_HEADER_LENGTH: usize = 8;

/// The header of a trace with no records.
pub fn header() -> [u8; HEADER_LENGTH] {
    let mut header = [0; HEADER_LENGTH];
    header[..8].copy_from_slice(&SIGNATURE);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header
}

/// How many bytes of a trace with this header count, those of the header among them.
pub fn whole_length(header: &[u8; HEADER_LENGTH]) -> u64 {
    let committed = header[COMMITTED_OFFSET..].first_chunk().copied();
    let committed = committed.map_or(0, u64::from_le_bytes);
    committed.saturating_add(HEADER_LENGTH as u64)
}

/// Appends `entry` as a record to `bytes`.
pub fn encode(entry: &Entry, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.extend_from_slice(&[0; RECORD_HEADER_LENGTH]);
    entry.write(bytes);
    let payload = start + RECORD_HEADER_LENGTH;
    let Ok(length) = u32::try_from(bytes.len() - payload) else {
        // A record that is left out is better than a damaged file.
        bytes.truncate(start);
        return;
    };
    let checksum = crc32fast::hash(&bytes[payload..]);
    bytes[start..start + 4].copy_from_slice(&length.to_le_bytes());
    bytes[start + 4..payload].copy_from_slice(&checksum.to_le_bytes());
}

/// A whole trace of `entries`, as a file holds it.
pub fn encode_all<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Vec<u8> {
    let mut bytes = header().to_vec();
    for entry in entries {
        encode(entry, &mut bytes);
    }
    set_committed(&mut bytes);
    bytes
}

/// Appends `entries` to a trace, as a file holds it, in place of what lies behind its committed records. A file that is
/// shorter than what was written stays as it is: what comes behind a damage is not read.
///
/// # Errors
///
/// When the bytes are not a trace of this version.
pub fn append<'a>(
    bytes: &mut Vec<u8>,
    entries: impl IntoIterator<Item = &'a Entry>,
) -> Result<(), ParseError> {
    let header = Header::parse(bytes)?;
    let committed = usize::try_from(header.committed).unwrap_or(usize::MAX);
    let end = HEADER_LENGTH.saturating_add(committed);
    if end > bytes.len() {
        return Ok(());
    }
    bytes.truncate(end);
    for entry in entries {
        encode(entry, bytes);
    }
    set_committed(bytes);
    Ok(())
}

/// Appends `entries` to a trace in its file, as [`append`] does, and gives back the room behind the last record. Until the last step,
/// which no reader sees half of, the file is the trace that it was. Nobody else may write it.
///
/// # Errors
///
/// When the file cannot be written, or is not a trace of this version.
pub fn append_to_file<'a>(
    file: &File,
    entries: impl IntoIterator<Item = &'a Entry>,
) -> io::Result<()> {
    let mut header = [0; HEADER_LENGTH];
    file.read_exact_at(&mut header, 0)?;
    let header = Header::parse(&header).map_err(io::Error::other)?;
    let end = (HEADER_LENGTH as u64).saturating_add(header.committed);
    if end > file.metadata()?.len() {
        return Ok(());
    }
    file.set_len(end)?;
    let mut bytes = Vec::new();
    for entry in entries {
        encode(entry, &mut bytes);
    }
    if bytes.is_empty() {
        return Ok(());
    }
    file.write_all_at(&bytes, end)?;
    // The records reach the disk before they count, also where the machine loses its power.
    file.sync_data()?;
    let committed = header.committed + bytes.len() as u64;
    file.write_all_at(&committed.to_le_bytes(), COMMITTED_OFFSET as u64)
}

/// Counts all bytes after the header as committed.
pub(crate) fn set_committed(bytes: &mut [u8]) {
    let committed = (bytes.len() - HEADER_LENGTH) as u64;
    bytes[COMMITTED_OFFSET..COMMITTED_OFFSET + 8].copy_from_slice(&committed.to_le_bytes());
}
