//! The part of a file that is in memory.

use std::io::Read;

use super::scan::Stop;
use crate::Error;

/// How much is read at once, in bytes.
const BLOCK: usize = 1 << 20;

/// The longest single value that is read, in bytes. Events of profilers have some hundred.
const LONGEST: usize = 64 << 20;

/// The part of a file that is in memory: a value is scanned in it whole, and more is read where it does not end.
pub(super) struct Window<R> {
    input: R,
    bytes: Vec<u8>,
    /// Where the unread part begins.
    at: usize,
    /// How many bytes of the file come before `bytes`.
    before: u64,
    has_ended: bool,
}

impl<R: Read> Window<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            bytes: Vec::with_capacity(2 * BLOCK),
            at: 0,
            before: 0,
            has_ended: false,
        }
    }

    /// The bytes that were not taken yet.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// Takes bytes.
    pub(super) fn take(&mut self, count: usize) {
        self.at += count;
    }

    /// How many bytes of the file were taken.
    pub(super) fn offset(&self) -> u64 {
        self.before + self.at as u64
    }

    /// Scans what comes next, reading as much as it needs; `None` if the file ends in the middle of it.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is malformed, or has a value that is too long.
    pub(super) fn scan<T>(
        &mut self,
        mut scan: impl FnMut(&[u8]) -> Result<T, Stop>,
    ) -> Result<Option<T>, Error> {
        loop {
            match scan(self.rest()) {
                Ok(found) => return Ok(Some(found)),
                Err(Stop::Bad(at, what)) => {
                    return Err(Error::Json {
                        at: self.offset() + at as u64,
                        what,
                    });
                }
                Err(Stop::More) if self.has_ended => return Ok(None),
                Err(Stop::More) => self.read()?,
            }
        }
    }

    /// Reads another block; as much again as is there already, so that a long value is not scanned from its begin too often.
    fn read(&mut self) -> Result<(), Error> {
        self.bytes.drain(..self.at);
        self.before += self.at as u64;
        self.at = 0;
        let have = self.bytes.len();
        if have > LONGEST {
            return Err(Error::Json {
                at: self.before,
                what: "a single value is longer than 64 MB",
            });
        }
        let wanted = BLOCK.max(have) as u64;
        let read = self
            .input
            .by_ref()
            .take(wanted)
            .read_to_end(&mut self.bytes);
        match read {
            Ok(read) => self.has_ended = read == 0,
            // What a killed program left of a compressed file ends so.
            Err(reason) if reason.kind() == std::io::ErrorKind::UnexpectedEof => {
                self.has_ended = true;
            }
            Err(reason) => return Err(reason.into()),
        }
        Ok(())
    }
}
