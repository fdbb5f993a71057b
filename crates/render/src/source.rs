//! Where a place is in the text of a file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cgsan_finding::Location;

use crate::Sources;

/// The files that a report points into, each read once.
pub struct Files<'a, 'b> {
    sources: &'a mut Sources<'b>,
    read: BTreeMap<PathBuf, Source>,
}

impl<'a, 'b> Files<'a, 'b> {
    pub fn new(sources: &'a mut Sources<'b>) -> Self {
        Self {
            sources,
            read: BTreeMap::new(),
        }
    }

    /// The text of a file; an empty one if it cannot be had.
    pub fn get(&mut self, file: &Path) -> &Source {
        if !self.read.contains_key(file) {
            let text = (self.sources)(file).unwrap_or_default();
            self.read.insert(file.to_owned(), Source::new(&text));
        }
        &self.read[file]
    }
}

/// The text of a file, by lines as Python counts them.
pub struct Source {
    text: String,
    /// The offset of each line, in bytes.
    starts: Vec<usize>,
}

impl Source {
    fn new(text: &str) -> Self {
        // A byte order mark is not part of the first line.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = plain_breaks(text);
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        Self { text, starts }
    }

    /// The text from the beginning of a line to the end of another one.
    pub fn lines(&self, first: u32, last: u32) -> &str {
        let start = self.offset(first).unwrap_or(self.text.len());
        let end = self
            .offset(last.saturating_add(1))
            .unwrap_or(self.text.len());
        self.text.get(start..end).unwrap_or_default()
    }

    /// The part of the text that a place is, as offsets of bytes: the whole code of its line where only that is known.
    /// `None` if the text has no such line, or nothing is on it.
    pub fn range(&self, place: &Location) -> Option<Range<usize>> {
        let Some(span) = &place.span else {
            return self.code(place.line);
        };
        let start = self.column(place.line, span.column)?;
        let end = self.column(span.end_line, span.end_column)?;
        Some(start..end.max(start))
    }

    /// The code of a line, without its indentation.
    pub fn code(&self, line: u32) -> Option<Range<usize>> {
        let start = self.offset(line)?;
        let text = self.lines(line, line);
        let code = text.trim();
        let start = start + text.len() - text.trim_start().len();
        (!code.is_empty()).then_some(start..start + code.len())
    }

    /// The text of a range.
    pub fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// The offset at which a line begins.
    pub fn offset(&self, line: u32) -> Option<usize> {
        let index = (line as usize).checked_sub(1)?;
        self.starts.get(index).copied()
    }

    /// The number of the line of an offset.
    pub fn line_of(&self, offset: usize) -> u32 {
        let line = self.starts.partition_point(|start| *start <= offset);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// The offset of a column; that of the line's end if the line is shorter.
    fn column(&self, line: u32, column: u32) -> Option<usize> {
        let start = self.offset(line)?;
        let text = self.lines(line, line).trim_end_matches(['\r', '\n']);
        let characters = (column as usize).checked_sub(1)?;
        let inside = text.char_indices().nth(characters);
        Some(start + inside.map_or(text.len(), |(at, _)| at))
    }
}

/// A lone carriage return ends a line for Python: here it becomes a line feed, so that all count the same lines.
fn plain_breaks(text: &str) -> String {
    if !text.contains('\r') {
        return text.to_owned();
    }
    let mut characters = text.chars().peekable();
    let mut plain = String::with_capacity(text.len());
    while let Some(c) = characters.next() {
        let is_lone = c == '\r' && characters.peek() != Some(&'\n');
        plain.push(if is_lone { '\n' } else { c });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use cgsan_finding::Span;

    fn found(text: &str, line: u32, column: u32, end_line: u32, end_column: u32) -> Option<String> {
        let source = Source::new(text);
        let place = Location {
            file: "a.py".into(),
            line,
            span: Some(Span {
                column,
                end_line,
                end_column,
                bytes: 0..0,
            }),
            cell: None,
            function: String::new(),
        };
        let range = source.range(&place)?;
        Some(source.slice(range).to_owned())
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(
            found("数 = x.item()\n", 1, 5, 1, 13).as_deref(),
            Some("x.item()")
        );
        assert_eq!(
            found("\u{feff}x.item()", 1, 1, 1, 9).as_deref(),
            Some("x.item()")
        );
    }

    #[test]
    fn every_line_break_of_python_counts() {
        for text in [
            "a\nb\nx.item()",
            "a\r\nb\r\nx.item()\r\n",
            "a\rb\rx.item()\r",
        ] {
            assert_eq!(
                found(text, 3, 1, 3, 9).as_deref(),
                Some("x.item()"),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_place_may_end_on_another_line() {
        assert_eq!(
            found("f(\n  a,\n)\n", 1, 1, 3, 2).as_deref(),
            Some("f(\n  a,\n)")
        );
    }

    #[test]
    fn what_is_not_there_is_cut_or_missing() {
        assert_eq!(found("ab\n", 1, 2, 1, 90).as_deref(), Some("b"));
        assert_eq!(found("ab\n", 7, 1, 7, 2), None);
        assert_eq!(found("ab\n", 0, 1, 0, 2), None);
        assert_eq!(found("ab\n", 1, 0, 1, 2), None);
        assert_eq!(found("ab\ncd\n", 2, 1, 1, 1).as_deref(), Some(""));
    }
}
