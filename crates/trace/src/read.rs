//! From bytes to records.

use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use cgsan_files::Unread as UnreadFile;

use crate::format::{
    COMMITTED_OFFSET, FLAG_STOPPED, FLAGS_OFFSET, HEADER_LENGTH, RECORD_HEADER_LENGTH, SIGNATURE,
    VERSION,
};
use crate::wire::{Input, Unread, Wire};
use crate::{Entry, ProcessInfo, Record, previous};

/// Bytes of the largest record that is read from a file. A stack, a name or an operator has some thousands.
const LARGEST_RECORD: u32 = 256 << 20;

/// Why a file could not be read as a trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The operating system would not give its contents.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: UnreadFile,
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

/// The bytes of the trace at `path`, up to the first record that is not whole: no length that the file names is trusted, so that
/// a foreign or damaged file takes no more memory than the records that it really holds.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, ReadError> {
    let unread = |source| ReadError::Io {
        path: path.to_owned(),
        source,
    };
    let io_error = |error: io::Error| unread(error.into());
    let mut file = BufReader::new(cgsan_files::open(path).map_err(unread)?);
    let mut bytes = Vec::new();
    take(&mut file, HEADER_LENGTH, &mut bytes).map_err(io_error)?;
    let header = Header::parse(&bytes).map_err(|source| ReadError::Parse {
        path: path.to_owned(),
        source,
    })?;
    loop {
        let start = bytes.len();
        if (start - HEADER_LENGTH) as u64 >= header.committed {
            return Ok(bytes);
        }
        take(&mut file, RECORD_HEADER_LENGTH, &mut bytes).map_err(io_error)?;
        let Some(length) = u32_at(&bytes, start) else {
            return Ok(bytes);
        };
        if length > LARGEST_RECORD {
            return Ok(bytes);
        }
        take(&mut file, length as usize, &mut bytes).map_err(io_error)?;
        let record = bytes.get(start..).unwrap_or_default();
        if length == 0 || whole_payload(record, 0).is_none() {
            return Ok(bytes);
        }
    }
}

/// What the trace at `path` says first, of its process. Reads no further.
///
/// # Errors
///
/// As [`Trace::read`](crate::Trace::read).
pub fn read_process(path: &Path) -> Result<ProcessInfo, ReadError> {
    let unread = |source| ReadError::Io {
        path: path.to_owned(),
        source,
    };
    let mut file = BufReader::new(cgsan_files::open(path).map_err(unread)?);
    let mut bytes = Vec::new();
    for length in [HEADER_LENGTH, RECORD_HEADER_LENGTH] {
        take(&mut file, length, &mut bytes).map_err(|error| unread(error.into()))?;
    }
    let length = u32_at(&bytes, HEADER_LENGTH).unwrap_or_default();
    let length = length.min(LARGEST_RECORD) as usize;
    take(&mut file, length, &mut bytes).map_err(|error| unread(error.into()))?;
    let parsed =
        Header::parse(&bytes).and_then(|header| match Records::new(&bytes, &header).next() {
            Some(Ok(Entry {
                record: Record::Process(process),
                ..
            })) => Ok(process),
            _ => Err(ParseError::NoRecord),
        });
    parsed.map_err(|source| ReadError::Parse {
        path: path.to_owned(),
        source,
    })
}

/// Appends the next `length` bytes, or what there is of them.
fn take(from: &mut impl Read, length: usize, to: &mut Vec<u8>) -> io::Result<usize> {
    from.take(length as u64).read_to_end(to)
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
}

impl Iterator for Records<'_> {
    type Item = Result<Entry, Unknown>;

    fn next(&mut self) -> Option<Self::Item> {
        let payload = whole_payload(self.bytes, self.position)?;
        let entry = match (self.decode)(payload) {
            Ok(entry) => Ok(entry),
            Err(Unread::Unknown) => Err(Unknown),
            Err(Unread::Damaged) => return None,
        };
        self.position += RECORD_HEADER_LENGTH + payload.len();
        Some(entry)
    }
}

/// The payload of the record at `position`, if all of it is there and as it was written.
fn whole_payload(bytes: &[u8], position: usize) -> Option<&[u8]> {
    let length = u32_at(bytes, position)? as usize;
    let checksum = u32_at(bytes, position + 4)?;
    let start = position + RECORD_HEADER_LENGTH;
    let payload = bytes.get(start..start.checked_add(length)?)?;
    (crc32fast::hash(payload) == checksum).then_some(payload)
}

fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let bytes = bytes.get(offset..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*bytes))
}
