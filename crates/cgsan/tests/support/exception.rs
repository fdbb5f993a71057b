//! What a program printed when it failed.

use std::path::Path;

/// The first exception that a program printed.
#[derive(Debug, PartialEq)]
pub struct Exception {
    /// Its type and the first line of its message.
    pub text: String,
    /// The lines of the program in its traceback, outermost first.
    pub lines: Vec<u32>,
}

/// Finds the first traceback in what a program printed to standard error.
pub fn first_exception(stderr: &str, program: &Path) -> Option<Exception> {
    let frame = format!("  File \"{}\", line ", program.display());
    let mut text = stderr.lines().map(without_rank);
    text.find(|line| *line == "Traceback (most recent call last):")?;
    let mut lines = Vec::new();
    for line in text {
        if let Some(rest) = line.strip_prefix(&frame) {
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
            lines.push(digits.parse().ok()?);
        } else if !line.starts_with(' ') {
            return Some(Exception {
                text: line.to_owned(),
                lines,
            });
        }
    }
    None
}

/// Removes what PyTorch puts before the lines of a traceback in a program of several ranks: `[rank0]: `.
fn without_rank(line: &str) -> &str {
    line.strip_prefix("[rank")
        .and_then(|rest| rest.split_once("]:"))
        .map_or(line, |(_, text)| text.strip_prefix(' ').unwrap_or(text))
}

/// Replaces every number by a sign, and leaves out what a message about memory says of other processes.
pub fn mask(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '0'..='9' | '.' if masked.ends_with('#') => {}
            '0'..='9' => masked.push('#'),
            _ => masked.push(c),
        }
    }
    masked.replace(" Process # has # GiB memory in use.", "")
}
