//! Notebooks that are open in the editor: a list of cells, each with a text of its own.

use std::collections::BTreeMap;

use gen_lsp_types as lsp;
use serde_json::json;

use crate::documents::TextDocument;
use crate::text::Encoding;

/// An open notebook.
#[derive(Debug)]
pub struct Notebook {
    /// Its address as the client writes it.
    pub uri: lsp::Uri,
    /// Its cells, in order.
    cells: Vec<Cell>,
    /// The texts of the cells, by address.
    texts: BTreeMap<String, CellText>,
}

#[derive(Debug)]
struct Cell {
    uri: lsp::Uri,
    is_code: bool,
}

#[derive(Debug)]
struct CellText {
    document: TextDocument,
    is_python: bool,
}

impl Notebook {
    /// A notebook that was opened.
    pub fn new(notebook: lsp::NotebookDocument, texts: Vec<lsp::TextDocumentItem>) -> Self {
        Self {
            uri: notebook.uri,
            cells: notebook.cells.into_iter().map(cell).collect(),
            texts: texts.into_iter().map(text).collect(),
        }
    }

    /// Follows a change: cells that come, go and change their places or kinds, and then their texts.
    pub fn change(&mut self, change: lsp::NotebookDocumentCellChanges, encoding: Encoding) {
        if let Some(structure) = change.structure {
            let place = |at: u32, most: usize| usize::try_from(at).map_or(most, |it| it.min(most));
            let array = structure.array;
            let start = place(array.start, self.cells.len());
            let end = start + place(array.delete_count, self.cells.len() - start);
            let new = array.cells.unwrap_or_default().into_iter().map(cell);
            self.cells.splice(start..end, new);
            for closed in structure.did_close.unwrap_or_default() {
                self.texts.remove(&closed.uri.0);
            }
            let opened = structure.did_open.unwrap_or_default();
            self.texts.extend(opened.into_iter().map(text));
        }
        for changed in change.data.into_iter().flatten() {
            let changed = cell(changed);
            if let Some(cell) = self.cells.iter_mut().find(|it| it.uri == changed.uri) {
                *cell = changed;
            }
        }
        for changed in change.text_content.into_iter().flatten() {
            let document = changed.document;
            let uri = document.text_document_identifier.uri;
            if let Some(text) = self.texts.get_mut(&uri.0) {
                text.document
                    .change(document.version, changed.changes, encoding);
            }
        }
    }

    /// The cells that the client shows a text of, in order.
    pub fn shown(&self) -> impl Iterator<Item = &TextDocument> {
        let text = |cell: &Cell| self.texts.get(&cell.uri.0).map(|it| &it.document);
        self.cells.iter().filter_map(text)
    }

    /// The text of a cell, by its position among all.
    pub fn text(&self, number: usize) -> Option<&TextDocument> {
        let uri = &self.cells.get(number)?.uri;
        self.texts.get(&uri.0).map(|it| &it.document)
    }

    /// The position of a cell among all, and its text.
    pub fn cell(&self, uri: &lsp::Uri) -> Option<(usize, &TextDocument)> {
        let number = self.cells.iter().position(|it| it.uri == *uri)?;
        Some((number, self.text(number)?))
    }

    /// The notebook as a file, as far as the linter needs it, in which some cells, by position, have another text. Cells
    /// that hold no Python are there, too, so that positions agree.
    pub fn file(&self, other: &BTreeMap<usize, String>) -> String {
        let cells = self.cells.iter().enumerate().map(|(number, cell)| {
            let text = self.texts.get(&cell.uri.0);
            match text.filter(|text| cell.is_code && text.is_python) {
                Some(text) => {
                    let own = text.document.text.as_str();
                    let source = other.get(&number).map_or(own, String::as_str);
                    json!({
                        "cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": source,
                    })
                }
                None => json!({"cell_type": "raw", "metadata": {}, "source": ""}),
            }
        });
        let cells: Vec<_> = cells.collect();
        json!({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}).to_string()
    }
}

fn cell(cell: lsp::NotebookCell) -> Cell {
    Cell {
        uri: cell.document,
        is_code: cell.kind == lsp::NotebookCellKind::Code,
    }
}

