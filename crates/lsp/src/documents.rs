//! The documents that are open in the editor, and the places of findings in them and elsewhere.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cgsan_finding::{Edit, Fix, Location};
use cgsan_lint::Cells;
use gen_lsp_types as lsp;

use crate::checker::Checker;
use crate::notebooks::Notebook;
use crate::text::{Encoding, Text};
use crate::uri;

/// An open file.
#[derive(Debug)]
pub enum Document {
    /// A Python file.
    Text(TextDocument),
    /// A notebook.
    Notebook(Notebook),
}

/// A text that the editor holds: a file, or a cell of a notebook.
#[derive(Debug)]
pub struct TextDocument {
    /// Its address as the client writes it.
    pub uri: lsp::Uri,
    /// The version of its text.
    pub version: i32,
    /// Its text.
    pub text: Text,
}

impl TextDocument {
    /// A text that was opened.
    pub fn new(document: lsp::TextDocumentItem) -> Self {
        Self {
            uri: document.uri,
            version: document.version,
            text: Text::new(document.text),
        }
    }

    /// Follows edits.
    pub fn change(
        &mut self,
        version: i32,
        changes: Vec<lsp::TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        self.version = version;
        for change in changes {
            let (range, text) = match change {
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangePartial(it) => {
                    (Some(it.range), it.text)
                }
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(it) => {
                    (None, it.text)
                }
            };
            self.text.change(range, &text, encoding);
        }
    }
}

impl Document {
    /// The file's contents, as the linter reads them.
    pub fn contents(&self) -> String {
        match self {
            Document::Text(document) => document.text.as_str().to_owned(),
            Document::Notebook(notebook) => notebook.file(&BTreeMap::new()),
        }
    }

    /// The texts in which the client shows it.
    pub fn shown(&self) -> Vec<&TextDocument> {
        match self {
            Document::Text(document) => vec![document],
            Document::Notebook(notebook) => notebook.shown().collect(),
        }
    }
}

/// The open documents, by path.
#[derive(Debug, Default)]
pub struct Documents {
    open: BTreeMap<PathBuf, Document>,
    /// The notebook of each cell, by the cell's address.
    cells: BTreeMap<String, PathBuf>,
}

impl Documents {
    /// The document of a path.
    pub fn get(&self, path: &Path) -> Option<&Document> {
        self.open.get(path)
    }

    /// Whether a path is open.
    pub fn contains(&self, path: &Path) -> bool {
        self.open.contains_key(path)
    }

    /// The paths of all, in order.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.open.keys().map(PathBuf::as_path)
    }

    /// Opens a document, or takes the place of the one that is.
    pub fn insert(&mut self, path: PathBuf, document: Document) {
        self.remove(&path);
        self.index(&path, &document);
        self.open.insert(path, document);
    }

    /// Closes a document.
    pub fn remove(&mut self, path: &Path) -> Option<Document> {
        self.cells.retain(|_, notebook| notebook != path);
        self.open.remove(path)
    }

    /// Follows the edits of a text.
    pub fn change_text(
        &mut self,
        path: &Path,
        version: i32,
        changes: Vec<lsp::TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) -> Option<&Document> {
        let document = self.open.get_mut(path)?;
        if let Document::Text(text) = document {
            text.change(version, changes, encoding);
        }
        Some(document)
    }

    /// Follows a change of a notebook.
    pub fn change_notebook(
        &mut self,
        path: &Path,
        changes: lsp::NotebookDocumentCellChanges,
        encoding: Encoding,
    ) -> Option<&Document> {
        let mut document = self.remove(path)?;
        if let Document::Notebook(notebook) = &mut document {
            notebook.change(changes, encoding);
        }
        self.insert(path.to_owned(), document);
        self.get(path)
    }

    fn index(&mut self, path: &Path, document: &Document) {
        if let Document::Notebook(notebook) = document {
            let addresses = notebook.shown().map(|it| it.uri.0.clone());
            self.cells
                .extend(addresses.map(|address| (address, path.to_owned())));
        }
    }

    /// The file that a text belongs to, the text, and the offset at which it begins in the file's code. `None` if no such
    /// text is open, or if it is no code.
    pub fn find(&self, uri: &lsp::Uri, checker: &Checker) -> Option<(&Path, &TextDocument, usize)> {
        let Some(path) = self.cells.get(&uri.0) else {
            let (path, document) = self.open.get_key_value(&uri::to_text(uri))?;
            return match document {
                Document::Text(text) => Some((path, text, 0)),
                Document::Notebook(_) => None,
            };
        };
        let Document::Notebook(notebook) = self.open.get(path)? else {
            return None;
        };
        let (number, text) = notebook.cell(uri)?;
        Some((path, text, checker.cells(path)?.start_of(number)?))
    }
}

