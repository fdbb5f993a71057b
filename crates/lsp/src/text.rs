//! Text as the protocol counts it: lines, and columns in the unit that was agreed on.

use std::ops::Range;

use gen_lsp_types as lsp;

/// The unit in which columns are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes of UTF-8.
    Utf8,
    /// Code units of UTF-16, which every client understands.
    #[default]
    Utf16,
}

impl Encoding {
    /// The columns that a text takes.
    fn width(self, text: &str) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.chars().map(char::len_utf16).sum(),
        }
    }

    /// The offset of a column in a line; its end for a column beyond it. Between the units of a character: before it.
    fn offset(self, line: &str, column: usize) -> usize {
        let mut left = column;
        for (at, character) in line.char_indices() {
            let width = match self {
                Encoding::Utf8 => character.len_utf8(),
                Encoding::Utf16 => character.len_utf16(),
            };
            if left < width {
                return at;
            }
            left -= width;
        }
        line.len()
    }
}

/// A text that knows where its lines begin.
#[derive(Clone, Debug)]
pub struct Text {
    content: String,
    /// The offset of each line's first byte.
    starts: Vec<usize>,
}

impl Text {
    /// A text.
    pub fn new(content: String) -> Self {
        let starts = line_starts(&content);
        Self { content, starts }
    }

    /// The whole of it.
    pub fn as_str(&self) -> &str {
        &self.content
    }

    /// The offset of a place. Places that do not exist are moved to the nearest one before.
    pub fn offset(&self, position: lsp::Position, encoding: Encoding) -> usize {
        let line = self.line(position.line as usize);
        let text = &self.content[line.clone()];
        line.start + encoding.offset(text, position.character as usize)
    }

    /// The place of an offset.
    pub fn position(&self, offset: usize, encoding: Encoding) -> lsp::Position {
        let offset = self.content.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let column = encoding.width(&self.content[self.starts[line]..offset]);
        lsp::Position {
            line: number(line),
            character: number(column),
        }
    }

    /// The places of a range of bytes.
    pub fn range(&self, bytes: &Range<usize>, encoding: Encoding) -> lsp::Range {
        lsp::Range {
            start: self.position(bytes.start, encoding),
            end: self.position(bytes.end.max(bytes.start), encoding),
        }
    }

    /// The bytes of a line, counted from 0, without its line break; of a line that does not exist, the text's end.
    pub fn line(&self, line: usize) -> Range<usize> {
        let length = self.content.len();
        let start = self.starts.get(line).copied().unwrap_or(length);
        let end = self.starts.get(line + 1).copied().unwrap_or(length);
        let content = &self.content[start..end];
        start..start + content.trim_end_matches(['\n', '\r']).len()
    }

    /// Replaces a range, or everything.
    pub fn change(&mut self, range: Option<lsp::Range>, new: &str, encoding: Encoding) {
        match range {
            None => new.clone_into(&mut self.content),
            Some(range) => {
                let start = self.offset(range.start, encoding);
                let end = self.offset(range.end, encoding).max(start);
                self.content.replace_range(start..end, new);
            }
        }
        self.starts = line_starts(&self.content);
    }
}

/// Lines end as the protocol says: with `\n`, `\r\n` or `\r`.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = |at: usize| match bytes[at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    let after = (0..bytes.len()).filter(|at| ends(*at)).map(|at| at + 1);
    std::iter::once(0).chain(after).collect()
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn place(line: u32, character: u32) -> lsp::Position {
        lsp::Position { line, character }
    }

    #[test]
    fn columns_are_counted_in_the_unit_agreed_on() {
        let text = Text::new("x\na = '图😀' + b".to_owned());
        let plus = text.as_str().find('+').expect("it is there");
        assert_eq!(text.position(plus, Encoding::Utf8), place(1, 14));
        assert_eq!(text.position(plus, Encoding::Utf16), place(1, 10));
        assert_eq!(text.offset(place(1, 14), Encoding::Utf8), plus);
        assert_eq!(text.offset(place(1, 10), Encoding::Utf16), plus);
    }

    #[test]
    fn places_that_do_not_exist_are_moved_to_the_nearest_before() {
        let text = Text::new("ab\n😀c\n".to_owned());
        assert_eq!(text.offset(place(0, 9), Encoding::Utf16), 2);
        assert_eq!(
            text.offset(place(1, 1), Encoding::Utf16),
            3,
            "inside a pair"
        );
        assert_eq!(
            text.offset(place(1, 2), Encoding::Utf8),
            3,
            "inside a character"
        );
        assert_eq!(text.offset(place(7, 0), Encoding::Utf16), 9);
    }

    #[test]
    fn lines_end_in_three_ways() {
        let text = Text::new("a\r\nb\rc\nd".to_owned());
        let lines: Vec<&str> = (0..4).map(|at| &text.as_str()[text.line(at)]).collect();
        assert_eq!(lines, ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_change_replaces_a_range_or_everything() {
        let mut text = Text::new("one\ntwo\nthree\n".to_owned());
        let range = lsp::Range {
            start: place(0, 3),
            end: place(2, 0),
        };
        text.change(Some(range), " ", Encoding::Utf16);
        assert_eq!(text.as_str(), "one three\n");
        text.change(None, "four", Encoding::Utf16);
        assert_eq!(text.as_str(), "four");
    }

    fn encoding() -> impl Strategy<Value = Encoding> {
        prop_oneof![Just(Encoding::Utf8), Just(Encoding::Utf16)]
    }

    proptest! {
        #[test]
        fn an_offset_survives_the_way_there_and_back(
            content in "[a图😀é\r\n]{0,40}", at in 0usize..200, encoding in encoding(),
        ) {
            let text = Text::new(content);
            let offset = text.as_str().floor_char_boundary(at);
            let inside_break = text.as_str().as_bytes().get(offset) == Some(&b'\n')
                && offset > 0 && text.as_str().as_bytes()[offset - 1] == b'\r';
            prop_assume!(!inside_break);
            prop_assert_eq!(text.offset(text.position(offset, encoding), encoding), offset);
        }

        #[test]
        fn no_change_is_too_wild(
            content in "[a图😀\r\n]{0,20}", new in "[b\n]{0,5}", encoding in encoding(), places in proptest::array::uniform4(0u32..9),
        ) {
            let mut text = Text::new(content);
            let [line, character, to_line, to_character] = places;
            let range = lsp::Range { start: place(line, character), end: place(to_line, to_character) };
            text.change(Some(range), &new, encoding);
            prop_assert!(text.as_str().contains(new.as_str()));
            prop_assert_eq!(&text.starts, &line_starts(text.as_str()));
        }
    }
}
