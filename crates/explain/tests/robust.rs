//! No text is too strange, and how it arrives makes no difference.

use std::io::Read;

use cgsan_explain::{Explanation, ReadError};
use proptest::prelude::*;

/// Hands out a few bytes at a time.
struct Slowly<'a> {
    rest: &'a [u8],
    at_once: usize,
}

impl Read for Slowly<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.at_once.min(self.rest.len()).min(buffer.len());
        buffer[..length].copy_from_slice(&self.rest[..length]);
        self.rest = &self.rest[length..];
        Ok(length)
    }
}

/// What a comparison needs of an explanation.
fn summary(explained: Result<Explanation, ReadError>) -> Option<Vec<(&'static str, u8, u64)>> {
    let explanation = explained.ok()?;
    let candidates = explanation.candidates.iter();
    Some(
        candidates
            .map(|candidate| {
                let line = candidate.origin.as_ref().map_or(0, |origin| origin.line);
                (candidate.entry.id, candidate.score, line)
            })
            .collect(),
    )
}

/// Lines that mean something, in any order and cut anywhere.
fn line() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "Traceback (most recent call last):",
        "  File \"a.py\", line 3, in f",
        "    x = y.item()",
        "RuntimeError: CUDA error: operation not permitted when stream is capturing",
        "During handling of the above exception, another exception occurred:",
        "torch.AcceleratorError: CUDA error: capturing stream has unjoined work",
        "[1.0][2][CUDA][E] Returning 904 (CUDA_ERROR_STREAM_CAPTURE_UNJOINED) from cuStreamEndCapture",
        "Timeout (0:00:25)!",
        "Thread 0x1 (most recent call first):",
        "",
        "捕获",
    ]);
    let tag = prop::sample::select(vec!["", "[rank0]: ", "[rank1]: ", "> ", "\u{1b}[31m"]);
    (tag, known, ".{0,12}").prop_map(|(tag, known, rest)| format!("{tag}{known}{rest}"))
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let _ = cgsan_explain::read(&bytes[..]);
    }

    #[test]
    fn any_lines_are_read_alike_however_they_arrive(
        lines in prop::collection::vec(line(), 0..60),
        at_once in 1usize..700,
    ) {
        let text = lines.join("\n");
        let slowly = Slowly { rest: text.as_bytes(), at_once };
        prop_assert_eq!(
            summary(cgsan_explain::read(slowly)),
            summary(cgsan_explain::text(&text))
        );
    }
}

#[test]
fn a_line_without_an_end_takes_no_more_memory_than_another() {
    let long = "x".repeat(3 << 20) + " CUDA error: capturing stream has unjoined work";
    assert!(cgsan_explain::text(&long).is_ok());
}

#[test]
fn the_number_of_the_line_is_counted_across_what_was_skipped() {
    let mut text = "all is well\n".repeat(100_000);
    text += "RuntimeError: CUDA error: capturing stream has unjoined work\n";
    let explanation = cgsan_explain::text(&text).expect("it is a text");
    let origin = explanation.candidates[0]
        .origin
        .as_ref()
        .expect("it was found");
    assert_eq!(origin.line, 100_001);
}
