//! Bytes whose source is not trusted.

use super::Wire;

/// How deep lists may lie in lists: reading them takes stack.
const DEEPEST: u32 = 32;

/// Room for so many elements is made at once: an element may take much more memory than bytes.
const FEW: usize = 16;

/// Why a record could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It has a tag that a newer version of cgsan gave out.
    Unknown,
    /// It is not what a writer of any version wrote.
    Damaged,
}

/// What is still to be read of a payload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    depth: u32,
}

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes, depth: 0 }
    }

    /// Whether everything was read.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Everything that was not read.
    pub fn rest(self) -> &'a [u8] {
        self.bytes
    }

    /// The next byte.
    pub fn byte(&mut self) -> Result<u8, Unread> {
        let (first, rest) = self.bytes.split_first().ok_or(Unread::Damaged)?;
        self.bytes = rest;
        Ok(*first)
    }

    /// The next `length` bytes.
    pub fn bytes(&mut self, length: usize) -> Result<&'a [u8], Unread> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(Unread::Damaged)?;
        self.bytes = rest;
        Ok(taken)
    }

    /// A length, and then so many bytes.
    pub fn block(&mut self) -> Result<Input<'a>, Unread> {
        let length = self.length()?;
        let bytes = self.bytes(length)?;
        Ok(Input { bytes, ..*self })
    }

    /// A number of elements, and then the elements.
    pub fn list<T>(
        &mut self,
        read: impl Fn(&mut Input<'a>) -> Result<T, Unread>,
    ) -> Result<Vec<T>, Unread> {
        let length = self.length()?;
        self.depth += 1;
        // An element takes at least a byte, so a length that was made up is noticed before it costs memory.
        if length > self.bytes.len() || self.depth > DEEPEST {
            return Err(Unread::Damaged);
        }
        let mut list = Vec::with_capacity(length.min(FEW));
        for _ in 0..length {
            list.push(read(self)?);
        }
        self.depth -= 1;
        Ok(list)
    }

    fn length(&mut self) -> Result<usize, Unread> {
        usize::try_from(u64::read(self)?).map_err(|_| Unread::Damaged)
    }
}
