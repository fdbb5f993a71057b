//! Several files, the workspace and its configuration.

use std::fs;

use serde_json::{Value, json};

use crate::client::{Client, uri};
use crate::{HELPER, MAIN, READS, client_with, everything, ids_and_lines, shown};

#[test]
fn what_a_capture_calls_in_another_file_is_shown_there() {
    let (mut client, folder, main) = client_with("main.py");
    let helper = folder.path().join("helper.py");
    fs::write(&helper, HELPER).expect("a file");
    client.open(&main, MAIN);
    let diagnostics = client.diagnostics(&helper);
    insta::assert_snapshot!(shown(&json!(diagnostics), folder.path()));

    // An edit of the other file counts before it is saved.
    client.open(&helper, HELPER);
    assert_eq!(
        ids_and_lines(&client.diagnostics(&helper)),
        [("CG101".to_owned(), 2)]
    );
    client.change(&helper, &everything("def mean(x):\n    return x.mean()\n"));
    assert_eq!(client.diagnostics(&helper), Vec::<Value>::new());
    client.change(&helper, &everything(HELPER));
    let mut found = client.diagnostics(&helper);
    while found.is_empty() {
        // The file itself is checked before those that import it.
        found = client.diagnostics(&helper);
    }
    assert_eq!(ids_and_lines(&found), [("CG101".to_owned(), 2)]);

    // Without the file from which it is captured nothing is known.
    client.notify(
        "textDocument/didClose",
        &json!({"textDocument": {"uri": uri(&main)}}),
    );
    assert_eq!(client.diagnostics(&helper), Vec::<Value>::new());
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn files_beside_the_workspace_are_read_but_not_judged() {
    let outer = tempfile::tempdir().expect("a folder");
    fs::write(outer.path().join("helper.py"), HELPER).expect("a file");
    let inner = outer.path().join("workspace");
    let mut client = Client::in_folder(&inner);
    let main = outer.path().join("main.py");
    client.open(&main, MAIN);
    assert_eq!(client.diagnostics(&main), Vec::<Value>::new());
    // The folder of the helper becomes part of the workspace.
    let event = json!({"added": [{"uri": uri(outer.path()), "name": "outer"}], "removed": []});
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        &json!({"event": event}),
    );
    let helper = outer.path().join("helper.py");
    assert_eq!(
        ids_and_lines(&client.diagnostics(&helper)),
        [("CG101".to_owned(), 2)]
    );
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_file_that_changes_on_disk_is_read_again() {
    let (mut client, folder, main) = client_with("main.py");
    let helper = folder.path().join("helper.py");
    fs::write(&helper, HELPER).expect("a file");
    client.open(&main, MAIN);
    assert_eq!(
        ids_and_lines(&client.diagnostics(&helper)),
        [("CG101".to_owned(), 2)]
    );
    fs::write(&helper, "def mean(x):\n    return x.mean()\n").expect("a file");
    let change = json!({"uri": uri(&helper), "type": 2});
    client.notify(
        "workspace/didChangeWatchedFiles",
        &json!({"changes": [change]}),
    );
    assert_eq!(client.diagnostics(&helper), Vec::<Value>::new());
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_file_that_is_renamed_is_followed() {
    let (mut client, folder, main) = client_with("main.py");
    let [old, new] = ["helper.py", "means.py"].map(|name| folder.path().join(name));
    fs::write(&old, HELPER).expect("a file");
    client.open(&main, MAIN);
    client.open(&old, HELPER);
    assert_eq!(
        ids_and_lines(&client.settled()[&uri(&old)]),
        [("CG101".to_owned(), 2)]
    );
    // The editor's text counts as long as it is open.
    fs::rename(&old, &new).expect("it is there");
    let changes =
        [(&old, 3), (&new, 1)].map(|(path, kind)| json!({"uri": uri(path), "type": kind}));
    client.notify(
        "workspace/didChangeWatchedFiles",
        &json!({"changes": changes}),
    );
    assert_eq!(client.settled()[&uri(&old)].len(), 1);
    client.notify(
        "textDocument/didClose",
        &json!({"textDocument": {"uri": uri(&old)}}),
    );
    assert_eq!(client.settled()[&uri(&old)], [] as [Value; 0]);
    client.open(&new, HELPER);
    client.change(&main, &everything(&MAIN.replace("helper", "means")));
    assert_eq!(
        ids_and_lines(&client.settled()[&uri(&new)]),
        [("CG101".to_owned(), 2)]
    );
    assert_eq!(client.settled()[&uri(&old)], [] as [Value; 0]);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn the_configuration_is_that_of_the_command() {
    let (mut client, folder, path) = client_with("a.py");
    let configuration = folder.path().join("pyproject.toml");
    fs::write(&configuration, "[tool.cgsan.lint]\nignore = [\"CG101\"]\n").expect("a file");
    client.open(&path, READS);
    assert_eq!(client.diagnostics(&path), Vec::<Value>::new());
    fs::write(&configuration, "[tool.cgsan.lint]\nselect = [\"CG1\"]\n").expect("a file");
    client.notify(
        "textDocument/didSave",
        &json!({"textDocument": {"uri": uri(&path)}}),
    );
    assert_eq!(
        ids_and_lines(&client.diagnostics(&path)),
        [("CG101".to_owned(), 7)]
    );

    // What is wrong in it is told once, and what counted before goes on counting.
    fs::write(&configuration, "[tool.cgsan.lint]\nselekt = 1\n").expect("a file");
    for _ in 0..2 {
        client.notify(
            "workspace/didChangeConfiguration",
            &json!({"settings": null}),
        );
    }
    let message = client.wait_for("window/showMessage");
    assert_eq!(message["type"], 1);
    let text = message["message"].as_str().expect("a text");
    assert!(
        text.contains("pyproject.toml") && text.contains("selekt"),
        "{text}"
    );
    client.change(&path, &everything(READS));
    assert_eq!(
        ids_and_lines(&client.diagnostics(&path)),
        [("CG101".to_owned(), 7)]
    );
    assert!(!client.has("window/showMessage"));
    fs::write(&configuration, "[tool.cgsan.lint]\nignore = [\"CG1\"]\n").expect("a file");
    client.notify(
        "workspace/didChangeConfiguration",
        &json!({"settings": null}),
    );
    assert_eq!(client.diagnostics(&path), Vec::<Value>::new());
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_text_that_was_never_saved_is_checked_too() {
    let (mut client, _folder, _) = client_with("a.py");
    let document =
        json!({"uri": "untitled:Untitled-1", "languageId": "python", "version": 1, "text": READS});
    client.notify("textDocument/didOpen", &json!({"textDocument": document}));
    let params = client.wait_for("textDocument/publishDiagnostics");
    assert_eq!(params["uri"], "untitled:Untitled-1");
    assert_eq!(params["diagnostics"][0]["code"], "CG101");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn what_is_no_python_is_left_alone() {
    let (mut client, folder, path) = client_with("a.py");
    let document = json!({"uri": uri(&folder.path().join("a.md")), "languageId": "markdown", "version": 1, "text": READS});
    client.notify("textDocument/didOpen", &json!({"textDocument": document}));
    client.open(&path, "");
    let params = client.wait_for("textDocument/publishDiagnostics");
    assert_eq!(params["uri"], uri(&path));
    assert_eq!(client.leave(), Some(0));
}
