//! What clients send: a message a line. One that is too large to be read is answered too, though nothing of it is kept but its id.

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader, DuplexStream,
    duplex,
};

use crate::limits::LARGEST;

/// The method of the request that stands for one that was too large.
pub const TOO_LARGE: &str = "cgsan/too-large";

/// Bytes that are on their way to the server at most.
const ON_THE_WAY: usize = 64 << 10;

/// Bytes of an id at most.
const LARGEST_ID: usize = 1 << 10;

/// The requests of standard input, of which none is too large for the server.
pub fn requests() -> DuplexStream {
    let (reader, writer) = duplex(ON_THE_WAY);
    tokio::spawn(pass(BufReader::new(tokio::io::stdin()), writer, LARGEST));
    reader
}

/// Passes lines on until one of both ends is closed, and in the place of one that is longer than `largest` bytes a request
/// that says so.
async fn pass(
    mut input: impl AsyncBufRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
    largest: u64,
) {
    let mut line = Vec::new();
    let mut too_large: Option<Id> = None;
    loop {
        let Ok(part) = input.fill_buf().await else {
            return;
        };
        if part.is_empty() {
            // What comes before the end without a newline is no message.
            return;
        }
        let newline = part.iter().position(|byte| *byte == b'\n');
        let length = newline.map_or(part.len(), |at| at + 1);
        match &mut too_large {
            Some(id) => id.look_at(&part[..length]),
            None => line.extend_from_slice(&part[..length]),
        }
        input.consume(length);
        if too_large.is_none() && line.len() as u64 > largest {
            let mut id = Id::default();
            id.look_at(&line);
            too_large = Some(id);
            line = Vec::new();
        }
        if newline.is_none() {
            continue;
        }
        if let Some(id) = too_large.take() {
            line = id.refused();
        }
        if output.write_all(&line).await.is_err() {
            return;
        }
        line.clear();
    }
}

/// The id of a request, sought in parts of it.
#[derive(Default)]
struct Id {
    depth: u32,
    in_text: bool,
    is_escaped: bool,
    /// The key or the value at hand, of the outermost object.
    word: Vec<u8>,
    /// Whether the value at hand is the id's.
    is_next: bool,
    found: Option<Value>,
}

impl Id {
    fn look_at(&mut self, part: &[u8]) {
        for &byte in part {
            self.look_at_byte(byte);
        }
    }

    fn look_at_byte(&mut self, byte: u8) {
        if self.in_text {
            self.keep(byte);
            self.in_text = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            return;
        }
        match byte {
            b'{' | b'[' => {
                self.keep(byte);
                self.depth = self.depth.saturating_add(1);
            }
            b'}' | b']' => {
                self.end_value();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_value(),
            b':' if self.depth == 1 => {
                self.is_next = self.word == b"\"id\"";
                self.word.clear();
            }
            _ => {
                self.in_text = byte == b'"';
                if !byte.is_ascii_whitespace() {
                    self.keep(byte);
                }
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() <= LARGEST_ID {
            self.word.push(byte);
        }
    }

    fn end_value(&mut self) {
        if self.depth != 1 {
            return;
        }
        if self.is_next && self.word.len() <= LARGEST_ID {
            let id = serde_json::from_slice(&self.word).ok();
            self.found = id.filter(|id: &Value| id.is_string() || id.is_i64());
        }
        self.is_next = false;
        self.word.clear();
    }

    /// The line that stands for the request; an empty one for what has no id, and so gets no answer.
    fn refused(self) -> Vec<u8> {
        let request = self
            .found
            .map(|id| json!({ "jsonrpc": "2.0", "id": id, "method": TOO_LARGE }).to_string());
        (request.unwrap_or_default() + "\n").into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is passed on of an input, with 100 bytes a line at most.
    fn passed(input: &str) -> String {
        let mut output = Vec::new();
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let runtime = runtime.expect("a runtime");
        runtime.block_on(pass(
            BufReader::with_capacity(7, input.as_bytes()),
            &mut output,
            100,
        ));
        String::from_utf8(output).expect("UTF-8")
    }

    #[test]
    fn what_is_too_large_keeps_its_id_and_nothing_else() {
        let long = "x".repeat(200);
        let refused =
            |id: &str| format!("{{\"id\":{id},\"jsonrpc\":\"2.0\",\"method\":\"{TOO_LARGE}\"}}\n");
        for (large, id) in [
            (
                format!(r#"{{"id": 7, "params": {{"id": 8, "text": "{long}"}}}}"#),
                "7",
            ),
            (
                format!(r#"{{"params": {{"text": "{long}"}}, "id":"a\"}}"}}"#),
                r#""a\"}""#,
            ),
            (format!(r#"{{"a": "\"id\": 9, {long}", "id": 1}}"#), "1"),
            (
                format!(r#"{{"a": ["id", 3, {{"id": 2}}, "{long}"], "id": 4}}"#),
                "4",
            ),
        ] {
            let input = format!("{{}}\n{large}\n[1]\n");
            assert_eq!(
                passed(&input),
                format!("{{}}\n{}[1]\n", refused(id)),
                "{large}"
            );
        }
    }

    #[test]
    fn what_has_no_id_gets_no_answer() {
        let long = "x".repeat(2000);
        for large in [
            format!(r#"{{"method": "{long}"}}"#),
            format!(r#"{{"id": "{long}"}}"#),
            format!(r#"{{"id": {{"a": "{long}"}}}}"#),
            format!("{long}}}}}}}"),
        ] {
            assert_eq!(passed(&format!("{large}\n[1]\n")), "\n[1]\n");
        }
    }
}
