//! The protocol itself: how a conversation begins and ends, and what is refused.

use serde_json::{Value, json};

use crate::client::{Client, abilities};
use crate::{READS, client_with, ids_and_lines};

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
fn what_is_no_message_ends_the_server_with_a_reason() {
    for bytes in [&b"hello\r\n\r\n"[..], b"Content-Length: 3\r\n\r\n{]}"] {
        let mut client = Client::start();
        client.send_raw(bytes);
        assert_eq!(client.exit_status(), Some(1));
    }
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
