//! `cgsan explain --serve`, driven as a client of the Model Context Protocol drives it: a JSON message a line.

mod support;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use support::{cgsan, python, root};

/// A recorded trace with one finding.
const RECORDED: &str = "examples/recorded/cg105_stream_not_forked.cgsan";

/// A program with that finding.
const FAILS: &str = "examples/cg105_stream_not_forked/fails.py";

/// A client with a server of its own, beyond the handshake.
struct Client {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u32,
}

/// Where a server in a folder of a test's has its temporary files; elsewhere, where they usually are.
fn temporary(folder: &Path) -> PathBuf {
    let own = folder.join("temporary");
    if own.is_dir() {
        own
    } else {
        std::env::temp_dir()
    }
}

impl Client {
    fn start() -> Client {
        Client::start_in(&root(), &[])
    }

    /// In a folder, with more options.
    fn start_in(folder: &Path, options: &[&str]) -> Client {
        let mut server = Command::new(env!("CARGO_BIN_EXE_cgsan"))
            .args(["explain", "--serve"])
            .args(options)
            .current_dir(folder)
            .env("TMPDIR", temporary(folder))
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

    /// What is wrong with a call, for the caller to read.
    fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"]
            .as_str()
            .expect("a text")
            .to_owned()
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
            ("lint", vec!["baseline", "ignore", "paths", "select"]),
            ("report", vec!["baseline", "ignore", "paths", "select"]),
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

    let printed = cgsan(&root(), &["explain", "--json", "--lang", "en", text]);
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

/// What a command of the same name prints with `--json`, and as text.
fn printed(arguments: &[&str]) -> (Value, String) {
    let output = |more: &[&str]| {
        let output = cgsan(&root(), &[arguments, more].concat());
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let json = serde_json::from_str(&output(&["--json"])).expect("it prints JSON");
    (json, output(&[]))
}

#[test]
fn source_and_traces_are_reported_on_as_on_the_command_line() {
    let mut client = Client::start();
    for (tool, path) in [("lint", FAILS), ("report", RECORDED)] {
        let served = client.call(tool, &json!({ "paths": [path] }));
        let absolute = root().canonicalize().expect("it is there").join(path);
        let (mut wanted, text) = printed(&[tool, &absolute.to_string_lossy()]);
        let mut json = served["structuredContent"].clone();
        if tool == "lint" {
            // It names the command line of the linter.
            wanted["program"] = Value::Null;
            json["program"] = Value::Null;
        }
        assert_eq!(json["findings"][0]["id"], "CG105", "{served}");
        assert_eq!(json, wanted);
        assert_eq!(served["content"][0]["text"], text);
    }
    assert!(client.leave().success());
}

#[test]
fn nothing_outside_of_the_folder_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("project");
    fs::create_dir(&inside).expect("a folder");
    fs::write(folder.path().join("outside.py"), "import torch\n").expect("a file");
    symlink("../outside.py", inside.join("link.py")).expect("a link");
    fs::write(inside.join("--output"), "not a trace").expect("a file");
    let mut client = Client::start_in(&inside, &[]);
    for path in ["../outside.py", "link.py", "/", "/etc/passwd"] {
        for tool in ["lint", "report"] {
            let told = client.refused(tool, &json!({ "paths": [path] }));
            assert!(told.contains("is not in"), "{tool} {path}: {told}");
        }
        let told = client.refused("diagnose_log", &json!({ "path": path }));
        assert!(told.contains("is not in"), "diagnose_log {path}: {told}");
    }
    let hostile = [
        (json!({ "paths": [] }), "empty"),
        (json!({ "paths": ["no such file"] }), "no such file"),
        (json!({ "paths": ["a\u{0}b"] }), "cannot read"),
        (json!({ "paths": ["x".repeat(1 << 20)] }), "cannot read"),
        (json!({ "paths": ["--output"] }), "is not a trace"),
        (json!({ "paths": "x" }), "wrong arguments"),
        (json!({ "paths": ["."], "output": "x" }), "wrong arguments"),
    ];
    for (arguments, wanted) in &hostile {
        let told = client.refused("report", arguments);
        assert!(told.contains(wanted), "{told}");
    }
    assert!(client.leave().success());

    let mut wider = Client::start_in(&inside, &["--folder", ".."]);
    let linted = wider.call("lint", &json!({ "paths": ["outside.py"] }));
    assert_eq!(
        linted["structuredContent"]["findings"],
        json!([]),
        "{linted}"
    );
    assert!(wider.leave().success());
}

#[test]
fn what_is_too_large_is_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let large = "RuntimeError: CUDA error\n".repeat(750_000);
    fs::write(folder.path().join("log"), &large).expect("a file");
    let mut client = Client::start_in(folder.path(), &[]);
    let told = client.refused("diagnose_log", &json!({ "path": "log" }));
    assert!(told.contains("larger than"), "{told}");
    let answer = client.request(
        "tools/call",
        &json!({ "name": "diagnose_log", "arguments": { "text": large } }),
    );
    let told = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(told.contains("larger than 16 MB"), "{answer}");
    let text = "RuntimeError: CUDA error: capturing stream has unjoined work";
    let next = client.call("diagnose_log", &json!({ "text": text }));
    assert_eq!(
        next["structuredContent"]["candidates"][0]["id"], "CG106",
        "{next}"
    );
    assert!(client.leave().success());
}

#[test]
fn programs_run_only_where_that_is_allowed() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = folder.path().join("made");
    let touch = json!({ "program": ["touch", made], "virtual": true });
    let mut client = Client::start_in(folder.path(), &[]);
    let told = client.refused("run", &touch);
    assert!(told.contains("--allow-run"), "{told}");
    assert!(!made.exists());
    assert!(client.leave().success());

