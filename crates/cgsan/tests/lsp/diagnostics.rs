//! What is shown in a file that is open, and its explanation.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Client, abilities, uri};
use crate::{READS, client_with, everything, examples, ids_and_lines, read, shown};

/// The id and line of each finding that `cgsan lint` reports in a file.
fn linted(path: &Path) -> Vec<(String, u64)> {
    let output = Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(["lint", "--json"])
        .arg(path)
        .env_remove("VIRTUAL_ENV")
        .output()
        .expect("cgsan starts");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    let findings = report["findings"].as_array().expect("a list").iter();
    findings
        .map(|it| {
            let line = it["location"]["line"].as_u64().expect("a line");
            (it["id"].as_str().expect("an id").to_owned(), line)
        })
        .collect()
}

/// The lines of a program that say which failure mode they show.
fn marked(text: &str) -> Vec<(String, u64)> {
    (1..)
        .zip(text.lines())
        .filter_map(|(line, text)| Some((text.split("# cgsan: ").nth(1)?.trim().to_owned(), line)))
        .collect()
}

/// Examples whose marked line is the one that an editor underlines, among others.
const AT_THEIR_LINES: &[&str] = &[
    "cg101_host_sync_in_capture",
    "cg102_pageable_copy_in_capture",
    "cg103_allocation_outside_capture_pool",
    "cg104_pinned_allocation_in_capture",
    "cg105_stream_not_forked",
    "cg107_wait_on_uncaptured_work",
    "cg110_query_in_capture",
    "cg111_other_thread_violates_global_capture",
    "cg112_pin_memory_thread_in_capture",
    "cg113_nccl_communicator_created_in_capture",
    "cg115_generator_not_registered",
    "cg118_reentrant_checkpoint_in_graphed_callable",
    "cg120_first_use_of_library_in_capture",
    "cg121_capture_on_default_stream",
    "cg122_capture_inside_capture",
    "cg123_replay_inside_capture",
    "cg124_finalizer_in_capture",
    "cg125_end_on_wrong_thread",
    "cg126_captures_merged",
    "cg127_event_of_finished_capture",
    "cg129_optimizer_not_capturable",
];

