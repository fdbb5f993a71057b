//! Names, each kept once.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

/// The most bytes of names that are kept. A file whose names are all different would otherwise be kept whole.
const MOST_BYTES: usize = 64 << 20;

/// What stands for a name that no longer fits.
const LEFT_OUT: &str = "(name left out)";

/// A name of a [`Timeline`](crate::Timeline).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(u32);

impl NameId {
    /// Its number: names are numbered from 0 in the order in which they were first seen.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The names of kernels, calls, ranges and functions, each once.
#[derive(Debug, Default)]
pub struct Names {
    texts: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, NameId>,
    bytes: usize,
}

impl Names {
    /// The id of a name, which is kept if it is new. Beyond a limit, new names are one.
    pub fn id(&mut self, name: &str) -> NameId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let name = if self.bytes + name.len() > MOST_BYTES || self.texts.len() >= 1 << 24 {
            LEFT_OUT
        } else {
            name
        };
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = NameId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.bytes += name.len();
        self.texts.push(name.into());
        self.ids.insert(name.into(), id);
        id
    }

    /// The name with an id; empty for an id of another timeline that has no counterpart here.
    pub fn text(&self, id: NameId) -> &str {
        self.texts.get(id.index()).map_or("", |it| it)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The name of a text in bytes; what is not UTF-8 in it is replaced.
    pub fn id_of_bytes(&mut self, name: &[u8]) -> NameId {
        match String::from_utf8_lossy(name) {
            Cow::Borrowed(name) => self.id(name),
            Cow::Owned(name) => self.id(&name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let mut names = Names::default();
        let one = names.id("gemm");
        assert_eq!(names.id_of_bytes(b"gemm"), one);
        assert_ne!(names.id("relu"), one);
        assert_eq!((names.text(one), names.len()), ("gemm", 2));
    }

    #[test]
    fn names_do_not_grow_without_bound() {
        let mut names = Names::default();
        for number in 0..80 {
            names.id(&format!("{number}{}", "x".repeat(1 << 20)));
        }
        let last = names.id("another");
        assert!(names.bytes <= MOST_BYTES + LEFT_OUT.len());
        assert!(names.len() < 80);
        assert_eq!(names.text(last), "another");
    }
}
