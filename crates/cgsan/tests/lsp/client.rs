//! A client of the Language Server Protocol that speaks to the real binary over pipes.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// An answer that takes longer never comes.
const PATIENCE: Duration = Duration::from_mins(1);

/// A client and its server.
pub struct Client {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    next_id: u64,
    next_version: u64,
    /// Notifications and requests of the server that came while an answer was waited for.
    news: Vec<Value>,
    /// The diagnostics that are shown, by address.
    shown: BTreeMap<String, Vec<Value>>,
}

/// What an editor of today can do.
pub fn abilities() -> Value {
    json!({
        "general": {"positionEncodings": ["utf-16"]},
        "textDocument": {
            "publishDiagnostics": {
                "relatedInformation": true,
                "codeDescriptionSupport": true,
                "tagSupport": {"valueSet": [1, 2]},
            },
            "hover": {"contentFormat": ["markdown", "plaintext"]},
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
        },
        "workspace": {"workspaceEdit": {"documentChanges": true}},
    })
}

/// The address of a file.
pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

impl Client {
    /// Starts a server, and says nothing yet.
    pub fn start() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_cgsan"))
            .args(["lsp", "--stdio"])
            .env_remove("VIRTUAL_ENV")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let output = server.stdout.take().expect("it was asked for");
        let (sender, messages) = channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = receive(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            input: server.stdin.take(),
            server,
            messages,
            next_id: 1,
            next_version: 1,
            news: Vec::new(),
            shown: BTreeMap::new(),
        }
    }

    /// Starts a server and introduces a client. Returns the server's answer, too.
    pub fn initialized(params: &Value) -> (Self, Value) {
        let mut client = Self::start();
        let answer = client.request("initialize", params);
        client.notify("initialized", &json!({}));
        (client, answer["result"].clone())
    }

    /// A client of today with a folder opened.
    pub fn in_folder(folder: &Path) -> Self {
        let params = json!({
            "processId": null,
            "rootUri": null,
            "capabilities": abilities(),
            "workspaceFolders": [{"uri": uri(folder), "name": "folder"}],
        });
        Self::initialized(&params).0
    }

    /// Sends bytes as they are.
    pub fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the client has not gone away");
        // A server that has ended is noticed by what it no longer says.
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    /// Sends messages at once.
    pub fn send_all(&mut self, messages: &[Value]) {
        let frames = messages.iter().map(|message| {
            let body = message.to_string();
            format!("Content-Length: {}\r\n\r\n{body}", body.len())
        });
        self.send_raw(frames.collect::<String>().as_bytes());
    }

    fn send(&mut self, message: &Value) {
        self.send_all(std::slice::from_ref(message));
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and waits for the answer to it.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.answer_to(&json!(id))
    }

    /// Waits for the answer to a request that was sent.
    pub fn answer_to(&mut self, id: &Value) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == *id && message.get("method").is_none() {
                return message;
            }
            self.news.push(message);
        }
    }

    /// What is shown once the server has checked everything that it was given, by address.
    pub fn settled(&mut self) -> &BTreeMap<String, Vec<Value>> {
        let params =
            json!({"textDocument": {"uri": "cgsan:none"}, "position": {"line": 0, "character": 0}});
        self.request("textDocument/hover", &params);
        for message in std::mem::take(&mut self.news) {
            if !self.show(&message) {
                self.news.push(message);
            }
        }
        &self.shown
    }

    /// Shows diagnostics. Returns whether a message has some.
    fn show(&mut self, message: &Value) -> bool {
        if message["method"] != "textDocument/publishDiagnostics" {
            return false;
        }
        let params = &message["params"];
        let address = params["uri"].as_str().expect("an address").to_owned();
        let diagnostics = params["diagnostics"].as_array().expect("a list").clone();
        self.shown.insert(address, diagnostics);
        true
    }

    fn receive(&mut self) -> Value {
        match self.messages.recv_timeout(PATIENCE) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => panic!("the server says nothing"),
            Err(RecvTimeoutError::Disconnected) => panic!("the server has gone away"),
        }
    }

    /// The next message that the server sends unasked with this method.
    pub fn wait_for(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.news.iter().position(|it| it["method"] == method) {
                let message = self.news.remove(at);
                self.show(&message);
                return message["params"].clone();
            }
            let message = self.receive();
            self.news.push(message);
        }
    }

    /// Whether the server has sent something with this method that was not asked for yet.
    pub fn has(&self, method: &str) -> bool {
        self.news.iter().any(|it| it["method"] == method)
    }

    /// The diagnostics of a file after the last edit of it; waits until they come.
    pub fn diagnostics(&mut self, path: &Path) -> Vec<Value> {
        let wanted = uri(path);
        loop {
            let params = self.wait_for("textDocument/publishDiagnostics");
            let is_old = params["version"]
                .as_u64()
                .is_some_and(|version| version + 1 < self.next_version);
            if params["uri"] == wanted && !is_old {
                return params["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    /// Opens a file with a text that may differ from the one on disk.
    pub fn open(&mut self, path: &Path, text: &str) {
        let version = self.version();
        let document =
            json!({"uri": uri(path), "languageId": "python", "version": version, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
    }

    /// Edits an open file. A change has a `text` and may have a `range`.
    pub fn change(&mut self, path: &Path, changes: &Value) {
        let version = self.version();
        let params = json!({
            "textDocument": {"uri": uri(path), "version": version},
            "contentChanges": changes,
        });
        self.notify("textDocument/didChange", &params);
    }

    fn version(&mut self) -> u64 {
        self.next_version += 1;
        self.next_version - 1
    }

    /// The text of an explanation at a place.
    pub fn hover(&mut self, path: &Path, line: u64, character: u64) -> Option<String> {
        self.hover_at(&uri(path), line, character)
    }

    /// The text of an explanation at a place of the text at an address.
    pub fn hover_at(&mut self, uri: &str, line: u64, character: u64) -> Option<String> {
        let params = json!({
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": character},
        });
        let answer = self.request("textDocument/hover", &params);
        let value = answer["result"]["contents"]["value"].as_str()?;
        Some(value.to_owned())
    }

    /// The actions that are offered for a diagnostic.
    pub fn actions(&mut self, path: &Path, diagnostic: &Value) -> Vec<Value> {
        self.actions_at(&uri(path), diagnostic)
    }

    /// The actions that are offered for a diagnostic of the text at an address.
    pub fn actions_at(&mut self, uri: &str, diagnostic: &Value) -> Vec<Value> {
        let params = json!({
            "textDocument": {"uri": uri},
            "range": diagnostic["range"],
            "context": {"diagnostics": [diagnostic]},
        });
        let answer = self.request("textDocument/codeAction", &params);
        answer["result"].as_array().expect("a list").clone()
    }

    /// Says goodbye in order. Returns the exit status.
    pub fn leave(mut self) -> Option<i32> {
        let answer = self.request("shutdown", &Value::Null);
        assert_eq!(answer["result"], Value::Null, "{answer}");
        self.notify("exit", &Value::Null);
        self.exit_status()
    }

    /// Goes away, and waits for the server to end.
    pub fn exit_status(mut self) -> Option<i32> {
        self.input = None;
        self.server.wait().expect("the server ends").code()
    }
}

impl Drop for Client {
    /// A test that failed leaves no server behind.
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn receive(output: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.parse().ok();
        }
    }
    let mut body = vec![0; length?];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// A text with the edits of an action made, whose columns count UTF-16.
pub fn applied(text: &str, action: &Value) -> String {
    let changes = action["edit"]["documentChanges"].as_array();
    let [change] = &changes.expect("changes of documents")[..] else {
        panic!("one document: {action}");
    };
    edited(text, change)
}

/// A text with the edits of a change of its document made, whose columns count UTF-16.
pub fn edited(text: &str, change: &Value) -> String {
    let mut edits: Vec<(usize, usize, &str)> = change["edits"]
        .as_array()
        .expect("edits")
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let new = edit["newText"].as_str().expect("a text");
            (
                offset(text, &range["start"]),
                offset(text, &range["end"]),
                new,
            )
        })
        .collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.0));
    let mut text = text.to_owned();
    for (start, end, new) in edits {
        text.replace_range(start..end, new);
    }
    text
}

fn offset(text: &str, position: &Value) -> usize {
    let number = |key: &str| {
        let number = position[key].as_u64().expect("a number");
        usize::try_from(number).expect("a small number")
    };
    let lines = text.split_inclusive('\n');
    let start: usize = lines.clone().take(number("line")).map(str::len).sum();
    let line = lines.clone().nth(number("line")).unwrap_or_default();
    let mut left = number("character");
    let mut characters = line.chars();
    let mut bytes = 0;
    while left > 0 {
        let character = characters.next().expect("the line is long enough");
        left -= character.len_utf16();
        bytes += character.len_utf8();
    }
    start + bytes
}