/// Edits of one text.
#[derive(Debug)]
pub struct Change {
    /// The text's address.
    pub uri: lsp::Uri,
    /// The version of the text that they are for, if it is open.
    pub version: Option<i32>,
    /// What is to be replaced by what.
    pub edits: Vec<lsp::TextEdit>,
}

/// Finds places in files, open or not.
pub struct Places<'a> {
    documents: &'a Documents,
    checker: &'a Checker,
    encoding: Encoding,
    /// The files that are not open, as far as they were asked for.
    closed: BTreeMap<PathBuf, Text>,
}

impl<'a> Places<'a> {
    /// For these documents, and files that the linter has read.
    pub fn new(documents: &'a Documents, checker: &'a Checker, encoding: Encoding) -> Self {
        Self {
            documents,
            checker,
            encoding,
            closed: BTreeMap::new(),
        }
    }

    /// Where a place is for the client. In a notebook that is not open: at its beginning, since its cells have no address.
    pub fn location(&mut self, place: &Location) -> lsp::Location {
        let path = place.file.as_path();
        let bytes = &place.bytes().unwrap_or_default();
        match self.documents.get(path) {
            Some(Document::Text(document)) => lsp::Location {
                uri: document.uri.clone(),
                range: document.text.range(bytes, self.encoding),
            },
            Some(Document::Notebook(notebook)) => {
                cell_location(notebook, self.checker.cells(path), bytes, self.encoding)
            }
            None => {
                let uri = uri::from_path(path);
                let range = if self.checker.cells(path).is_some() {
                    lsp::Range::default()
                } else {
                    let encoding = self.encoding;
                    self.closed(path).range(bytes, encoding)
                };
                lsp::Location { uri, range }
            }
        }
    }

    /// The edits of a fix, by text. `None` if they cannot be made there.
    pub fn changes(&mut self, fix: &Fix) -> Option<Vec<Change>> {
        let path = fix.file.as_path();
        let text = match self.documents.get(path) {
            Some(Document::Notebook(notebook)) => {
                let new = self
                    .checker
                    .cells(path)?
                    .edited(self.checker.code(path)?, &[fix])?;
                return new
                    .iter()
                    .map(|(number, text)| {
                        Some(cell_change(notebook.text(*number)?, text, self.encoding))
                    })
                    .collect();
            }
            Some(Document::Text(document)) => &document.text,
            None if self.checker.cells(path).is_some() => return None,
            None => {
                self.closed(path);
                &self.closed[path]
            }
        };
        let edits = fix.edits.iter().map(|edit| lsp::TextEdit {
            range: text.range(&(edit.start..edit.end), self.encoding),
            new_text: edit.text.clone(),
        });
        let edits = edits.collect();
        let (uri, version) = match self.documents.get(path) {
            Some(Document::Text(document)) => (document.uri.clone(), Some(document.version)),
            _ => (uri::from_path(path), None),
        };
        Some(vec![Change {
            uri,
            version,
            edits,
        }])
    }

    /// The code of an open file.
    pub fn open_code(&self, path: &Path) -> Option<Text> {
        match self.documents.get(path)? {
            Document::Text(document) => Some(document.text.clone()),
            Document::Notebook(_) => Some(Text::new(self.checker.code(path)?.to_owned())),
        }
    }

    /// The contents that an open file would have with a fix, as the linter reads them.
    pub fn contents_with(&self, fix: &Fix) -> Option<String> {
        let path = fix.file.as_path();
        match self.documents.get(path)? {
            Document::Text(document) => replaced(document.text.as_str(), &fix.edits),
            Document::Notebook(notebook) => {
                let code = self.checker.code(path)?;
                let new = self.checker.cells(path)?.edited(code, &[fix])?;
                Some(notebook.file(&new))
            }
        }
    }