    let mut client = Client::start_in(folder.path(), &["--allow-run"]);
    let tools = client.request("tools/list", &json!({}));
    let last = tools["result"]["tools"]
        .as_array()
        .expect("tools")
        .last()
        .cloned();
    let last = last.expect("a tool");
    assert_eq!(last["name"], "run");
    assert_eq!(last["annotations"]["readOnlyHint"], false);
    let ran = client.call("run", &touch);
    assert_eq!(ran["structuredContent"]["exit"], 0, "{ran}");
    assert!(made.exists());
    let hostile = [
        (json!({ "program": [] }), "empty"),
        (
            json!({ "program": ["--output", "stolen"] }),
            "cannot be started",
        ),
        (
            json!({ "program": ["no-such-program"] }),
            "cannot be started",
        ),
        (
            json!({ "program": ["true", "a\u{0}b"] }),
            "cannot be started",
        ),
        (
            json!({ "program": ["true", "x".repeat(8 << 20)] }),
            "cannot be started",
        ),
        (
            json!({ "program": ["true"], "directory": ".." }),
            "is not in",
        ),
        (
            json!({ "program": ["true"], "timeout_seconds": 0 }),
            "timeout_seconds",
        ),
        (json!({ "program": "true" }), "wrong arguments"),
    ];
    for (arguments, wanted) in &hostile {
        let told = client.refused("run", arguments);
        assert!(told.contains(wanted), "{told}");
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    assert!(client.leave().success());
}

#[test]
fn output_and_time_of_a_program_are_bounded() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut client = Client::start_in(folder.path(), &["--allow-run"]);
    let line = "yes | head -c 30000000; echo the end";
    let ran = client.call(
        "run",
        &json!({ "program": ["sh", "-c", line], "virtual": true }),
    );
    let told = ran["content"].as_array().expect("texts").last().cloned();
    let told = told.expect("a text")["text"]
        .as_str()
        .expect("a text")
        .to_owned();
    assert!(told.starts_with("standard output of the program:\n…") && told.ends_with("the end\n"));
    assert!(told.len() < 100_000, "{}", told.len());

    let late = json!({ "program": ["sleep", "1000"], "virtual": true, "timeout_seconds": 1 });
    let begun = Instant::now();
    let ran = client.call("run", &late);
    assert!(begun.elapsed() < Duration::from_mins(1));
    assert_eq!(ran["structuredContent"]["exit"], Value::Null);
    let told = ran["content"][1]["text"].as_str().expect("a text");
    assert!(told.contains("ended after 1 seconds"), "{told}");
    assert!(client.leave().success());
}

/// Whether a program that wrote its number into a file ends soon.
fn ends(file: &Path) -> bool {
    let number = |file: &Path| fs::read_to_string(file).ok()?.trim().parse::<u32>().ok();
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_mins(1) {
        // A killed one that nobody waited for has no command line any more.
        let is_there =
            |it: u32| fs::read(format!("/proc/{it}/cmdline")).is_ok_and(|it| !it.is_empty());
        if number(file).is_some_and(|it| !is_there(it)) {
            return true;
        }
        thread::sleep(Duration::from_millis(50));
    }
    false
}

/// A client that asked for a program, which has started, and the file with its number.
fn running(folder: &Path, line: &str) -> (Client, PathBuf) {
    let file = folder.join("pid");
    let mut client = Client::start_in(folder, &["--allow-run"]);
    let program = json!({ "program": ["sh", "-c", line], "virtual": true });
    client.send(&json!({
        "jsonrpc": "2.0",
        "id": 99,
        "method": "tools/call",
        "params": { "name": "run", "arguments": program },
    }));
    let begun = Instant::now();
    while fs::read_to_string(&file).unwrap_or_default().is_empty() {
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "it does not start"
        );
        thread::sleep(Duration::from_millis(20));
    }
    (client, file)
}

/// A program that only a kill ends.
const STUBBORN: &str = "echo $$ > pid; trap '' TERM; while :; do sleep 1; done";

#[test]
fn a_program_ends_when_its_client_cancels() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut client, file) = running(folder.path(), STUBBORN);
    client.send(&json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": { "requestId": 99 },
    }));
    assert!(ends(&file));
    client.leave();
}

#[test]
fn a_program_ends_when_its_client_leaves() {
    let folder = tempfile::tempdir().expect("a folder");
    let (client, file) = running(folder.path(), STUBBORN);
    client.leave();
    assert!(ends(&file));
}

#[test]
fn a_program_ends_when_the_server_is_killed_and_nothing_is_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).expect("a folder");
    let (mut client, file) = running(folder.path(), "echo $$ > pid; exec sleep 1000");
    client.server.kill().expect("it is our child");
    assert!(ends(&file));
    client.leave();
    let left = || fs::read_dir(&temporary).expect("a folder").count();
    let begun = Instant::now();
    while left() > 0 {
        assert!(begun.elapsed() < Duration::from_mins(1), "it leaves files");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_program_is_run_for_a_client() {
    let mut client = Client::start_in(&root(), &["--allow-run"]);
    let program = [python().to_string_lossy().into_owned(), FAILS.to_owned()];
    let ran = client.call("run", &json!({ "program": program, "virtual": true }));
    let report = &ran["structuredContent"];
    assert_eq!(report["findings"][0]["id"], "CG105", "{ran}");
    assert_eq!(report["exit"], 1);
    let texts: Vec<&str> = ran["content"]
        .as_array()
        .expect("texts")
        .iter()
        .filter_map(|it| it["text"].as_str())
        .collect();
    assert!(texts[0].starts_with("error[CG105]"), "{texts:?}");
    assert!(texts[1].contains("AcceleratorError"), "{texts:?}");
    assert!(client.leave().success());
}
