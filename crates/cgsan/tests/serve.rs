//! `cgsan explain --serve`, driven as a client of the Model Context Protocol drives it: a JSON message a line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

/// A client with a server of its own, beyond the handshake.
struct Client {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u32,
}

impl Client {
    fn start() -> Client {
        let mut server = Command::new(env!("CARGO_BIN_EXE_cgsan"))
            .args(["explain", "--serve"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("cgsan starts");
        let input = server.stdin.take().expect("its standard input is piped");
        let output = BufReader::new(server.stdout.take().expect("its standard output is piped"));
        let mut client = Client {
            server,
            input,
            output,
            requests: 0,
        };
        let hello = client.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "cgsan");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("the server reads");
    }

    /// Sends a request and waits for its answer.
    fn request(&mut self, method: &str, parameters: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        let mut line = String::new();
        self.output
            .read_line(&mut line)
            .expect("the server answers");
        let answer: Value = serde_json::from_str(&line).expect("an answer is JSON");
        assert_eq!(answer["id"], id);
        answer
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.request(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        answer["result"].clone()
    }

    /// Closes the server's standard input, as a client does that leaves.
    fn leave(self) -> ExitStatus {
        let Client {
            mut server, input, ..
        } = self;
        drop(input);
        server.wait().expect("the server ends")
    }
}

#[test]
fn a_client_finds_the_tools_and_their_arguments() {
    let mut client = Client::start();
    let tools = client.request("tools/list", &json!({}));
    let tools: Vec<(&str, Vec<&str>)> = tools["result"]["tools"]
        .as_array()
        .expect("a list of tools")
        .iter()
        .map(|tool| {
            let properties = tool["inputSchema"]["properties"]
                .as_object()
                .expect("properties");
            let name = tool["name"].as_str().expect("a name");
            (name, properties.keys().map(String::as_str).collect())
        })
        .collect();
    assert_eq!(
        tools,
        [
            ("look_up", vec!["name"]),
            ("search", vec!["language", "query"]),
            ("diagnose_log", vec!["language", "path", "text"]),
        ]
    );
    assert!(client.leave().success());
}

#[test]
fn a_log_is_diagnosed_as_on_the_command_line() {
    let text = "RuntimeError: CUDA error: capturing stream has unjoined work";
    let mut client = Client::start();
    let served = client.call("diagnose_log", &json!({ "text": text }));
    assert!(client.leave().success());

    let printed = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(["explain", "--json", "--lang", "en", text])
        .output()
        .expect("cgsan starts");
    let printed: Value = serde_json::from_slice(&printed.stdout).expect("it prints JSON");
    assert_eq!(served["structuredContent"], printed);
    assert_eq!(printed["candidates"][0]["id"], "CG106");
}

#[test]
fn mistakes_are_answered_and_the_server_goes_on() {
    let mut client = Client::start();
    let unknown = client.call("look_up", &json!({ "name": "CG999" }));
    assert_eq!(unknown["isError"], true);
    let nobody = client.request("tools/call", &json!({ "name": "fly", "arguments": {} }));
    assert!(
        nobody["error"]["message"]
            .as_str()
            .is_some_and(|message| message.contains("fly"))
    );
    let known = client.call("look_up", &json!({ "name": "CG106" }));
    assert_eq!(
        known["structuredContent"]["entry"]["name"],
        "stream-not-rejoined"
    );
    assert!(client.leave().success());
}
