//! The documents that are open in the editor, and the places of findings in them and elsewhere.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use gen_lsp_types as lsp;

use crate::checker::Checker;
use crate::text::{Encoding, Text};
use crate::uri;

/// An open document.
#[derive(Debug)]
pub struct Document {
    /// Its address as the client writes it.
    pub uri: lsp::Uri,
    /// The version of its text.
    pub version: i32,
    /// Its text.
    pub text: Text,
}

/// The open documents, by path.
pub type Documents = BTreeMap<PathBuf, Document>;

/// Finds places in files, open or not.
pub struct Places<'a> {
    documents: &'a Documents,
    checker: &'a Checker<'a>,
    encoding: Encoding,
    /// The files that are not open, as far as they were asked for.
    closed: BTreeMap<PathBuf, Text>,
}

impl<'a> Places<'a> {
    /// For these documents, and files that the linter has read.
    pub fn new(documents: &'a Documents, checker: &'a Checker<'a>, encoding: Encoding) -> Self {
        Self {
            documents,
            checker,
            encoding,
            closed: BTreeMap::new(),
        }
    }

    /// The text of a file.
    pub fn text(&mut self, path: &Path) -> &Text {
        if let Some(document) = self.documents.get(path) {
            return &document.text;
        }
        self.closed.entry(path.to_owned()).or_insert_with(|| {
            let text = self.checker.text(path).unwrap_or_default();
            Text::new(text.to_owned())
        })
    }

    /// A range of bytes of a file.
    pub fn range(&mut self, path: &Path, bytes: &Range<usize>) -> lsp::Range {
        let encoding = self.encoding;
        self.text(path).range(bytes, encoding)
    }

    /// The address of a file.
    pub fn uri(&self, path: &Path) -> lsp::Uri {
        self.documents
            .get(path)
            .map_or_else(|| uri::from_path(path), |document| document.uri.clone())
    }

    /// The version of a file's text, if it is open.
    pub fn version(&self, path: &Path) -> Option<i32> {
        self.documents.get(path).map(|document| document.version)
    }
}
