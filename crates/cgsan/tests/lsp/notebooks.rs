//! Notebooks: one program in many texts.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Client, edited, uri};
use crate::fixes::titled;
use crate::{client_with, ids_and_lines, shown};

/// What is before the capture.
const SETUP: &str = "import torch\nx = torch.ones(8, device=\"cuda\")";

/// A capture that reads a value from the device in its last line.
const READS: &str = "graph = torch.cuda.CUDAGraph()\nwith torch.cuda.graph(graph):\n    y = x * 2\n    z = y.sum().item()";

/// A notebook in an editor, and what the editor knows of it.
struct Notebook {
    path: PathBuf,
    version: u64,
}

impl Notebook {
    fn cell(&self, name: &str) -> String {
        format!("vscode-notebook-cell:{}#{name}", self.path.display())
    }

    fn text(&self, name: &str, text: &str) -> Value {
        json!({"uri": self.cell(name), "languageId": "python", "version": 1, "text": text})
    }

    fn code(&self, name: &str) -> Value {
        json!({"kind": 2, "document": self.cell(name)})
    }

    /// Opens a notebook of code cells, each with a name and a text.
    fn open(client: &mut Client, path: &Path, cells: &[(&str, &str)]) -> Self {
        let notebook = Self {
            path: path.to_owned(),
            version: 1,
        };
        let list: Vec<Value> = cells.iter().map(|it| notebook.code(it.0)).collect();
        let texts: Vec<Value> = cells.iter().map(|it| notebook.text(it.0, it.1)).collect();
        let document = json!({
            "uri": uri(path), "notebookType": "jupyter-notebook", "version": 1, "cells": list,
        });
        client.notify(
            "notebookDocument/didOpen",
            &json!({"notebookDocument": document, "cellTextDocuments": texts}),
        );
        notebook
    }

    fn change(&mut self, client: &mut Client, cells: &Value) {
        self.version += 1;
        let document = json!({"uri": uri(&self.path), "version": self.version});
        client.notify(
            "notebookDocument/didChange",
            &json!({"notebookDocument": document, "change": {"cells": cells}}),
        );
    }

    /// Gives a cell another text.
    fn rewrite(&mut self, client: &mut Client, name: &str, text: &str) {
        let document = json!({"uri": self.cell(name), "version": self.version + 1});
        let content = json!({"document": document, "changes": [{"text": text}]});
        self.change(client, &json!({"textContent": [content]}));
    }

    fn close(self, client: &mut Client, names: &[&str]) {
        let cells: Vec<Value> = names
            .iter()
            .map(|it| json!({"uri": self.cell(it)}))
            .collect();
        client.notify(
            "notebookDocument/didClose",
            &json!({"notebookDocument": {"uri": uri(&self.path)}, "cellTextDocuments": cells}),
        );
    }

    /// What is shown in a cell once everything is checked.
    fn found(&self, client: &mut Client, name: &str) -> Vec<(String, u64)> {
        let shown = client.settled().get(&self.cell(name));
        ids_and_lines(shown.map_or(&[][..], Vec::as_slice))
    }
}

fn one(id: &str, line: u64) -> Vec<(String, u64)> {
    vec![(id.to_owned(), line)]
}

