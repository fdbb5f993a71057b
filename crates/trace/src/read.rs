//! From bytes to records.

use std::fs;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use cgsan_files::Unread as UnreadFile;

use crate::format::{
    COMMITTED_OFFSET, FLAG_STOPPED, FLAGS_OFFSET, HEADER_LENGTH, RECORD_HEADER_LENGTH, SIGNATURE,
    VERSION,
};
use crate::wire::{Input, Unread, Wire};
use crate::{Entry, ProcessInfo, Record};

/// Bytes of the largest record that is read from a file. A stack, a name or an operator has some thousands.
const LARGEST_RECORD: u32 = 256 << 20;

/// How many bytes are read from a file at once.
const BUFFER: usize = 64 << 10;

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
        "it has format {found}, and this cgsan reads format {VERSION}; read it with the cgsan that recorded it, or record it again"
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

/// A trace in a file, behind its header.
pub(crate) struct File<'p> {
    path: &'p Path,
    pub header: Header,
    pub records: Records<BufReader<fs::File>>,
    /// How many bytes there are.
    pub bytes: u64,
}

impl<'p> File<'p> {
    pub fn open(path: &'p Path) -> Result<File<'p>, ReadError> {
        let unread = |source| ReadError::Io {
            path: path.to_owned(),
            source,
        };
        let io_error = |error: io::Error| unread(error.into());
        let file = cgsan_files::open(path).map_err(unread)?;
        let bytes = file.metadata().map_err(io_error)?.len();
        let mut file = BufReader::with_capacity(BUFFER, file);
        let mut header = Vec::with_capacity(HEADER_LENGTH);
        let taken = file.by_ref().take(HEADER_LENGTH as u64);
        { taken }.read_to_end(&mut header).map_err(io_error)?;
        let header = Header::parse(&header).map_err(|source| ReadError::Parse {
            path: path.to_owned(),
            source,
        })?;
        Ok(File {
            path,
            records: Records::new(file, &header),
            header,
            bytes,
        })
    }

    /// What was made of the records, unless the file could not be read.
    pub fn read<T>(
        mut self,
        made: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ReadError> {
        let made = made(&mut self);
        let path = self.path.to_owned();
        match self.records.failed {
            Some(error) => Err(ReadError::Io {
                path,
                source: error.into(),
            }),
            None => made.map_err(|source| ReadError::Parse { path, source }),
        }
    }
}

/// Whether the process that the trace at `path` is of used CUDA, as [`Record::is_of_cuda`] tells. Reads no further than to the first
/// such record.
///
/// # Errors
///
/// As [`Trace::read`](crate::Trace::read).
pub fn uses_cuda(path: &Path) -> Result<bool, ReadError> {
    let is_of_cuda =
        |read| matches!(read, Ok::<Entry, Unknown>(entry) if entry.record.is_of_cuda());
    File::open(path)?.read(|file| Ok(file.records.any(is_of_cuda)))
}

/// What the trace at `path` says first, of its process. Reads no further.
///
/// # Errors
///
/// As [`Trace::read`](crate::Trace::read).
pub fn read_process(path: &Path) -> Result<ProcessInfo, ReadError> {
    File::open(path)?.read(|file| match file.records.next() {
        Some(Ok(Entry {
            record: Record::Process(process),
            ..
        })) => Ok(process),
        _ => Err(ParseError::NoRecord),
    })
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
    let records = Records::new(&bytes[HEADER_LENGTH..], &header);
    Ok(records.filter_map(Result::ok).collect())
}

/// What the header of a trace says.
pub(crate) struct Header {
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
        if version != VERSION {
            return Err(ParseError::Version { found: version });
        }
        let flags = u32_at(header, FLAGS_OFFSET).ok_or(truncated)?;
        let committed = header[COMMITTED_OFFSET..]
            .first_chunk::<8>()
            .ok_or(truncated)?;
        Ok(Header {
            stopped: flags & FLAG_STOPPED != 0,
            committed: u64::from_le_bytes(*committed),
        })
    }
}

/// A record of a kind, or with something in it, that only a newer cgsan knows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unknown;

/// The records after a header, in order, up to the first that is not whole. No length that a file names is trusted: a foreign or
/// damaged one takes no more memory than the records that it really holds.
pub(crate) struct Records<R> {
    from: R,
    /// How many committed bytes are still to come.
    left: u64,
    offset: usize,
    payload: Vec<u8>,
    /// Why no more could be read.
    failed: Option<io::Error>,
}

impl<R: Read> Records<R> {
    /// The committed records that follow a header.
    pub fn new(from: R, header: &Header) -> Records<R> {
        Records {
            from,
            left: header.committed,
            offset: HEADER_LENGTH,
            payload: Vec::new(),
            failed: None,
        }
    }

    /// Where in the file the next record begins, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Whether everything that the writer committed was read.
    pub fn at_end(&self) -> bool {
        self.left == 0
    }

    /// Reads the payload of the next record. Whether all of it is there and as it was written.
    fn next_payload(&mut self) -> io::Result<bool> {
        let mut head = [0; RECORD_HEADER_LENGTH];
        if self.left < head.len() as u64 || !fill(&mut self.from, &mut head)? {
            return Ok(false);
        }
        let [Some(length), Some(checksum)] = [u32_at(&head, 0), u32_at(&head, 4)] else {
            return Ok(false);
        };
        let left = self.left - head.len() as u64;
        if length == 0 || length > LARGEST_RECORD || u64::from(length) > left {
            return Ok(false);
        }
        self.payload.clear();
        if length as usize <= BUFFER {
            self.payload.resize(length as usize, 0);
            if !fill(&mut self.from, &mut self.payload)? {
                return Ok(false);
            }
        } else {
            let payload = self.from.by_ref().take(u64::from(length));
            { payload }.read_to_end(&mut self.payload)?;
        }
        Ok(self.payload.len() == length as usize && crc32fast::hash(&self.payload) == checksum)
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<Entry, Unknown>;

    fn next(&mut self) -> Option<Self::Item> {
        let is_whole = self.next_payload().unwrap_or_else(|error| {
            self.failed = Some(error);
            false
        });
        if !is_whole {
            return None;
        }
        let entry = match Entry::read(&mut Input::new(&self.payload)) {
            Ok(entry) => Ok(entry),
            Err(Unread::Unknown) => Err(Unknown),
            Err(Unread::Damaged) => return None,
        };
        let length = RECORD_HEADER_LENGTH + self.payload.len();
        self.offset += length;
        self.left -= length as u64;
        Some(entry)
    }
}

/// Reads as many bytes as there is room for. Whether there were so many.
fn fill(from: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    let bytes = bytes.get(offset..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*bytes))
}