fn text(document: lsp::TextDocumentItem) -> (String, CellText) {
    let is_python = document.language_id == lsp::LanguageKind::Python;
    let uri = document.uri.0.clone();
    let document = TextDocument::new(document);
    (
        uri,
        CellText {
            document,
            is_python,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn notebook(cells: &[(&str, u32, &str, &str)]) -> Notebook {
        let list: Vec<Value> = cells
            .iter()
            .map(|(uri, kind, _, _)| json!({"kind": kind, "document": uri}))
            .collect();
        let notebook = json!({"uri": "file:///a.ipynb", "notebookType": "jupyter-notebook", "version": 1, "cells": list});
        let texts = cells.iter().map(|(uri, _, language, text)| {
            json!({"uri": uri, "languageId": language, "version": 1, "text": text})
        });
        Notebook::new(
            serde_json::from_value(notebook).expect("a notebook"),
            texts
                .map(|it| serde_json::from_value(it).expect("a text"))
                .collect(),
        )
    }

    fn change(notebook: &mut Notebook, change: Value) {
        let change = serde_json::from_value(change).expect("a change");
        notebook.change(change, Encoding::Utf16);
    }

    /// The sources of the cells that are code.
    fn code(notebook: &Notebook) -> Vec<String> {
        let file: Value = serde_json::from_str(&notebook.file(&BTreeMap::new())).expect("JSON");
        let cells = file["cells"].as_array().expect("a list").iter();
        cells
            .filter(|it| it["cell_type"] == "code")
            .map(|it| it["source"].as_str().expect("a text").to_owned())
            .collect()
    }

    #[test]
    fn only_code_in_python_is_code() {
        let notebook = notebook(&[
            ("c:1", 2, "python", "a"),
            ("c:2", 1, "markdown", "b"),
            ("c:3", 2, "sql", "c"),
            ("c:4", 1, "python", "d"),
        ]);
        assert_eq!(code(&notebook), ["a"]);
        assert_eq!(notebook.shown().count(), 4);
    }

    #[test]
    fn cells_come_go_and_move() {
        let mut it = notebook(&[("c:1", 2, "python", "a"), ("c:2", 2, "python", "b")]);
        let new = json!({"uri": "c:3", "languageId": "python", "version": 1, "text": "c"});
        change(
            &mut it,
            json!({"structure": {
                "array": {"start": 1, "deleteCount": 0, "cells": [{"kind": 2, "document": "c:3"}]},
                "didOpen": [new],
            }}),
        );
        assert_eq!(code(&it), ["a", "c", "b"]);
        // The first goes to the end.
        let cells = json!([{"kind": 2, "document": "c:3"}, {"kind": 2, "document": "c:2"}, {"kind": 2, "document": "c:1"}]);
        change(
            &mut it,
            json!({"structure": {"array": {"start": 0, "deleteCount": 3, "cells": cells}}}),
        );
        assert_eq!(code(&it), ["c", "b", "a"]);
        change(
            &mut it,
            json!({"structure": {"array": {"start": 1, "deleteCount": 9}, "didClose": [{"uri": "c:2"}]}}),
        );
        assert_eq!(code(&it), ["c"]);
    }

    #[test]
    fn a_cell_changes_its_kind_its_language_and_its_text() {
        let mut it = notebook(&[("c:1", 2, "python", "a"), ("c:2", 2, "python", "b")]);
        change(&mut it, json!({"data": [{"kind": 1, "document": "c:1"}]}));
        assert_eq!(code(&it), ["b"]);
        change(&mut it, json!({"data": [{"kind": 2, "document": "c:1"}]}));
        let range =
            json!({"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 1}});
        change(
            &mut it,
            json!({"textContent": [{
                "document": {"uri": "c:1", "version": 5},
                "changes": [{"range": range, "text": "bc"}],
            }]}),
        );
        assert_eq!(code(&it), ["abc", "b"]);
        assert_eq!(it.text(0).map(|it| it.version), Some(5));
        let other = json!({"uri": "c:2", "languageId": "r", "version": 1, "text": "b"});
        let same = json!({"start": 1, "deleteCount": 1, "cells": [{"kind": 2, "document": "c:2"}]});
        change(
            &mut it,
            json!({"structure": {"array": same, "didClose": [{"uri": "c:2"}], "didOpen": [other]}}),
        );
        assert_eq!(code(&it), ["abc"]);
    }

    #[test]
    fn what_does_not_fit_is_left_alone() {
        let mut it = notebook(&[("c:1", 2, "python", "a")]);
        change(
            &mut it,
            json!({
                "structure": {"array": {"start": 7, "deleteCount": 4_000_000_000_u32}},
                "data": [{"kind": 2, "document": "c:9"}],
                "textContent": [{"document": {"uri": "c:9", "version": 1}, "changes": [{"text": "x"}]}],
            }),
        );
        assert_eq!(code(&it), ["a"]);
    }
}
