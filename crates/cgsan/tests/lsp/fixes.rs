//! What is offered to do about a finding.

use serde_json::{Value, json};

use crate::client::{Client, applied, uri};
use crate::{READS, client_with, everything, examples, ids_and_lines, read};

/// The one action whose title contains a text.
pub fn titled<'a>(actions: &'a [Value], text: &str) -> Option<&'a Value> {
    actions
        .iter()
        .find(|it| it["title"].as_str().is_some_and(|it| it.contains(text)))
}

#[test]
fn a_safe_fix_is_preferred_and_repairs_the_program() {
    let (mut client, folder, _) = client_with("a.py");
    let mut repaired = Vec::new();
    for example in examples() {
        let name = example
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let path = folder.path().join(format!("{name}.py"));
        let text = read(&example.join("fails.py"));
        client.open(&path, &text);
        let found = client.diagnostics(&path);
        for diagnostic in &found {
            let actions = client.actions(&path, diagnostic);
            let Some(fix) = actions.iter().find(|it| it["isPreferred"] == true) else {
                continue;
            };
            assert_eq!(fix["kind"], "quickfix");
            assert_eq!(fix["diagnostics"], json!([diagnostic]));
            client.change(&path, &everything(&applied(&text, fix)));
            let left = client.diagnostics(&path);
            assert!(left.len() < found.len(), "{name}: {left:?}");
            repaired.push(name.clone());
            client.change(&path, &everything(&text));
            client.diagnostics(&path);
        }
        client.notify(
            "textDocument/didClose",
            &json!({"textDocument": {"uri": uri(&path)}}),
        );
    }
    assert!(repaired.len() >= 4, "{repaired:?}");
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn an_unsafe_fix_is_not_preferred_and_says_so() {
    let (mut client, _folder, path) = client_with("a.py");
    client.open(&path, READS);
    let found = client.diagnostics(&path);
    let actions = client.actions(&path, &found[0]);
    let fix = titled(&actions, "read it after the capture").expect("a fix");
    assert_eq!(fix["isPreferred"], false);
    let title = fix["title"].as_str().expect("a title");
    assert!(title.contains("may mean something else"), "{title}");
    let text = applied(READS, fix);
    insta::assert_snapshot!(text);
    client.change(&path, &everything(&text));
    assert_eq!(client.diagnostics(&path), Vec::<Value>::new());
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn a_fix_that_does_not_help_is_not_offered() {
    const USELESS: &str = "import torch\nfrom torch import nn\n\nfirst, second = nn.Linear(8, 8).cuda(), nn.Linear(8, 8).cuda()\noptimizer = torch.optim.Adam(first.parameters(), capturable=True)\noptimizer.add_param_group({\"params\": second.parameters(), \"capturable\": False})\nwith torch.cuda.graph(torch.cuda.CUDAGraph()):\n    optimizer.step()\n";
    let (mut client, _folder, path) = client_with("a.py");
    client.open(&path, USELESS);
    let found = client.diagnostics(&path);
    assert_eq!(ids_and_lines(&found), [("CG129".to_owned(), 8)]);
    let actions = client.actions(&path, &found[0]);
    assert_eq!(titled(&actions, "capturable=True"), None);
    assert!(titled(&actions, "ignore CG129").is_some(), "{actions:?}");
    // What was tried out is taken back.
    client.change(&path, &everything(&format!("{USELESS}\n")));
    assert_eq!(ids_and_lines(&client.diagnostics(&path)).len(), 1);
    assert_eq!(client.leave(), Some(0));
}

/// The text after the finding of `text` is ignored, if that is offered.
fn ignored(client: &mut Client, path: &std::path::Path, text: &str) -> Option<String> {
    client.change(path, &everything(text));
    let found = client.diagnostics(path);
    let diagnostic = found
        .iter()
        .find(|it| it["code"] == "CG101")
        .expect("a finding");
    let actions = client.actions(path, diagnostic);
    let ignore = titled(&actions, "ignore CG101 on this line")?;
    assert_eq!(ignore["isPreferred"], false);
    let text = applied(text, ignore);
    client.change(path, &everything(&text));
    let left = ids_and_lines(&client.diagnostics(path));
    assert!(
        !left.iter().any(|(id, _)| id == "CG101"),
        "{left:?}\n{text}"
    );
    Some(text)
}

#[test]
fn a_line_can_be_ignored_wherever_a_comment_may_stand() {
    let (mut client, _folder, path) = client_with("a.py");
    client.open(&path, "");
    client.diagnostics(&path);
    let line = "    z = y.sum().item()\n";
    let with = |new: &str| READS.replace(line, new);
    let one = ignored(&mut client, &path, READS).expect("it is offered");
    assert!(
        one.contains("z = y.sum().item()  # cgsan: ignore[CG101]\n"),
        "{one}"
    );
    let listed = ignored(
        &mut client,
        &path,
        &with("    z = y.sum().item()  # cgsan: ignore[CG999]\n"),
    );
    assert!(
        listed
            .expect("it is offered")
            .contains("# cgsan: ignore[CG999, CG101]\n")
    );
    // The first line ends inside a string, where no comment can stand.
    let inside = with("    z = y.sum().item(), '''\n    '''\n");
    let text = ignored(&mut client, &path, &inside);
    assert_eq!(text, None, "the line of the finding has no end");
    assert_eq!(client.leave(), Some(0));
}

/// Three findings: two that can be repaired safely, and one whose repair may change what the program means.
const SEVERAL: &str = "import torch
from torch import nn

model = nn.Linear(8, 8).cuda()
optimizer = torch.optim.Adam(model.parameters())
other = torch.optim.Adam(model.parameters())
x = torch.ones(8, device=\"cuda\")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    optimizer.step()
    other.step()
    total = x.sum().item()
";

/// What a client gets that asks for kinds of actions, for a whole file.
fn asked(client: &mut Client, path: &std::path::Path, only: &Value) -> Vec<Value> {
    let params = json!({
        "textDocument": {"uri": uri(path)},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
        "context": {"diagnostics": [], "only": only},
    });
    let answer = client.request("textDocument/codeAction", &params);
    answer["result"].as_array().expect("a list").clone()
}

#[test]
fn all_safe_repairs_of_a_file_are_one_action() {
    let (mut client, _folder, path) = client_with("a.py");
    client.open(&path, SEVERAL);
    let found = ids_and_lines(&client.diagnostics(&path));
    let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["CG129", "CG129", "CG101"]);
    for kind in ["source", "source.fixAll", "source.fixAll.cgsan"] {
        let all = asked(&mut client, &path, &json!([kind]));
        assert_eq!(all.len(), 1, "{kind}");
        assert_eq!(all[0]["kind"], "source.fixAll.cgsan");
    }
    let all = asked(&mut client, &path, &json!(["source.fixAll"]));
    let text = applied(SEVERAL, &all[0]);
    assert_eq!(text.matches("capturable=True").count(), 2, "{text}");
    client.change(&path, &everything(&text));
    let left = ids_and_lines(&client.diagnostics(&path));
    assert_eq!(left, [("CG101".to_owned(), 11)]);
    // Nothing is left that could be repaired safely.
    assert_eq!(
        asked(&mut client, &path, &json!(["source.fixAll"])),
        Vec::<Value>::new()
    );
    assert_eq!(
        asked(&mut client, &path, &json!(["source.fixAll.ruff"])),
        Vec::<Value>::new()
    );
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn other_kinds_of_actions_are_not_offered() {
    let (mut client, _folder, path) = client_with("a.py");
    client.open(&path, READS);
    let found = client.diagnostics(&path);
    let mut ask = |only: Value| {
        let params = json!({
            "textDocument": {"uri": uri(&path)},
            "range": found[0]["range"],
            "context": {"diagnostics": [], "only": only},
        });
        let answer = client.request("textDocument/codeAction", &params);
        answer["result"].as_array().expect("a list").len()
    };
    assert_eq!(ask(json!(["refactor", "source.organizeImports"])), 0);
    assert_eq!(ask(json!(["quickfix"])), 2);
    assert_eq!(client.leave(), Some(0));
}