#[test]
fn a_finding_is_shown_in_its_cell_and_leads_to_others() {
    let (mut client, folder, path) = client_with("a.ipynb");
    let cells = [
        ("setup", SETUP),
        ("step", "def step():\n    return '😀', x.sum().item()"),
        ("empty", ""),
        (
            "capture",
            "with torch.cuda.graph(torch.cuda.CUDAGraph()):\n    step()",
        ),
    ];
    let notebook = Notebook::open(&mut client, &path, &cells);
    let shown_in = client.settled().clone();
    let found = &shown_in[&notebook.cell("step")];
    insta::assert_snapshot!(shown(&json!(found), folder.path()));
    for name in ["setup", "empty", "capture"] {
        assert!(shown_in[&notebook.cell(name)].is_empty(), "{name}");
    }
    let text = client.hover_at(&notebook.cell("step"), 1, 20);
    assert!(text.is_some_and(|it| it.contains("CG101")));
    assert_eq!(client.hover_at(&notebook.cell("step"), 0, 3), None);
    assert_eq!(client.hover_at(&notebook.cell("capture"), 1, 5), None);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn commands_of_ipython_are_taken_as_by_the_command() {
    let (mut client, folder, path) = client_with("a.ipynb");
    let cells = [
        (
            "shell",
            "!pip install torch\n%matplotlib inline\nimport torch",
        ),
        ("bash", "%%bash\nif then else"),
        ("setup", "%%time\nx = torch.ones(8, device=\"cuda\")\nx?"),
        ("capture", READS),
        ("wrong", "y = ("),
    ];
    let notebook = Notebook::open(&mut client, &path, &cells);
    assert_eq!(notebook.found(&mut client, "capture"), one("CG101", 4));
    assert_eq!(notebook.found(&mut client, "bash"), []);
    assert_eq!(notebook.found(&mut client, "shell"), []);
    let wrong = notebook.found(&mut client, "wrong");
    assert!(!wrong.is_empty() && wrong.iter().all(|it| it.0 == "no id"));

    // The command says the same of the file.
    let sources = cells.map(|(_, text)| {
        json!({"cell_type": "code", "metadata": {}, "execution_count": null, "outputs": [], "source": text})
    });
    let file = json!({"cells": sources, "metadata": {}, "nbformat": 4, "nbformat_minor": 4});
    fs::write(&path, file.to_string()).expect("a file");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_cgsan"))
        .args(["lint", "--json"])
        .current_dir(folder.path())
        .output()
        .expect("cgsan starts");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(1));
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn cells_run_in_the_order_in_which_they_stand() {
    let (mut client, _folder, path) = client_with("a.ipynb");
    let mut it = Notebook::open(&mut client, &path, &[("setup", SETUP), ("capture", READS)]);
    assert_eq!(it.found(&mut client, "capture"), one("CG101", 4));

    // Before the tensor is made, nothing is known of it.
    let moved = json!([it.code("capture"), it.code("setup")]);
    let array = json!({"start": 0, "deleteCount": 2, "cells": moved});
    it.change(&mut client, &json!({"structure": {"array": array}}));
    assert_eq!(it.found(&mut client, "capture"), []);

    let array = json!({"start": 0, "deleteCount": 0, "cells": [it.code("new")]});
    let opened = json!([it.text("new", SETUP)]);
    it.change(
        &mut client,
        &json!({"structure": {"array": array, "didOpen": opened}}),
    );
    assert_eq!(it.found(&mut client, "capture"), one("CG101", 4));

    let mut markup = it.code("new");
    markup["kind"] = json!(1);
    it.change(&mut client, &json!({"data": [markup]}));
    assert_eq!(it.found(&mut client, "capture"), []);
    it.change(&mut client, &json!({"data": [it.code("new")]}));
    assert_eq!(it.found(&mut client, "capture"), one("CG101", 4));

    // A cell that is gone shows nothing any more.
    let array = json!({"start": 1, "deleteCount": 1});
    let closed = json!([{"uri": it.cell("capture")}]);
    it.change(
        &mut client,
        &json!({"structure": {"array": array, "didClose": closed}}),
    );
    assert_eq!(it.found(&mut client, "capture"), []);
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn an_edit_of_a_cell_counts_in_the_others() {
    let (mut client, _folder, path) = client_with("a.ipynb");
    let mut it = Notebook::open(&mut client, &path, &[("setup", SETUP), ("capture", READS)]);
    it.rewrite(&mut client, "setup", "import torch\nx = torch.ones(8)");
    assert_eq!(it.found(&mut client, "capture"), []);
    it.rewrite(&mut client, "setup", &format!("\n\n{SETUP}\n"));
    assert_eq!(it.found(&mut client, "capture"), one("CG101", 4));
    it.rewrite(&mut client, "capture", &format!("\n{READS}"));
    assert_eq!(it.found(&mut client, "capture"), one("CG101", 5));
    it.close(&mut client, &["setup", "capture"]);
    assert!(client.settled().values().all(Vec::is_empty));
    assert_eq!(client.leave(), Some(0));
}

#[test]
fn fixes_change_the_cells() {
    let (mut client, _folder, path) = client_with("a.ipynb");
    let cells = [
        ("setup", SETUP),
        ("capture", READS),
        ("use", "graph.replay()\nprint(z)"),
    ];
    let mut it = Notebook::open(&mut client, &path, &cells);
    let cell = it.cell("capture");
    for title in ["read it after the capture", "ignore CG101 on this line"] {
        let found = client.settled()[&cell].clone();
        let actions = client.actions_at(&cell, &found[0]);
        let action = titled(&actions, title).unwrap_or_else(|| panic!("{title}: {actions:?}"));
        let changes = &action["edit"]["documentChanges"];
        let mut all = String::new();
        for (name, text) in cells {
            let is_of = |change: &&Value| change["textDocument"]["uri"] == it.cell(name);
            let change = changes.as_array().expect("changes").iter().find(is_of);
            let text = change.map_or(text.to_owned(), |it| edited(text, it));
            all.extend(["# ", name, "\n", &text, "\n"]);
            it.rewrite(&mut client, name, &text);
        }
        insta::assert_snapshot!(all);
        assert_eq!(it.found(&mut client, "capture"), [], "{all}");
        for (name, text) in cells {
            it.rewrite(&mut client, name, text);
        }
    }
    let nothing = client.actions_at(&it.cell("setup"), &json!({"range": whole(), "message": ""}));
    assert_eq!(nothing, [] as [Value; 0]);
    assert_eq!(client.leave(), Some(0));
}

fn whole() -> Value {
    json!({"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 9}})
}

#[test]
fn notebooks_and_files_are_apart() {
    let (mut client, folder, path) = client_with("a.ipynb");
    let one_cell = format!("{SETUP}\n{READS}");
    let cells = [("capture", one_cell.as_str())];
    let first = Notebook::open(&mut client, &path, &cells);
    let untitled = PathBuf::from("Untitled-1");
    let second = Notebook::open(
        &mut client,
        &untitled,
        &[("setup", SETUP), ("capture", READS)],
    );
    // The code of a notebook as one text, as some clients give it.
    let text = folder.path().join("b.ipynb");
    client.open(&text, &one_cell);
    assert_eq!(first.found(&mut client, "capture"), one("CG101", 6));
    assert_eq!(second.found(&mut client, "capture"), one("CG101", 4));
    assert_eq!(
        ids_and_lines(&client.settled()[&uri(&text)]),
        one("CG101", 6)
    );
    first.close(&mut client, &["capture"]);
    assert_eq!(second.found(&mut client, "capture"), one("CG101", 4));
    assert_eq!(client.leave(), Some(0));
}
