//! Texts of AMD's HIP, whose names and words are those of CUDA but for the first syllable.

use std::borrow::Cow;

use crate::incident::{Block, Incident};

/// An incident with CUDA's names in the place of HIP's, which the catalogue does not repeat.
pub fn as_cuda(incident: &Incident) -> Cow<'_, Incident> {
    if !is_of_hip(incident) {
        return Cow::Borrowed(incident);
    }
    let mut translated = incident.clone();
    for block in &mut translated.blocks {
        for line in lines_mut(block) {
            if let Cow::Owned(text) = translate(line) {
                *line = text;
            }
        }
    }
    Cow::Owned(translated)
}

/// Whether a line of an incident is HIP's.
pub fn is_of_hip(incident: &Incident) -> bool {
    incident.blocks.iter().any(|block| {
        let lines = block.errors.iter().chain(&block.code).chain(&block.calls);
        lines.into_iter().any(|line| first_name(line).is_some())
    })
}

fn lines_mut(block: &mut Block) -> impl Iterator<Item = &mut String> {
    block
        .errors
        .iter_mut()
        .chain(&mut block.code)
        .chain(&mut block.calls)
}

fn translate(line: &str) -> Cow<'_, str> {
    let Some(mut at) = first_name(line) else {
        return Cow::Borrowed(line);
    };
    let mut output = String::with_capacity(line.len() + 8);
    let mut rest = line;
    loop {
        let is_name = rest.as_bytes()[at] == b'h';
        output.push_str(&rest[..at]);
        output.push_str(if is_name { "cuda" } else { "CUDA" });
        rest = &rest[at + 3..];
        match first_name(rest) {
            Some(next) => at = next,
            None => break,
        }
    }
    output.push_str(rest);
    Cow::Owned(output)
}

/// Where the first of HIP's names begins: `hipErrorUnknown`, or the word of `HIP error: …`.
fn first_name(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let functions = memchr::memmem::find_iter(bytes, "hip").filter(|&at| {
        let follows = bytes.get(at + 3).is_some_and(u8::is_ascii_uppercase);
        follows && (at == 0 || !bytes[at - 1].is_ascii_alphanumeric())
    });
    let words = memchr::memmem::find_iter(bytes, "HIP ").filter(|&at| {
        let messages = ["HIP error", "HIP warning", "HIP out of memory"];
        messages.iter().any(|text| line[at..].starts_with(text))
    });
    functions.chain(words).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_messages_become_those_of_cuda() {
        assert_eq!(
            translate("HIP error: got hipErrorStreamCaptureUnsupported from hipStreamQuery"),
            "CUDA error: got cudaErrorStreamCaptureUnsupported from cudaStreamQuery"
        );
    }

    #[test]
    fn other_words_stay() {
        for line in [
            "a ship Error",
            "relationshipS",
            "hipster",
            "HIP is from AMD",
        ] {
            assert!(matches!(translate(line), Cow::Borrowed(_)), "{line}");
        }
    }
}
