//! Words into lines.

use std::fmt::Write as _;

use crate::cjk;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The words of a text in lines of at most `width` columns. A word that is longer stands alone, unbroken: paths and
/// names stay searchable.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut columns = 0;
    for word in words(text) {
        let mut space = 1;
        for part in cjk::parts(&word) {
            let part_columns = part.width();
            match lines.last_mut() {
                Some(line) if columns + space + part_columns <= width => {
                    line.extend(std::iter::repeat_n(' ', space));
                    line.push_str(part);
                    columns += space + part_columns;
                }
                _ => {
                    lines.push(part.to_owned());
                    columns = part_columns;
                }
            }
            space = 0;
        }
    }
    lines
}

/// The words of a text, where code in backticks counts as one word if it is short.
fn words(text: &str) -> Vec<String> {
    const LONGEST_UNBROKEN_CODE: usize = 40;
    let mut words: Vec<String> = Vec::new();
    let mut in_code = false;
    for word in text.split_whitespace() {
        match words.last_mut() {
            Some(last) if in_code && last.width() + word.width() < LONGEST_UNBROKEN_CODE => {
                last.push(' ');
                last.push_str(&printable(word));
            }
            _ => words.push(printable(word)),
        }
        if word.matches('`').count() % 2 == 1 {
            in_code = !in_code;
        }
    }
    words
}

/// Wrapped text as one string, whose further lines are indented by `indent` columns.
pub fn hang(text: &str, width: usize, indent: usize) -> String {
    let separator = format!("\n{}", " ".repeat(indent));
    wrap(text, width.saturating_sub(indent)).join(&separator)
}

/// A text on one line of at most `width` columns; what does not fit is replaced by an ellipsis, between words if that leaves most of
/// the line.
pub fn one_line(text: &str, width: usize) -> String {
    let line = words(text).join(" ");
    if line.width() <= width {
        return line;
    }
    let cut = prefix(&line, width.saturating_sub(1));
    let ends_in_word = !line[cut.len()..].starts_with(' ');
    let between = cut.rfind(' ').filter(|_| ends_in_word);
    let whole = between.filter(|at| *at >= cut.len() / 3 * 2);
    format!("{}…", whole.map_or(cut, |at| &cut[..at]).trim_end())
}

/// The same, also within a word: where the beginning of a name says more than nothing.
pub fn cut_line(text: &str, width: usize) -> String {
    let line = words(text).join(" ");
    if line.width() <= width {
        return line;
    }
    format!("{}…", prefix(&line, width.saturating_sub(1)).trim_end())
}

/// The longest beginning of a text that takes at most `width` columns.
pub fn prefix(text: &str, width: usize) -> &str {
    let mut columns = 0;
    for (at, c) in text.char_indices() {
        columns += c.width().unwrap_or(0);
        if columns > width {
            return &text[..at];
        }
    }
    text
}

/// A text whose control characters can be seen rather than obeyed: it may come from the watched program.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
            '\x7f' => '\u{2421}',
            c if c.is_control() || turns_text(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// Whether a character makes a device show what follows in another order or on another line than it stands.
fn turns_text(c: char) -> bool {
    matches!(
        c,
        '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

/// A whole text for a device: whatever its parts were made of, it has no control character but line breaks, tabs and styles, and
/// none that changes the order of others.
pub fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\x1b' => style(rest).unwrap_or(0),
            '\n' | '\t' => 1,
            _ => 0,
        };
        if length > 0 {
            shown.push_str(&rest[..length]);
            rest = &rest[length..];
        } else {
            shown.push_str(&printable(&rest[..c.len_utf8()]));
            rest = &rest[c.len_utf8()..];
        }
    }
    shown
}

/// The same without styles, for files that are no terminal's: pages, pictures, forms of CI.
pub fn shown_plain(text: &str) -> String {
    shown(text).replace('\x1b', "\u{241b}")
}

/// The length of the style that a text begins with: `ESC [ numbers m`.
fn style(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\x1b[")?;
    let end = numbers.find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
    (numbers.as_bytes()[end] == b'm').then_some(end + 3)
}

/// JSON in which no character stands raw that a terminal would obey: it says the same.
pub fn escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && (c.is_control() || turns_text(c)) {
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// The same within a script element of a page. Nothing but its end tag ends it, and markup counts there in part; in JSON these signs can
/// only be in strings.
pub(crate) fn in_script(json: &str) -> String {
    escaped(json)
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

/// `1 finding`, `2 findings`.
pub fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_filled_up_to_the_width() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("", 7), [""; 0]);
    }

    #[test]
    fn a_long_word_is_not_broken() {
        assert_eq!(
            wrap("a /very/long/path b", 5),
            ["a", "/very/long/path", "b"]
        );
    }

    #[test]
    fn short_code_stays_together() {
        assert_eq!(
            wrap("run `cgsan explain CG101` now", 24),
            ["run", "`cgsan explain CG101`", "now"]
        );
    }

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(wrap("数数 数数", 8), ["数数 数", "数"]);
    }

    #[test]
    fn chinese_breaks_between_characters_but_not_before_its_punctuation() {
        assert_eq!(
            wrap("捕获线程调用了它。", 8),
            ["捕获线程", "调用了", "它。"]
        );
        assert_eq!(
            wrap("调用 `cudaFree`（释放）时", 14),
            ["调用", "`cudaFree`（释", "放）时"]
        );
    }

    #[test]
    fn one_line_ends_in_an_ellipsis_within_the_width() {
        assert_eq!(one_line("operation failed due to", 12), "operation…");
        assert_eq!(one_line("operation failed due to", 17), "operation failed…");
        assert_eq!(one_line("a torch.AcceleratorError", 12), "a torch.Acc…");
        assert_eq!(one_line("short", 12), "short");
        assert_eq!(cut_line("operation failed due to", 12), "operation f…");
    }

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(printable("\x1b[31mred\x7f"), "␛[31mred␡");
        assert_eq!(
            shown("\x1b[1;31mred\x1b[0m\x1b]0;title\x07\u{9b}2J\u{202e}\n"),
            "\x1b[1;31mred\x1b[0m␛]0;title␇\u{fffd}2J\u{fffd}\n"
        );
        assert_eq!(
            escaped("{\"a\u{202e}\": \"\x7f\"}\n"),
            "{\"a\\u202e\": \"\\u007f\"}\n"
        );
    }
}
