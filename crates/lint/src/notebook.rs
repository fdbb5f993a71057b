//! The cells of a notebook, and new code for them: the JSON around the lines that change stays as it is, byte for byte.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use ruff_notebook::Notebook;
use ruff_text_size::TextSize;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::finding::{Edit, Fix};

/// The notebook `json` with the edits of fixes made, which count in the code of its cells. `None` if an edit goes beyond its
/// cell, or if there is no such cell.
pub(crate) fn repaired(json: &str, fixes: &[&Fix]) -> Option<String> {
    let notebook = Notebook::from_source_code(json).ok()?;
    let new = Cells::of(&notebook).edited(notebook.source_code(), fixes)?;
    let sources = sources(json)?;
    let mut result = json.to_owned();
    // From the end on, so that what is before stays where it is.
    for (cell, code) in new.into_iter().rev() {
        replace_source(&mut result, json, sources.get(cell)?, &code)?;
    }
    Some(result)
}

/// The line of the file `json` on which a line of a cell stands; all are counted from 1. Where a cell is one string, all its
/// lines stand on one.
pub(crate) fn line_in_file(json: &str, cell: u32, line: u32) -> Option<u32> {
    let source = *sources(json)?.get(cell.checked_sub(1)? as usize)?;
    let mut at = place_in(json, source).start;
    if let Ok(strings) = serde_json::from_str::<Vec<&RawValue>>(source.get()) {
        let mut first = 1;
        for string in strings {
            let text: String = serde_json::from_str(string.get()).ok()?;
            if first > line as usize {
                break;
            }
            at = place_in(json, string).start;
            first += text.matches('\n').count();
        }
    }
    u32::try_from(json[..at].matches('\n').count() + 1).ok()
}

/// Where the code cells of a notebook are in the code of all.
#[derive(Debug)]
pub struct Cells {
    /// Where each begins, and the end of the last.
    offsets: Vec<usize>,
    /// The position of each among all cells of the notebook.
    numbers: Vec<usize>,
}

impl Cells {
    pub(crate) fn of(notebook: &Notebook) -> Self {
        let offsets = notebook.cell_offsets().iter();
        let numbers = notebook.index().iter();
        Self {
            offsets: offsets.map(TextSize::to_usize).collect(),
            numbers: numbers
                .map(|it| it.cell_index().to_zero_indexed())
                .collect(),
        }
    }

    /// The cell at an offset of the code of all, or the nearest before: its position among all cells of the notebook,
    /// counted from 0, and its place in the code of all, with the line break that separates it from the next. `None` if
    /// no cell has code.
    #[must_use]
    pub fn at(&self, offset: usize) -> Option<(usize, Range<usize>)> {
        let last = self.numbers.len().checked_sub(1)?;
        let next = self.offsets.partition_point(|it| *it <= offset);
        let cell = next.saturating_sub(1).min(last);
        Some((self.numbers[cell], self.range(cell)))
    }

    /// Where the code of a cell begins in the code of all, by its position among all cells of the notebook. `None` if it
    /// is not looked at: it is no code, or a magic command makes something else of it.
    #[must_use]
    pub fn start_of(&self, number: usize) -> Option<usize> {
        let cell = self.numbers.binary_search(&number).ok()?;
        Some(self.offsets[cell])
    }

    /// What the edits of fixes make of the cells that they change, by position among all cells of the notebook. `code` is
    /// the code of all. `None` if an edit goes beyond its cell, or if there is no such cell.
    #[must_use]
    pub fn edited(&self, code: &str, fixes: &[&Fix]) -> Option<BTreeMap<usize, String>> {
        let mut by_cell: BTreeMap<usize, Vec<&Edit>> = BTreeMap::new();
        for fix in fixes {
            for edit in &fix.edits {
                let cell = self.of_edit(edit, fix)?;
                by_cell.entry(cell).or_default().push(edit);
            }
        }
        let mut new = BTreeMap::new();
        for (cell, mut edits) in by_cell {
            edits.sort();
            let range = self.range(cell);
            let text = edited(code.get(range.clone())?, range.start, &edits)?;
            new.insert(self.numbers[cell], without_separator(&text).to_owned());
        }
        Some(new)
    }

    fn range(&self, cell: usize) -> Range<usize> {
        self.offsets[cell]..self.offsets[cell + 1]
    }

    /// The cell in which an edit is made. Between two cells it goes to the one that the fix changes anyhow, else to the later.
    fn of_edit(&self, edit: &Edit, fix: &Fix) -> Option<usize> {
        let at = |offset: usize| {
            let next = self.offsets.partition_point(|it| *it <= offset);
            next.checked_sub(1).filter(|it| *it < self.numbers.len())
        };
        let is_between = edit.start == edit.end && self.offsets.contains(&edit.start);
        let before = edit.start.checked_sub(1).and_then(at);
        let cell = match before {
            Some(before) if is_between => {
                let is_changed = fix.edits.iter().any(|it| at(it.start) == Some(before));
                if is_changed { before } else { at(edit.start)? }
            }
            _ => at(edit.start)?,
        };
        (edit.end <= self.offsets[cell + 1]).then_some(cell)
    }
}