    fn closed(&mut self, path: &Path) -> &Text {
        self.closed.entry(path.to_owned()).or_insert_with(|| {
            let text = self.checker.code(path).unwrap_or_default();
            Text::new(text.to_owned())
        })
    }
}

/// A text with edits made, which are in order and do not touch each other.
fn replaced(text: &str, edits: &[Edit]) -> Option<String> {
    let mut result = text.to_owned();
    for edit in edits.iter().rev() {
        result.get(edit.start..edit.end)?;
        result.replace_range(edit.start..edit.end, &edit.text);
    }
    Some(result)
}

fn cell_location(
    notebook: &Notebook,
    cells: Option<&Cells>,
    bytes: &Range<usize>,
    encoding: Encoding,
) -> lsp::Location {
    let found = cells.and_then(|cells| cells.at(bytes.start));
    let cell = found.and_then(|(number, code)| Some((notebook.text(number)?, code)));
    if let Some((document, code)) = cell {
        let inside = |offset: usize| offset.clamp(code.start, code.end) - code.start;
        let range = inside(bytes.start)..inside(bytes.end);
        return lsp::Location {
            uri: document.uri.clone(),
            range: document.text.range(&range, encoding),
        };
    }
    // What is wrong with a notebook as a whole is shown in its first cell.
    let first = notebook.shown().next().map(|it| &it.uri);
    lsp::Location {
        uri: first.unwrap_or(&notebook.uri).clone(),
        range: lsp::Range::default(),
    }
}

/// The edit that gives a cell another text: what is the same at its beginning and at its end stays.
fn cell_change(cell: &TextDocument, new: &str, encoding: Encoding) -> Change {
    let old = cell.text.as_str();
    let lengths = |(one, _): (char, char)| one.len_utf8();
    let are_same = |(one, other): &(char, char)| one == other;
    let before: usize = old
        .chars()
        .zip(new.chars())
        .take_while(are_same)
        .map(lengths)
        .sum();
    let behind: usize = old[before..]
        .chars()
        .rev()
        .zip(new[before..].chars().rev())
        .take_while(are_same)
        .map(lengths)
        .sum();
    let edit = lsp::TextEdit {
        range: cell.text.range(&(before..old.len() - behind), encoding),
        new_text: new[before..new.len() - behind].to_owned(),
    };
    Change {
        uri: cell.uri.clone(),
        version: Some(cell.version),
        edits: vec![edit],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cell(text: &str) -> TextDocument {
        TextDocument {
            uri: lsp::Uri("cell:1".to_owned()),
            version: 3,
            text: Text::new(text.to_owned()),
        }
    }

    #[test]
    fn what_is_the_same_in_a_cell_stays() {
        let change = cell_change(
            &cell("x = 1\ny = 2\nz = 3"),
            "x = 1\nz = 3",
            Encoding::Utf16,
        );
        assert_eq!(change.version, Some(3));
        let [edit] = &change.edits[..] else {
            panic!("one edit: {change:?}");
        };
        assert_eq!(edit.new_text, "");
        assert_eq!((edit.range.start.line, edit.range.end.line), (1, 2));
    }

    #[test]
    fn edits_beyond_a_text_are_none() {
        let edit = |start, end| Edit {
            start,
            end,
            text: "-".to_owned(),
        };
        assert_eq!(
            replaced("abc", &[edit(0, 1), edit(2, 3)]).as_deref(),
            Some("-b-")
        );
        assert_eq!(replaced("abc", &[edit(3, 4)]), None);
        assert_eq!(replaced("é", &[edit(1, 2)]), None);
    }

    proptest! {
        #[test]
        fn a_cell_gets_the_text_that_it_is_to_have(
            old in "[aé图😀\n]{0,12}", new in "[aé图😀\n]{0,12}", utf_8 in any::<bool>(),
        ) {
            let encoding = if utf_8 { Encoding::Utf8 } else { Encoding::Utf16 };
            let mut cell = cell(&old);
            for edit in cell_change(&cell, &new, encoding).edits {
                cell.text.change(Some(edit.range), &edit.new_text, encoding);
            }
            prop_assert_eq!(cell.text.as_str(), new);
        }
    }
}
