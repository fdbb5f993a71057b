//! A line without what was put before it: by launchers that mix the output of several ranks, by quotation in a mail or an
//! issue, by terminals.

use std::borrow::Cow;

/// Which process wrote a line, as far as the line says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Writer {
    /// The line does not say.
    #[default]
    Unknown,
    /// The rank of a distributed program.
    Rank(u32),
    /// The id of a process.
    Process(u32),
}

/// A line and its writer.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    pub writer: Writer,
    pub text: Cow<'a, str>,
}

/// Takes off what stands before a line's own text.
pub fn parse(raw: &str) -> Line<'_> {
    match plain(raw.trim_end()) {
        Cow::Borrowed(text) => {
            let (writer, text) = split(text);
            Line {
                writer,
                text: Cow::Borrowed(text),
            }
        }
        Cow::Owned(text) => {
            let (writer, rest) = split(&text);
            Line {
                writer,
                text: Cow::Owned(rest.to_owned()),
            }
        }
    }
}

fn split(text: &str) -> (Writer, &str) {
    let text = transported(unquoted(text));
    match tag(text) {
        Some((writer, rest)) => (writer, logged(rest)),
        None => (Writer::Unknown, logged(text)),
    }
}

/// A line without the colours of a terminal.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('\x1b') {
        return Cow::Borrowed(text);
    }
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        output.push_str(&rest[..at]);
        let sequence = &rest[at..];
        let end = sequence
            .char_indices()
            .skip(2)
            .find(|(_, c)| c.is_ascii_alphabetic())
            .map_or(sequence.len(), |(end, _)| end + 1);
        rest = &sequence[end..];
    }
    output.push_str(rest);
    Cow::Owned(output)
}

fn unquoted(mut text: &str) -> &str {
    while let Some(rest) = text.strip_prefix("> ") {
        text = rest;
    }
    text
}

/// A line without the time and the stream that a container's runtime puts before it, `2026-11-21T08:00:01.123Z stderr F …`, or
/// the service's name, `trainer-1  | …`.
fn transported(text: &str) -> &str {
    timed(text).or_else(|| of_service(text)).unwrap_or(text)
}

fn timed(text: &str) -> Option<&str> {
    let (time, rest) = text.split_once(' ')?;
    let bytes = time.as_bytes();
    let is_time = bytes.len() >= 20
        && bytes[10] == b'T'
        && bytes[..10].iter().all(|b| b.is_ascii_digit() || *b == b'-')
        && (bytes.ends_with(b"Z") || matches!(bytes[bytes.len() - 6], b'+' | b'-'));
    let rest = is_time.then_some(rest)?;
    let streams = ["stderr F ", "stderr P ", "stdout F ", "stdout P "];
    let rest = streams
        .iter()
        .find_map(|stream| rest.strip_prefix(stream))
        .unwrap_or(rest);
    Some(rest)
}

fn of_service(text: &str) -> Option<&str> {
    let (name, rest) = text.split_once(" | ")?;
    let name = name.trim_end();
    let is_name = !name.is_empty()
        && name.ends_with(|c: char| c.is_ascii_digit())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    is_name.then_some(rest)
}

/// A line without what a logger puts before each line of an error: `ERROR 05-08 19:06:38 [worker.py:962] …`. Other records
/// keep it, by which they are known.
fn logged(text: &str) -> &str {
    let rest = ["ERROR ", "CRITICAL "]
        .iter()
        .find_map(|level| text.strip_prefix(level));
    let Some(rest) = rest.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) else {
        return text;
    };
    match rest.split_once(']') {
        Some((_, rest)) => rest.strip_prefix(' ').unwrap_or(rest),
        None => text,
    }
}

/// The writer that a line begins with.
fn tag(text: &str) -> Option<(Writer, &str)> {
    bracketed(text)
        .or_else(|| actor(text))
        .or_else(|| numbered(text))
}