/// A cell's code, which begins at `start`, with edits made.
fn edited(code: &str, start: usize, edits: &[&Edit]) -> Option<String> {
    let mut result = String::with_capacity(code.len());
    let mut at = 0;
    for edit in edits {
        result.push_str(code.get(at..edit.start - start)?);
        result.push_str(&edit.text);
        at = edit.end - start;
    }
    result.push_str(code.get(at..)?);
    Some(result)
}

/// Cells are put together with a line break behind each, which is not theirs.
fn without_separator(code: &str) -> &str {
    code.strip_suffix('\n').unwrap_or(code)
}

/// The values of `source` of all cells, as they are written.
fn sources(json: &str) -> Option<Vec<&RawValue>> {
    #[derive(Deserialize)]
    struct All<'a> {
        #[serde(borrow)]
        cells: Vec<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct One<'a> {
        #[serde(borrow)]
        source: &'a RawValue,
    }
    let all: All<'_> = serde_json::from_str(json).ok()?;
    let mut sources = Vec::new();
    for cell in all.cells {
        let one: One<'_> = serde_json::from_str(cell.get()).ok()?;
        sources.push(one.source);
    }
    Some(sources)
}

/// Replaces those lines of a cell that change. `source` lies in `json`, and `result` is the same up to its end.
fn replace_source(result: &mut String, json: &str, source: &RawValue, code: &str) -> Option<()> {
    let place = place_in(json, source);
    if source.get().starts_with('"') {
        result.replace_range(place, &encode(code, json));
        return Some(());
    }
    let lines: Vec<&RawValue> = serde_json::from_str(source.get()).ok()?;
    let texts: Vec<String> = serde_json::from_str(source.get()).ok()?;
    let (first, last) = unchanged(&texts, code);
    let kept_before: usize = texts[..first].iter().map(String::len).sum();
    let kept_behind: usize = texts[texts.len() - last..].iter().map(String::len).sum();
    let new: Vec<String> = code[kept_before..code.len() - kept_behind]
        .split_inclusive('\n')
        .map(|line| encode(line, json))
        .collect();
    let places: Vec<Range<usize>> = lines.iter().map(|line| place_in(json, line)).collect();
    let separator = separator(json, &place, &places);
    let replaced = &places[first..places.len() - last];
    match (replaced, &new[..]) {
        ([], []) => {}
        ([], new) => {
            let text = new.join(&separator);
            match (places.get(first), places.last()) {
                (Some(next), _) => result.insert_str(next.start, &(text + &separator)),
                (None, Some(last)) => result.insert_str(last.end, &(separator + &text)),
                (None, None) => result.insert_str(place.start + 1, &text),
            }
        }
        ([one, ..], []) => {
            let end = replaced.last().unwrap_or(one).end;
            let range = match (places.get(places.len() - last), first.checked_sub(1)) {
                (Some(next), _) => one.start..next.start,
                (None, Some(before)) => places[before].end..end,
                (None, None) => one.start..end,
            };
            result.replace_range(range, "");
        }
        ([one, ..], new) => {
            let end = replaced.last().unwrap_or(one).end;
            result.replace_range(one.start..end, &new.join(&separator));
        }
    }
    Some(())
}

/// How many lines at the beginning and at the end are in the new code, too.
fn unchanged(lines: &[String], code: &str) -> (usize, usize) {
    let mut rest = code;
    let mut first = 0;
    while let Some(line) = lines.get(first)
        && line.ends_with('\n')
        && let Some(tail) = rest.strip_prefix(line.as_str())
    {
        rest = tail;
        first += 1;
    }
    let mut last = 0;
    while let Some(line) = lines[first..].iter().rev().nth(last)
        && let Some(head) = rest.strip_suffix(line.as_str())
        && (head.is_empty() || head.ends_with('\n'))
    {
        rest = head;
        last += 1;
    }
    (first, last)
}

/// What is written between two lines of a cell.
fn separator(json: &str, source: &Range<usize>, lines: &[Range<usize>]) -> String {
    match lines {
        [first, second, ..] => json[first.end..second.start].to_owned(),
        [only] => format!(",{}", &json[source.start + 1..only.start]),
        [] => ",".to_owned(),
    }
}

/// Where a value that was read from `json` is in it.
fn place_in(json: &str, value: &RawValue) -> Range<usize> {
    let start = value.get().as_ptr().addr() - json.as_ptr().addr();
    start..start + value.get().len()
}

