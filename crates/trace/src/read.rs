//! From bytes to records.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::format::{
    COMMITTED_OFFSET, FLAG_STOPPED, FLAGS_OFFSET, HEADER_LENGTH, RECORD_HEADER_LENGTH, SIGNATURE,
    VERSION,
};
use crate::wire::{Input, Unread, Wire};
use crate::{Entry, previous};

/// Why a file could not be read as a trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The operating system would not give its contents.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Its contents are not a trace that this cgsan can read.
    #[error("cannot read {} as a trace: {source}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ParseError,
    },
}

/// Why bytes are not a trace that this cgsan can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// They begin like a trace and end within its header.
    #[error(
        "it ends after {length} bytes, within the header; copy it again or record it again with `cgsan run --save`"
    )]
    Truncated {
        /// How many bytes there are.
        length: usize,
    },
    /// They do not begin like a trace.
    #[error("it is not a trace of cgsan; give a file that `cgsan run --save` wrote")]
    Foreign,
    /// Another version of cgsan wrote them.
    #[error(
        "it has format {found}, and this cgsan reads formats {} and {VERSION}; read it with the cgsan that recorded it, or record it again",
        previous::VERSION
    )]
    Version {
        /// The version that the header names.
        found: u32,
    },
    /// The header is whole, and what follows does not begin with a readable description of the process.
    #[error(
        "it holds no readable record; the process ended before its first one, or the file is damaged: record it again with `cgsan run --save`"
    )]
    NoRecord,
}

/// The bytes of the trace at `path`.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, ReadError> {
    let io_error = |source| ReadError::Io {
        path: path.to_owned(),
        source,
    };
    let mut file = File::open(path).map_err(io_error)?;
    // The signature is checked before the rest is read, so that an endless or huge foreign file is refused at once.
    let mut bytes = Vec::new();
    (&mut file)
        .take(HEADER_LENGTH as u64)
        .read_to_end(&mut bytes)
        .map_err(io_error)?;
    Header::parse(&bytes).map_err(|source| ReadError::Parse {
        path: path.to_owned(),
        source,
    })?;
    file.read_to_end(&mut bytes).map_err(io_error)?;
    Ok(bytes)
}

/// Every record of a trace's file as it stands there, definitions included: what [`encode_all`](crate::format::encode_all)
/// writes.
///
/// # Errors
///
/// When the bytes are not a trace. Records of kinds that only a newer cgsan knows are left out, and so are those behind the
/// first damaged one.
pub fn read_records(bytes: &[u8]) -> Result<Vec<Entry>, ParseError> {
    let header = Header::parse(bytes)?;
    Ok(Records::new(bytes, &header)
        .filter_map(Result::ok)
        .collect())
}

/// What the header of a trace says.
pub(crate) struct Header {
    /// The version of the format: this build's or the one before it.
    pub version: u32,
    /// Whether recording stopped before the process ended.
    pub stopped: bool,
    /// How many bytes of whole records follow.
    pub committed: u64,
}

impl Header {
    pub fn parse(bytes: &[u8]) -> Result<Header, ParseError> {
        let common = bytes.len().min(SIGNATURE.len());
        if bytes.is_empty() || bytes[..common] != SIGNATURE[..common] {
            return Err(ParseError::Foreign);
        }
        let truncated = ParseError::Truncated {
            length: bytes.len(),
        };
        let header = bytes
            .first_chunk::<HEADER_LENGTH>()
            .ok_or(truncated)?
            .as_slice();
        let version = u32_at(header, SIGNATURE.len()).ok_or(truncated)?;
        if ![previous::VERSION, VERSION].contains(&version) {
            return Err(ParseError::Version { found: version });
        }
        let flags = u32_at(header, FLAGS_OFFSET).ok_or(truncated)?;
        let committed = header[COMMITTED_OFFSET..]
            .first_chunk::<8>()
            .ok_or(truncated)?;
        Ok(Header {
            version,
            stopped: flags & FLAG_STOPPED != 0,
            committed: u64::from_le_bytes(*committed),
        })
    }
}

/// A record of a kind, or with something in it, that only a newer cgsan knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknown;

/// The records after a header, in order, up to the first that is not whole.
pub(crate) struct Records<'a> {
    bytes: &'a [u8],
    position: usize,
    decode: fn(&[u8]) -> Result<Entry, Unread>,
}

impl<'a> Records<'a> {
    /// The committed records of a file.
    pub fn new(file: &'a [u8], header: &Header) -> Records<'a> {
        let committed = usize::try_from(header.committed).unwrap_or(usize::MAX);
        let end = HEADER_LENGTH.saturating_add(committed).min(file.len());
        Records {
            bytes: &file[..end],
            position: HEADER_LENGTH.min(end),
            decode: match header.version {
                previous::VERSION => previous::entry,
                _ => |payload| Entry::read(&mut Input::new(payload)),
            },
        }
    }

    /// Where in the file the next record begins, in bytes.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Whether everything that the writer committed was read.
    pub fn at_end(&self, header: &Header) -> bool {
        (self.position - HEADER_LENGTH) as u64 == header.committed
    }

    fn next_payload(&self) -> Option<&'a [u8]> {
        let length = u32_at(self.bytes, self.position)? as usize;
        let checksum = u32_at(self.bytes, self.position + 4)?;
        let start = self.position + RECORD_HEADER_LENGTH;
        let payload = self.bytes.get(start..start.checked_add(length)?)?;
        (crc32fast::hash(payload) == checksum).then_some(payload)
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Entry, Unknown>;

    fn next(&mut self) -> Option<Self::Item> {
        let payload = self.next_payload()?;
        let entry = match (self.decode)(payload) {
            Ok(entry) => Ok(entry),
            Err(Unread::Unknown) => Err(Unknown),
            Err(Unread::Damaged) => return None,
        };
        self.position += RECORD_HEADER_LENGTH + payload.len();
        Some(entry)
    }
}

fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let bytes = bytes.get(offset..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*bytes))
}
