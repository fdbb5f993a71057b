//! Comments of Python source, without a parser: a `#` that no string holds begins one.

/// The comments of a text, each with its line, counted from 1.
pub(crate) fn comments(text: &str) -> Vec<(u32, &str)> {
    let mut found = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '#' => {
                let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
                found.push((line, &rest[..length]));
                length
            }
            '"' | '\'' => string(rest, first),
            // Both as one break.
            '\r' if rest.starts_with("\r\n") => 2,
            other => other.len_utf8(),
        };
        line += breaks(&rest[..length]);
        rest = &rest[length..];
    }
    found
}

/// The length of the string that a text begins with. One that is not closed ends with its line, or with the text.
fn string(text: &str, quote: char) -> usize {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let is_long = text.starts_with(&triple);
    let end = if is_long { &*triple } else { &triple[..1] };
    let mut at = end.len();
    while let Some(next) = text[at..].chars().next() {
        if text[at..].starts_with(end) {
            return at + end.len();
        }
        match next {
            '\n' | '\r' if !is_long => return at,
            '\\' => {
                let escaped = text[at + 1..].chars().next();
                at += 1 + escaped.map_or(0, char::len_utf8);
            }
            _ => at += next.len_utf8(),
        }
    }
    text.len()
}

/// How many lines a text ends, as Python counts them.
fn breaks(text: &str) -> u32 {
    let lone = |(at, byte): &(usize, u8)| {
        *byte == b'\n' || (*byte == b'\r' && text.as_bytes().get(at + 1) != Some(&b'\n'))
    };
    let count = text.bytes().enumerate().filter(lone).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_what_no_string_holds() {
        let text = "# one\nx = '#no' \"#no\" r'\\'#no' # two\n\"\"\"\n# no\n\"\"\" # five\ny = 'open # no\nz # seven";
        assert_eq!(
            comments(text),
            [(1, "# one"), (2, "# two"), (5, "# five"), (7, "# seven")]
        );
        assert_eq!(
            comments("a\r\nb # two\r\n# three\rd # four"),
            [(2, "# two"), (3, "# three"), (4, "# four"),]
        );
        assert_eq!(comments("'\\"), []);
        assert_eq!(comments("数 = '\\数' # 数"), [(1, "# 数")]);
    }
}