/// A string of JSON; in a file without any character beyond ASCII, without them, too.
fn encode(text: &str, json: &str) -> String {
    let string = serde_json::Value::from(text).to_string();
    if !json.is_ascii() {
        return string;
    }
    let mut units = [0; 2];
    string.chars().fold(String::new(), |mut ascii, character| {
        if character.is_ascii() {
            ascii.push(character);
        } else {
            for unit in character.encode_utf16(&mut units) {
                let _ = write!(ascii, "\\u{unit:04x}");
            }
        }
        ascii
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fix(edits: &[(usize, usize, &str)]) -> Fix {
        let edit = |(start, end, text): &(usize, usize, &str)| Edit {
            start: *start,
            end: *end,
            text: (*text).to_owned(),
        };
        Fix {
            title: String::new(),
            safe: true,
            file: "a.ipynb".into(),
            edits: edits.iter().map(edit).collect(),
        }
    }

    /// A notebook whose code cells have these sources, written as Jupyter writes them.
    fn notebook(sources: &[&str]) -> String {
        let cell = |source: &&str| {
            format!(
                "  {{\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"metadata\": {{}},\n   \"outputs\": [],\n   \"source\": {source}\n  }}"
            )
        };
        let cells: Vec<String> = sources.iter().map(cell).collect();
        format!(
            "{{\n \"cells\": [\n{}\n ],\n \"metadata\": {{ }},\n \"nbformat\": 4,  \"nbformat_minor\": 2\n}}\n",
            cells.join(",\n")
        )
    }

    fn check(sources: &[&str], edits: &[(usize, usize, &str)], expected: &[&str]) {
        let result = repaired(&notebook(sources), &[&fix(edits)]);
        assert_eq!(result, Some(notebook(expected)));
    }

    const TWO: &str = "[\n    \"a\\n\",\n    \"b\"\n   ]";

    #[test]
    fn a_line_of_a_cell_is_found_in_the_file() {
        let json = notebook(&[TWO, "\"a\\nb\""]);
        let line = |cell, line| line_in_file(&json, cell, line);
        let text = |number: Option<u32>| json.lines().nth(number? as usize - 1);
        assert_eq!(text(line(1, 1)), Some("    \"a\\n\","));
        assert_eq!(text(line(1, 2)), Some("    \"b\""));
        assert_eq!(text(line(2, 2)), Some("   \"source\": \"a\\nb\""));
        assert_eq!((line(0, 1), line(3, 1)), (None, None));
    }

    #[test]
    fn only_the_line_that_changes_is_written_anew() {
        check(
            &["[ \"x\" ]", TWO],
            &[(2, 3, "c")],
            &["[ \"x\" ]", "[\n    \"c\\n\",\n    \"b\"\n   ]"],
        );
        check(&["\"a\\nb\""], &[(2, 3, "c")], &["\"a\\nc\""]);
    }

    #[test]
    fn lines_come_and_go() {
        check(
            &[TWO],
            &[(0, 0, "n\n")],
            &["[\n    \"n\\n\",\n    \"a\\n\",\n    \"b\"\n   ]"],
        );
        check(
            &[TWO],
            &[(2, 2, "n\n")],
            &["[\n    \"a\\n\",\n    \"n\\n\",\n    \"b\"\n   ]"],
        );
        check(&[TWO], &[(0, 2, "")], &["[\n    \"b\"\n   ]"]);
        check(&[TWO], &[(0, 3, "")], &["[\n    \n   ]"]);
        check(&["[\n    \"a\"\n   ]"], &[(1, 1, "\nb")], &[TWO]);
    }

    #[test]
    fn between_cells_the_one_that_changes_anyhow_is_changed() {
        let one = "[\"a\\n\", \"b\"]";
        check(
            &[one, "[\"c\"]"],
            &[(4, 4, "n\n")],
            &[one, "[\"n\\n\",\"c\"]"],
        );
        check(
            &[one, "[\"c\"]"],
            &[(0, 2, ""), (4, 4, "a\n")],
            &["[\"b\\n\", \"a\"]", "[\"c\"]"],
        );
    }

    #[test]
    fn an_edit_across_cells_is_none() {
        assert_eq!(
            repaired(&notebook(&[TWO, TWO]), &[&fix(&[(2, 5, "")])]),
            None
        );
    }

    #[test]
    fn characters_are_written_as_the_file_does() {
        check(
            &["[\"a = '\\u56fe'\"]"],
            &[(0, 1, "b")],
            &["[\"b = '\\u56fe'\"]"],
        );
        check(&["[\"a = '图'\"]"], &[(0, 1, "b")], &["[\"b = '图'\"]"]);
    }
}