#[test]
fn the_examples_show_what_the_command_says_until_they_are_repaired() {
    let (mut client, folder, _) = client_with("a.py");
    let mut at_their_lines = BTreeSet::new();
    for example in examples() {
        let name = example
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let (fails, fixed) = (example.join("fails.py"), example.join("fixed.py"));
        let path = folder.path().join(format!("{name}.py"));
        let text = read(&fails);
        client.open(&path, &text);
        let found = ids_and_lines(&client.diagnostics(&path));
        assert_eq!(found, linted(&fails), "{name}");
        if !found.is_empty() && found == marked(&text) {
            at_their_lines.insert(name.clone());
        }
        client.change(&path, &everything(&read(&fixed)));
        assert_eq!(client.diagnostics(&path), Vec::<Value>::new(), "{name}");
        client.notify(
            "textDocument/didClose",
            &json!({"textDocument": {"uri": uri(&path)}}),
        );
    }
    let is_elsewhere = |name: &&&str| !at_their_lines.contains(**name);
    let elsewhere: Vec<&&str> = AT_THEIR_LINES.iter().filter(is_elsewhere).collect();
    assert!(elsewhere.is_empty(), "{elsewhere:?} of {at_their_lines:?}");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_finding_comes_with_all_that_the_client_can_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.py");
    let (mut client, _) = Client::initialized(&json!({
        "capabilities": abilities(),
        "rootUri": uri(folder.path()),
        "initializationOptions": {"pages": "https://docs.example/cgsan/"},
    }));
    let text = "\
import torch


def mean(x):
    return float(x.mean())


def step(x):
    return mean(x * 2)


x = torch.ones(8, device=\"cuda\")
counts = {\"steps\": 0}
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
    counts[\"steps\"] += 1
graph.replay()
";
    client.open(&path, text);
    let diagnostics = client.diagnostics(&path);
    insta::assert_snapshot!(shown(&json!(diagnostics), folder.path()));
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_finding_comes_without_what_the_client_cannot_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.py");
    let (mut client, _) = Client::initialized(&json!({"capabilities": {}}));
    client.open(&path, READS);
    let [diagnostic] = &client.diagnostics(&path)[..] else {
        panic!("one finding");
    };
    assert_eq!(diagnostic["code"], "CG101");
    for key in ["relatedInformation", "codeDescription", "tags"] {
        assert!(diagnostic.get(key).is_none(), "{key}");
    }
    assert_eq!(client.actions(&path, diagnostic), Vec::<Value>::new());
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn columns_are_counted_in_the_unit_that_was_agreed_on() {
    let text = READS.replace("z = y.sum().item()", "z = '图😀', y.sum().item()");
    for (encodings, unit, start) in [
        (json!(["utf-16"]), "utf-16", 15),
        (json!(["utf-16", "utf-8"]), "utf-8", 19),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.py");
        let mut capabilities = abilities();
        capabilities["general"]["positionEncodings"] = encodings;
        let (mut client, answer) = Client::initialized(&json!({"capabilities": capabilities}));
        assert_eq!(answer["capabilities"]["positionEncoding"], unit);
        client.open(&path, &text);
        let [diagnostic] = &client.diagnostics(&path)[..] else {
            panic!("one finding");
        };
        let length = "y.sum().item()".len();
        assert_eq!(
            diagnostic["range"]["start"],
            json!({"line": 6, "character": start})
        );
        assert_eq!(
            diagnostic["range"]["end"],
            json!({"line": 6, "character": start + length})
        );
        // An edit behind the characters that are counted differently.
        let range = json!({
            "start": {"line": 6, "character": start},
            "end": {"line": 6, "character": start + length},
        });
        client.change(&path, &json!([{"range": range, "text": "y"}]));
        assert_eq!(client.diagnostics(&path), Vec::<Value>::new());
        assert_eq!(client.leave(), Some(0));
    }
}

#[test]
fn edits_are_made_one_after_the_other() {
    let (mut client, _folder, path) = client_with("a.py");
    client.open(&path, &READS.replace(".item()", ""));
    assert_eq!(client.diagnostics(&path), Vec::<Value>::new());
    let at = |line: u32, character: u32| json!({"line": line, "character": character});
    client.change(
        &path,
        &json!([
            {"range": {"start": at(0, 0), "end": at(0, 0)}, "text": "# A new line.\n"},
            {"range": {"start": at(7, 15), "end": at(7, 15)}, "text": ".item()"},
        ]),
    );
    assert_eq!(
        ids_and_lines(&client.diagnostics(&path)),
        [("CG101".to_owned(), 8)]
    );
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_syntax_error_has_its_place_and_ends_nothing() {
    let (mut client, _folder, path) = client_with("a.py");
    client.open(&path, "x = (1,\ndef\n");
    let diagnostics = client.diagnostics(&path);
    assert!(!diagnostics.is_empty());
    assert!(
        diagnostics
            .iter()
            .all(|it| it.get("code").is_none() && it["severity"] == 1)
    );
    for text in [
        "\u{feff}",
        "\0",
        "(",
        "'''",
        "with torch.cuda.graph(g):\n",
        "\r\r\n\u{2028}\tcuda.graph",
    ] {
        client.change(&path, &everything(text));
        client.diagnostics(&path);
    }
    client.change(&path, &everything(READS));
    assert_eq!(
        ids_and_lines(&client.diagnostics(&path)),
        [("CG101".to_owned(), 7)]
    );
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_finding_is_explained_from_the_catalogue() {
    let (mut client, _folder, path) = client_with("a.py");
    client.open(&path, READS);
    let text = client.hover(&path, 6, 12).expect("an explanation");
    insta::assert_snapshot!(text);
    assert_eq!(client.hover(&path, 5, 5), None, "nothing is found there");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_chinese_editor_gets_it_in_chinese_and_a_plain_one_without_marks() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.py");
    let (mut client, _) = Client::initialized(&json!({"capabilities": {}, "locale": "zh-cn"}));
    client.open(&path, READS);
    let text = client.hover(&path, 6, 12).expect("an explanation");
    insta::assert_snapshot!(text);
    assert_eq!(client.leave(), Some(0));
}
