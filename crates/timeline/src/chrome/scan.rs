//! Where JSON values end, found without making anything of them.
//!
//! Of a trace's bytes few are asked for. So values are skipped by their brackets and strings, and only the slices of a few fields
//! are looked at. What is skipped is not checked further: a name that Python's parser would refuse does no harm here.

use memchr::{memchr2, memchr3};

/// Why scanning stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The bytes end in the middle of the value: more are needed.
    More,
    /// What stands at this index is wrong.
    Bad(usize, &'static str),
}

/// The index of the next byte that is not white space.
pub(super) fn space(bytes: &[u8], mut at: usize) -> Result<usize, Stop> {
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\n' | b'\r' | b'\t') => at += 1,
            Some(_) => return Ok(at),
            None => return Err(Stop::More),
        }
    }
}

/// The index behind a string that begins with the quotation mark at `at`.
fn string(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    let mut at = at + 1;
    loop {
        let rest = bytes.get(at..).ok_or(Stop::More)?;
        let found = memchr2(b'"', b'\\', rest).ok_or(Stop::More)?;
        if rest[found] == b'"' {
            return Ok(at + found + 1);
        }
        at += found + 2;
    }
}

/// The index behind the object or list that begins at `at`.
fn nested(bytes: &[u8], mut at: usize) -> Result<usize, Stop> {
    let mut depth = 0usize;
    loop {
        match bytes.get(at) {
            None => return Err(Stop::More),
            Some(b'"') => at = string(bytes, at)?,
            Some(b'{' | b'[') => {
                depth += 1;
                at += 1;
            }
            Some(b'}' | b']') => {
                depth -= 1;
                at += 1;
                if depth == 0 {
                    return Ok(at);
                }
            }
            Some(_) => at += 1,
        }
    }
}

/// The index behind the value that begins at `at`.
pub(super) fn value(bytes: &[u8], at: usize) -> Result<usize, Stop> {
    match bytes.get(at) {
        None => Err(Stop::More),
        Some(b'"') => string(bytes, at),
        Some(b'{' | b'[') => nested(bytes, at),
        Some(first) if is_of_token(*first) => {
            let token = &bytes[at..];
            let length = token.iter().position(|it| !is_of_token(*it));
            length.map(|length| at + length).ok_or(Stop::More)
        }
        Some(_) => Err(Stop::Bad(at, "a value was expected")),
    }
}

/// Whether a byte is part of a number or of a word. Profilers write `nan` and `inf` too, which JSON does not have.
fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// A member of an object: its key without quotation marks, and the indices around its value. Or the index behind the object.
pub(super) enum Member<'a> {
    Value(&'a [u8], usize, usize),
    End(usize),
}

/// The member that begins at `at`: behind the opening bracket, or behind the value of the member before.
pub(super) fn member(bytes: &[u8], at: usize) -> Result<Member<'_>, Stop> {
    let mut at = space(bytes, at)?;
    if bytes[at] == b',' {
        at = space(bytes, at + 1)?;
    }
    match bytes[at] {
        b'}' => return Ok(Member::End(at + 1)),
        b'"' => {}
        _ => return Err(Stop::Bad(at, "a key was expected")),
    }
    let end = string(bytes, at)?;
    let key = &bytes[at + 1..end - 1];
    let colon = space(bytes, end)?;
    if bytes[colon] != b':' {
        return Err(Stop::Bad(colon, "`:` was expected behind a key"));
    }
    let begin = space(bytes, colon + 1)?;
    Ok(Member::Value(key, begin, value(bytes, begin)?))
}

/// The text of a string value, without quotation marks; as it is for any other value.
pub(super) fn unquoted(value: &[u8]) -> &[u8] {
    match value {
        [b'"', text @ .., b'"'] => text,
        other => other,
    }
}

/// Whether a text has escapes, or control characters that JSON does not allow.
pub(super) fn has_escapes(text: &[u8]) -> bool {
    memchr3(b'\\', b'\n', b'\t', text).is_some()
}

/// A whole number that is not negative; a string of digits counts, a fraction is cut off.
pub(super) fn integer(value: &[u8]) -> Option<u64> {
    let digits = unquoted(value);
    let end = digits.iter().position(|it| !it.is_ascii_digit());
    let (digits, rest) = digits.split_at(end.unwrap_or(digits.len()));
    let is_number = !digits.is_empty() && matches!(rest, [] | [b'.', ..]);
    if !is_number {
        return None;
    }
    digits.iter().try_fold(0u64, |number, digit| {
        number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    })
}

/// A time in microseconds, as nanoseconds; what is before the file's zero is at it.
pub(super) fn nanoseconds(value: &[u8]) -> Option<u64> {
    let text = unquoted(value);
    if text.first() == Some(&b'-') {
        return std::str::from_utf8(text)
            .ok()
            .and_then(|it| it.parse::<f64>().ok())
            .map(|_| 0);
    }
    let mut whole = 0u64;
    let mut fraction = 0u64;
    let mut decimals = None;
    for byte in text {
        match (byte, &mut decimals) {
            (b'0'..=b'9', None) => {
                whole = whole.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
            }
            (b'0'..=b'9', Some(count)) => {
                if *count < 3 {
                    fraction = fraction * 10 + u64::from(byte - b'0');
                    *count += 1;
                }
            }
            (b'.', None) => decimals = Some(0u32),
            _ => return from_float(text),
        }
    }
    if text.is_empty() {
        return None;
    }
    let fraction = fraction * 10u64.pow(3 - decimals.unwrap_or(0));
    whole.checked_mul(1000)?.checked_add(fraction)
}

/// A number with an exponent.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and what is not finite is left out"
)]
fn from_float(text: &[u8]) -> Option<u64> {
    let number: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    number
        .is_finite()
        .then_some((number * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_end_where_their_brackets_do() {
        for (text, end) in [
            (&br#""a\"}" x"#[..], 6),
            (br#"{"a": [1, "]"], "b": {}} "#, 24),
            (b"12.5,", 4),
            (b"nan}", 3),
            (b"[] ", 2),
        ] {
            assert_eq!(value(text, 0), Ok(end), "{}", text.escape_ascii());
        }
        for cut in [&b"\"a\\"[..], b"{\"a\": [1", b"12", b"", b"\"\\"] {
            assert_eq!(value(cut, 0), Err(Stop::More), "{}", cut.escape_ascii());
        }
        assert!(matches!(value(b":", 0), Err(Stop::Bad(0, _))));
    }

    #[test]
    fn times_become_nanoseconds() {
        for (text, expected) in [
            (&b"4641842621366.651"[..], Some(4_641_842_621_366_651)),
            (b"1", Some(1000)),
            (b"1.5", Some(1500)),
            (b"0.0017", Some(1)),
            (b"\"12.25\"", Some(12_250)),
            (b"1e3", Some(1_000_000)),
            (b"-3.5", Some(0)),
            (b"nan", None),
            (b"x", None),
            (b"", None),
            (b"99999999999999999999", None),
        ] {
            assert_eq!(nanoseconds(text), expected, "{}", text.escape_ascii());
        }
        assert_eq!(integer(b"\"7\""), Some(7));
        assert_eq!(integer(b"7.0"), Some(7));
        assert_eq!(integer(b"-7"), None);
    }
}
