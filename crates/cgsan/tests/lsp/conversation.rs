//! The protocol itself: how a conversation begins and ends, and what is refused.

use serde_json::{Value, json};

use crate::client::{Client, abilities, uri};
use crate::{READS, client_with, everything, ids_and_lines};

#[test]
fn the_server_introduces_itself() {
    let (client, answer) = Client::initialized(
        &json!({"processId": null, "rootUri": null, "capabilities": abilities()}),
    );
    insta::assert_snapshot!(serde_json::to_string_pretty(&answer["capabilities"]).expect("JSON"));
    assert_eq!(answer["serverInfo"]["name"], "cgsan");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn exit_without_shutdown_is_out_of_order() {
    let (mut client, _folder, _) = client_with("a.py");
    client.notify("exit", &Value::Null);
    assert_eq!(client.exit_status(), Some(1));
}

#[test]
fn a_client_that_goes_away_ends_the_server() {
    let (client, _folder, _) = client_with("a.py");
    assert_eq!(client.exit_status(), Some(1));
    assert_eq!(Client::start().exit_status(), Some(1));
}

#[test]
fn requests_have_their_time() {
    let mut client = Client::start();
    let code = |answer: Value| answer["error"]["code"].as_i64();
    assert_eq!(
        code(client.request("textDocument/hover", &json!({}))),
        Some(-32002)
    );
    client.notify("textDocument/didSave", &json!({}));
    let answer = client.request("initialize", &json!({"capabilities": {}}));
    assert!(answer["result"]["capabilities"].is_object(), "{answer}");
    let again = client.request("initialize", &json!({"capabilities": {}}));
    assert_eq!(code(again), Some(-32600));
    client.request("shutdown", &Value::Null);
    assert_eq!(
        code(client.request("textDocument/hover", &json!({}))),
        Some(-32600)
    );
    client.notify("exit", &Value::Null);
    assert_eq!(client.exit_status(), Some(0));
}

#[test]
fn what_is_unknown_or_malformed_is_refused_and_the_server_goes_on() {
    let (mut client, _folder, path) = client_with("a.py");
    let code = |answer: Value| answer["error"]["code"].as_i64();
    assert_eq!(
        code(client.request("textDocument/rename", &json!({}))),
        Some(-32601)
    );
    assert_eq!(
        code(client.request("cgsan/dance", &json!({}))),
        Some(-32601)
    );
    assert_eq!(
        code(client.request("textDocument/hover", &json!({"position": 7}))),
        Some(-32602)
    );
    client.notify("textDocument/didOpen", &json!({"text": 7}));
    client.notify("textDocument/didChange", &Value::Null);
    client.notify("$/setTrace", &json!({"value": "off"}));
    client.change(&path, &json!([{"text": "a file that is not open"}]));
    client.open(&path, READS);
    let found = ids_and_lines(&client.diagnostics(&path));
    assert_eq!(found, [("CG101".to_owned(), 7)]);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn what_is_no_frame_ends_the_server_with_a_reason() {
    for bytes in [
        &b"hello\r\n\r\n"[..],
        b"Content-Length: 99999999999999\r\n\r\n{}",
    ] {
        let mut client = Client::start();
        client.send_raw(bytes);
        assert_eq!(client.exit_status(), Some(1));
    }
}

#[test]
fn what_is_no_message_is_refused_and_the_server_goes_on() {
    let (mut client, _folder, path) = client_with("a.py");
    for (bytes, code) in [
        (&b"Content-Length: 3\r\n\r\n{]}"[..], -32700),
        (b"Content-Length: 2\r\n\r\n[]", -32600),
    ] {
        client.send_raw(bytes);
        let answer = client.answer_to(&Value::Null);
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    client.open(&path, READS);
    let found = ids_and_lines(&client.diagnostics(&path));
    assert_eq!(found, [("CG101".to_owned(), 7)]);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_request_that_is_cancelled_in_time_gets_no_result() {
    let (mut client, folder, path) = client_with("a.py");
    let opened = (0..50).map(|number| {
        let uri = uri(&folder.path().join(format!("{number}.py")));
        let document = json!({"uri": uri, "languageId": "python", "version": 1, "text": READS});
        json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}})
    });
    let mut messages: Vec<Value> = opened.collect();
    let position = json!({"line": 6, "character": 12});
    let params = json!({"textDocument": {"uri": uri(&path)}, "position": position});
    messages.push(
        json!({"jsonrpc": "2.0", "id": "h", "method": "textDocument/hover", "params": params}),
    );
    messages.push(json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "h"}}));
    client.send_all(&messages);
    let answer = client.answer_to(&json!("h"));
    assert_eq!(answer["error"]["code"], -32800, "{answer}");
    // The checks go on, and one that comes too late changes nothing.
    assert_eq!(client.settled().len(), 50);
    client.notify("$/cancelRequest", &json!({"id": "h"}));
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn edits_in_quick_succession_end_with_the_diagnostics_of_the_last() {
    let (mut client, _folder, path) = client_with("a.py");
    client.open(&path, READS);
    let mut versions = Vec::new();
    for count in 1..60 {
        let new = "\n".repeat(count % 7);
        client.change(&path, &everything(&format!("{new}{READS}")));
    }
    client.change(&path, &everything(&format!("\n\n{READS}")));
    let last = client.diagnostics(&path);
    assert_eq!(ids_and_lines(&last), [("CG101".to_owned(), 9)]);
    client.request("textDocument/hover", &json!({}));
    while client.has("textDocument/publishDiagnostics") {
        let params = client.wait_for("textDocument/publishDiagnostics");
        versions.push(params["version"].as_u64());
    }
    assert!(versions.is_sorted(), "{versions:?}");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_text_of_any_size_ends_in_diagnostics() {
    let (mut client, _folder, path) = client_with("a.py");
    client.open(&path, &"x = 1\n".repeat(3_000_000));
    let diagnostics = client.diagnostics(&path);
    let message = diagnostics[0]["message"].as_str().expect("a text");
    assert!(message.contains("larger than"), "{message}");
    client.change(&path, &everything(READS));
    let found = ids_and_lines(&client.diagnostics(&path));
    assert_eq!(found, [("CG101".to_owned(), 7)]);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_client_that_can_is_asked_to_tell_of_changed_files() {
    let capabilities =
        json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}});
    let (mut client, _) = Client::initialized(&json!({"capabilities": capabilities}));
    let request = client.wait_for("client/registerCapability");
    insta::assert_snapshot!(serde_json::to_string_pretty(&request).expect("JSON"));
    assert_eq!(client.leave(), Some(0));
}
