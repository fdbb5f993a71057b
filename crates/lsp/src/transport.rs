//! Messages between the server and its client: the frames of the protocol on standard input and output.

use std::io::{self, BufRead, Read as _, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value, json};

/// Bytes of the largest message that is taken. The size is believed before the bytes have come.
const LARGEST: u64 = 256 << 20;

/// Bytes of the longest line of a header.
const LONGEST_LINE: u64 = 4096;

/// What a client sends.
#[derive(Debug)]
pub enum Incoming {
    /// A message.
    Message(Message),
    /// A frame that holds none.
    Malformed(Malformed),
    /// The last of all: the client has gone away, or does not speak the protocol.
    End(io::Result<()>),
}

/// The contents of a frame that are no message.
#[derive(Debug, PartialEq)]
pub struct Malformed {
    code: ErrorNumber,
    reason: String,
    /// The id, where one can be seen.
    id: Value,
}

/// A number of the protocol for an error.
type ErrorNumber = i32;

/// Reads messages in a thread of its own, each of which is given to `take` until that returns `false`.
pub fn read_all(take: impl Fn(Incoming) -> bool + Send + 'static) {
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let incoming = match read_frame(&mut input) {
                Ok(Some(body)) => message(&body),
                Ok(None) => Incoming::End(Ok(())),
                Err(error) => Incoming::End(Err(error)),
            };
            let is_last = matches!(incoming, Incoming::End(_));
            if !take(incoming) || is_last {
                break;
            }
        }
    });
}

/// The next frame's contents. `None` at the end.
fn read_frame(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let wrong = |reason: &str| io::Error::new(io::ErrorKind::InvalidData, reason.to_owned());
    let mut length = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        let read = input
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)?;
        if read == 0 && is_first {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') {
            return Err(wrong("a header of a message has no end"));
        }
        is_first = false;
        let line = line.trim_ascii_end();
        if line.is_empty() {
            break;
        }
        let header = std::str::from_utf8(line)
            .ok()
            .and_then(|it| it.split_once(':'));
        let Some((name, value)) = header else {
            return Err(wrong("a message begins with something else than a header"));
        };
        if name.eq_ignore_ascii_case("Content-Length") {
            let value = value.trim().parse().ok().filter(|it| *it <= LARGEST);
            length = Some(value.ok_or_else(|| wrong("a message has a length that cannot be"))?);
        }
    }
    let length: u64 = length.ok_or_else(|| wrong("a message does not say how long it is"))?;
    let mut body = Vec::new();
    let read = input.by_ref().take(length).read_to_end(&mut body)?;
    if u64::try_from(read).is_ok_and(|it| it == length) {
        Ok(Some(body))
    } else {
        Err(wrong("a message is shorter than it says"))
    }
}

/// What a frame holds.
fn message(body: &[u8]) -> Incoming {
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(error) => {
            return Incoming::Malformed(Malformed {
                code: ErrorCode::ParseError as i32,
                reason: format!("invalid JSON: {error}"),
                id: Value::Null,
            });
        }
    };
    let id = value.get("id").cloned();
    // A request whose id is none would otherwise be taken for a notification.
    let message = match &id {
        Some(_) if value.get("method").is_some() => {
            serde_json::from_value::<Request>(value).map(Message::Request)
        }
        Some(_) => serde_json::from_value::<Response>(value).map(Message::Response),
        None => serde_json::from_value::<Notification>(value).map(Message::Notification),
    };
    message.map_or_else(
        |_| {
            Incoming::Malformed(Malformed {
                code: ErrorCode::InvalidRequest as i32,
                reason: "this is not a JSON-RPC 2.0 message".to_owned(),
                id: id.unwrap_or_default(),
            })
        },
        Incoming::Message,
    )
}

/// Where messages to the client go. They are written in a thread of their own, so that a client that does not read does
/// not stop the server.
pub struct Outbox {
    messages: Sender<Value>,
    writer: JoinHandle<io::Result<()>>,
}

impl Outbox {
    /// Standard output.
    pub fn open() -> Self {
        let (messages, waiting) = channel();
        let writer = thread::spawn(move || write_all(&waiting, &mut io::stdout().lock()));
        Self { messages, writer }
    }

    /// Sends a message. Without a client that listens there is nothing to be done; the end of its messages ends the server.
    pub fn send(&self, message: impl Into<Message>) {
        let mut message = serde_json::to_value(message.into()).unwrap_or_default();
        message["jsonrpc"] = json!("2.0");
        let _ = self.messages.send(message);
    }

    /// Says that something was no message.
    pub fn refuse(&self, malformed: &Malformed) {
        let error = json!({"code": malformed.code, "message": malformed.reason});
        let _ = self
            .messages
            .send(json!({"jsonrpc": "2.0", "id": malformed.id, "error": error}));
    }

    /// Waits until everything is written.
    ///
    /// # Errors
    ///
    /// If it could not be written.
    pub fn close(self) -> io::Result<()> {
        drop(self.messages);
        self.writer
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the writer of messages failed")))
    }
}

fn write_all(messages: &Receiver<Value>, output: &mut impl Write) -> io::Result<()> {
    for message in messages {
        let body = message.to_string();
        write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        output.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(mut bytes: &[u8]) -> (Vec<String>, bool) {
        let mut frames = Vec::new();
        loop {
            match read_frame(&mut bytes) {
                Ok(Some(frame)) => frames.push(String::from_utf8_lossy(&frame).into_owned()),
                Ok(None) => return (frames, true),
                Err(_) => return (frames, false),
            }
        }
    }

    #[test]
    fn frames_are_read_whatever_else_the_header_says() {
        let bytes = b"Content-Length: 2\r\n\r\n{}content-type: x; charset=utf-8\r\nCONTENT-LENGTH:1\r\n\r\n7";
        assert_eq!(frames(bytes), (vec!["{}".to_owned(), "7".to_owned()], true));
        assert_eq!(frames(b""), (Vec::new(), true));
    }

    #[test]
    fn what_is_no_frame_is_the_end() {
        for bytes in [
            &b"hello\r\n\r\n"[..],
            b"\r\n",
            b"Content-Length: -1\r\n\r\n",
            b"Content-Length: 99999999999999\r\n\r\n",
            b"Content-Length: 3\r\n\r\n{}",
            b"Content-Length: 3",
            &[b'a'; 9999],
        ] {
            assert_eq!(frames(bytes), (Vec::new(), false), "{}", bytes.len());
        }
    }

    #[test]
    fn a_message_is_a_request_a_response_or_a_notification() {
        let kind = |body: &str| match message(body.as_bytes()) {
            Incoming::Message(Message::Request(_)) => "request".to_owned(),
            Incoming::Message(Message::Response(_)) => "response".to_owned(),
            Incoming::Message(Message::Notification(_)) => "notification".to_owned(),
            Incoming::Malformed(it) => format!("{} {}", it.code, it.id),
            Incoming::End(_) => "end".to_owned(),
        };
        assert_eq!(kind(r#"{"id":1,"method":"a"}"#), "request");
        assert_eq!(kind(r#"{"id":"x","result":null}"#), "response");
        assert_eq!(kind(r#"{"method":"a","params":{}}"#), "notification");
        assert_eq!(kind("{]}"), "-32700 null");
        assert_eq!(kind("[]"), "-32600 null");
        assert_eq!(kind(r#"{"id":null,"method":"a"}"#), "-32600 null");
        assert_eq!(kind(r#"{"id":7,"method":8}"#), "-32600 7");
        assert_eq!(
            kind(r#"{"id":9999999999,"method":"a"}"#),
            "-32600 9999999999"
        );
    }
}