/// `[rank0]: …` of PyTorch, `[default0]:…` of torchrun, `[1,0]<stderr>:…` of mpirun.
fn bracketed(text: &str) -> Option<(Writer, &str)> {
    let inner = text.strip_prefix('[')?;
    let (inside, rest) = inner.split_once(']')?;
    let digits = inside
        .strip_prefix("rank")
        .or_else(|| inside.strip_prefix("default"))
        .or_else(|| inside.split_once(',').map(|(_, rank)| rank))?;
    let rank = digits.parse().ok()?;
    let rest = rest
        .strip_prefix("<stderr>")
        .or_else(|| rest.strip_prefix("<stdout>"))
        .unwrap_or(rest);
    // Some copies have lost the colon.
    let rest = match rest.strip_prefix(':') {
        Some(rest) => rest.strip_prefix(' ').unwrap_or(rest),
        None => rest
            .strip_prefix(' ')
            .filter(|_| inside.starts_with("rank"))?,
    };
    Some((Writer::Rank(rank), rest))
}

/// `(Worker pid=17) …`, as Ray writes.
fn actor(text: &str) -> Option<(Writer, &str)> {
    let inner = text.strip_prefix('(')?;
    let (inside, rest) = inner.split_once(')')?;
    let (_, pid) = inside.split_once("pid=")?;
    let digits = pid
        .find(|c: char| !c.is_ascii_digit())
        .map_or(pid, |end| &pid[..end]);
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    Some((Writer::Process(digits.parse().ok()?), rest))
}

/// `0: …`, as `srun --label` writes.
fn numbered(text: &str) -> Option<(Writer, &str)> {
    let (digits, rest) = text.split_once(": ")?;
    let digits = digits.trim_start();
    let few = (1..=4).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    few.then(|| Some((Writer::Rank(digits.parse().ok()?), rest)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(raw: &str) -> (Writer, String) {
        let line = parse(raw);
        (line.writer, line.text.into_owned())
    }

    #[test]
    fn the_tags_of_launchers_name_the_rank() {
        let rank = |rank, text: &str| (Writer::Rank(rank), text.to_owned());
        assert_eq!(parsed("[rank3]: Traceback"), rank(3, "Traceback"));
        assert_eq!(
            parsed("[rank3]:   File \"a.py\""),
            rank(3, "  File \"a.py\"")
        );
        assert_eq!(parsed("[default12]:  File"), rank(12, " File"));
        assert_eq!(parsed("[1,5]<stderr>:Traceback"), rank(5, "Traceback"));
        assert_eq!(parsed("2: Traceback"), rank(2, "Traceback"));
        assert_eq!(
            parsed("(Trainer pid=71, ip=10.0.0.1) Traceback"),
            (Writer::Process(71), "Traceback".to_owned())
        );
    }

    #[test]
    fn what_transports_and_loggers_put_before_a_line_is_taken_off() {
        for raw in [
            "2026-11-21T08:00:01.123456789Z stderr F   File \"a.py\"",
            "2026-11-21T08:00:01.1234567Z   File \"a.py\"",
            "2026-11-21T08:00:01.123+08:00   File \"a.py\"",
            "trainer-1  |   File \"a.py\"",
            "ERROR 05-08 19:06:38 [multiproc_executor.py:962]   File \"a.py\"",
        ] {
            assert_eq!(parsed(raw), (Writer::Unknown, "  File \"a.py\"".to_owned()));
        }
        assert_eq!(
            parsed("(Worker pid=15) ERROR 05-08 19:06:38 [a.py:9] Traceback"),
            (Writer::Process(15), "Traceback".to_owned())
        );
        assert_eq!(
            parsed("[rank3]   File \"a.py\""),
            (Writer::Rank(3), "  File \"a.py\"".to_owned())
        );
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        for text in [
            "RuntimeError: 5: no",
            "[E1121 00:07] it",
            "[0] x",
            "",
            "(a) b",
            "12345: x",
            "a | b",
            "INFO 05-08 19:06:38 [a.py:9] x",
            "ERROR: no",
            "2026-11-21 08:00:01 x",
        ] {
            assert_eq!(parsed(text), (Writer::Unknown, text.to_owned()));
        }
    }

    #[test]
    fn colours_and_quotation_are_taken_off() {
        assert_eq!(
            parsed("\x1b[1;31mRuntimeError\x1b[0m: no").1,
            "RuntimeError: no"
        );
        assert_eq!(parsed("> > Traceback").1, "Traceback");
        assert_eq!(parsed("cut off \x1b[").1, "cut off ");
    }
}
