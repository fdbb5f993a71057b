//! Words into lines.

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

/// A text on one line of at most `width` columns; what does not fit gives way to an ellipsis.
pub fn one_line(text: &str, width: usize) -> String {
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
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
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
        assert_eq!(one_line("operation failed due to", 12), "operation f…");
        assert_eq!(one_line("short", 12), "short");
    }

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(printable("\x1b[31mred\x7f"), "␛[31mred␡");
    }
}
