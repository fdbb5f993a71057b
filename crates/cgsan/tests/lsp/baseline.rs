//! Findings that are known: the editor is silent where the command is.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::client::{Client, uri};
use crate::{READS, client_with, everything, ids_and_lines};

/// Runs `cgsan lint` in a folder. Returns its exit status.
fn lint(folder: &Path, args: &[&str]) -> Option<i32> {
    let output = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .arg("lint")
        .args(args)
        .current_dir(folder)
        .env_remove("VIRTUAL_ENV")
        .output()
        .expect("cgsan starts");
    output.status.code()
}

/// A folder with a baseline of a file.
fn with_baseline() -> (Client, tempfile::TempDir, std::path::PathBuf) {
    let (client, folder, path) = client_with("a.py");
    fs::write(&path, READS).expect("a file");
    let configuration = "[tool.cgsan.lint]\nbaseline = \"known/baseline.json\"\n";
    fs::write(folder.path().join("pyproject.toml"), configuration).expect("a file");
    fs::create_dir(folder.path().join("known")).expect("a folder");
    let write = ["--write-baseline", "known/baseline.json"];
    assert_eq!(lint(folder.path(), &write), Some(0));
    (client, folder, path)
}

#[test]
fn what_the_baseline_of_the_project_lists_is_not_shown() {
    let (mut client, folder, path) = with_baseline();
    assert_eq!(lint(folder.path(), &[]), Some(0), "the command agrees");
    let nested = folder.path().join("known");
    assert_eq!(lint(&nested, &[".."]), Some(0), "wherever it is started");
    client.open(&path, READS);
    assert_eq!(client.diagnostics(&path), [] as [serde_json::Value; 0]);
    assert_eq!(client.hover(&path, 6, 12), None);
    // Lines come and go; what is new is shown.
    let line = "    z = y.sum().item()\n";
    let more = READS.replace(line, &format!("    pass\n{line}    w = y.max().item()\n"));
    client.change(&path, &everything(&more));
    let found = ids_and_lines(&client.diagnostics(&path));
    assert_eq!(found, [("CG101".to_owned(), 9)]);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_baseline_that_changes_is_read_again() {
    let (mut client, folder, path) = with_baseline();
    let baseline = folder.path().join("known/baseline.json");
    client.open(&path, READS);
    assert_eq!(client.diagnostics(&path), [] as [serde_json::Value; 0]);
    let empty = "{\"version\": 1, \"findings\": []}";
    fs::write(&baseline, empty).expect("a file");
    let tell = |client: &mut Client, path: &Path| {
        let changes = json!([{"uri": uri(path), "type": 2}]);
        client.notify(
            "workspace/didChangeWatchedFiles",
            &json!({"changes": changes}),
        );
    };
    // Other files of its kind do not matter.
    tell(&mut client, &folder.path().join("other.json"));
    assert!(client.settled()[&uri(&path)].is_empty());
    tell(&mut client, &baseline);
    assert_eq!(
        ids_and_lines(&client.settled()[&uri(&path)]),
        [("CG101".to_owned(), 7)]
    );

    // A bad one is told once, with its place, and the rest goes on.
    fs::write(&baseline, "{\n  \"version\": }").expect("a file");
    for _ in 0..3 {
        tell(&mut client, &baseline);
    }
    assert_eq!(
        ids_and_lines(&client.settled()[&uri(&path)]),
        [("CG101".to_owned(), 7)]
    );
    let message = client.wait_for("window/showMessage");
    let text = message["message"].as_str().expect("a text");
    assert!(
        text.contains("baseline.json") && text.contains("line 2"),
        "{text}"
    );
    client.settled();
    assert!(!client.has("window/showMessage"));
    assert_eq!(lint(folder.path(), &[]), Some(2), "the command refuses it");
    assert_eq!(
        lint(folder.path(), &["--write-baseline", "b.json"]),
        Some(0)
    );
    assert_eq!(lint(folder.path(), &["--baseline", "b.json"]), Some(0));
    assert_eq!(client.leave(), Some(0));
}
