//! Captures in files that are not open.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::{Client, uri};
use crate::{HELPER, MAIN, READS, client_with, everything, ids_and_lines, shown};

const FREE: &str = "def mean(x):\n    return x.mean()\n";

/// Waits until exactly this is shown in a file.
fn wait_until(client: &mut Client, path: &Path, expected: &[(&str, u64)]) {
    loop {
        let found = ids_and_lines(&client.diagnostics(path));
        let found: Vec<(&str, u64)> = found.iter().map(|it| (it.0.as_str(), it.1)).collect();
        if found == expected {
            break;
        }
    }
}

fn tell(client: &mut Client, path: &Path, kind: u32) {
    let changes = json!([{"uri": uri(path), "type": kind}]);
    client.notify(
        "workspace/didChangeWatchedFiles",
        &json!({"changes": changes}),
    );
}

#[test]
fn what_is_captured_from_a_file_that_is_not_open_is_shown_in_one_that_is() {
    let (mut client, folder, helper) = client_with("helper.py");
    let main = folder.path().join("main.py");
    fs::write(&main, MAIN).expect("a file");
    client.open(&helper, HELPER);
    wait_until(&mut client, &helper, &[("CG101", 2)]);
    let found = client.hover(&helper, 1, 15);
    assert!(found.is_some_and(|it| it.contains("CG101")));

    // It follows the edits of the open file.
    client.change(&helper, &everything(&format!("\n{HELPER}")));
    let found = client.diagnostics(&helper);
    assert_eq!(ids_and_lines(&found), [("CG101".to_owned(), 3)]);
    insta::assert_snapshot!(shown(&found[0]["relatedInformation"], folder.path()));
    client.change(&helper, &everything(FREE));
    wait_until(&mut client, &helper, &[]);
    client.change(&helper, &everything(HELPER));
    wait_until(&mut client, &helper, &[("CG101", 2)]);

    // In the file that is not open nothing is shown.
    fs::write(&main, MAIN.replace("y = mean(x)", "y = mean(x).item()")).expect("a file");
    tell(&mut client, &main, 2);
    client.change(&helper, &everything(HELPER));
    wait_until(&mut client, &helper, &[("CG101", 2)]);
    assert!(!client.settled().contains_key(&uri(&main)));
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_capture_that_comes_or_goes_on_disk_is_noticed() {
    let (mut client, folder, helper) = client_with("helper.py");
    let main = folder.path().join("main.py");
    client.open(&helper, HELPER);
    wait_until(&mut client, &helper, &[]);
    fs::write(&main, MAIN).expect("a file");
    tell(&mut client, &main, 1);
    wait_until(&mut client, &helper, &[("CG101", 2)]);
    fs::remove_file(&main).expect("it is there");
    tell(&mut client, &main, 3);
    wait_until(&mut client, &helper, &[]);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_notebook_that_is_not_open_captures_too() {
    let (mut client, folder, helper) = client_with("helper.py");
    let cell = json!({"cell_type": "code", "metadata": {}, "execution_count": null, "outputs": [], "source": MAIN});
    let notebook = json!({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4});
    fs::write(folder.path().join("main.ipynb"), notebook.to_string()).expect("a file");
    client.open(&helper, HELPER);
    wait_until(&mut client, &helper, &[("CG101", 2)]);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn what_git_ignores_and_what_leads_elsewhere_is_left_alone() {
    let (mut client, folder, helper) = client_with("helper.py");
    fs::write(folder.path().join(".gitignore"), "build/\n").expect("a file");
    fs::create_dir(folder.path().join("build")).expect("a folder");
    fs::write(folder.path().join("build/helper.py"), HELPER).expect("a file");
    fs::write(folder.path().join("build/main.py"), MAIN).expect("a file");
    fs::write(folder.path().join("reads.py"), READS).expect("a file");
    let ignored = folder.path().join("build/helper.py");
    client.open(&helper, HELPER);
    client.open(&ignored, HELPER);
    // One that counts is found after the others were looked through.
    let last = folder.path().join("zz");
    fs::create_dir(&last).expect("a folder");
    fs::write(last.join("main.py"), MAIN).expect("a file");
    client.open(&last.join("helper.py"), HELPER);
    wait_until(&mut client, &last.join("helper.py"), &[("CG101", 2)]);
    let shown = client.settled();
    assert!(shown[&uri(&helper)].is_empty());
    assert!(shown[&uri(&ignored)].is_empty());
    assert!(!shown.contains_key(&uri(&folder.path().join("reads.py"))));
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_folder_that_leaves_the_workspace_takes_its_captures_along() {
    let (mut client, folder, helper) = client_with("helper.py");
    fs::write(folder.path().join("main.py"), MAIN).expect("a file");
    client.open(&helper, HELPER);
    wait_until(&mut client, &helper, &[("CG101", 2)]);
    let change = |client: &mut Client, added: &[Value], removed: &[Value]| {
        let event = json!({"added": added, "removed": removed});
        client.notify(
            "workspace/didChangeWorkspaceFolders",
            &json!({"event": event}),
        );
    };
    let this = [json!({"uri": uri(folder.path()), "name": "folder"})];
    change(&mut client, &[], &this);
    wait_until(&mut client, &helper, &[]);
    change(&mut client, &this, &[]);
    wait_until(&mut client, &helper, &[("CG101", 2)]);
    assert_eq!(client.leave(), Some(0));
}
