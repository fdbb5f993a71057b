//! `cgsan lsp`, driven as an editor does.

mod baseline;
mod client;
mod conversation;
mod diagnostics;
mod fixes;
mod notebooks;
mod project;
mod unopened;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use client::Client;

/// A capture that reads a value from the device in line 7.
const READS: &str = "\
import torch

x = torch.ones(8, device=\"cuda\")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    z = y.sum().item()
graph.replay()
";

/// A file whose code is captured elsewhere.
const HELPER: &str = "\
def mean(x):
    return float(x.mean())
";

/// A capture that calls it.
const MAIN: &str = "\
import torch

from helper import mean

x = torch.ones(8, device=\"cuda\")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = mean(x)
graph.replay()
";

/// A client in an empty folder, and the path of a file in it.
fn client_with(name: &str) -> (Client, tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let client = Client::in_folder(folder.path());
    let path = folder.path().join(name);
    (client, folder, path)
}

/// The examples of the repository.
fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folder = folder.canonicalize().expect("the examples are there");
    let entries = fs::read_dir(folder).expect("the examples can be listed");
    let mut examples: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.join("fails.py").is_file())
        .collect();
    examples.sort();
    examples
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("the file can be read")
}

/// The id and the line, counted from 1, of each diagnostic.
fn ids_and_lines(diagnostics: &[Value]) -> Vec<(String, u64)> {
    diagnostics
        .iter()
        .map(|it| {
            let id = it["code"].as_str().unwrap_or("no id").to_owned();
            let line = it["range"]["start"]["line"].as_u64().expect("a line");
            (id, line + 1)
        })
        .collect()
}

/// An edit that replaces everything.
fn everything(text: &str) -> Value {
    json!([{"text": text}])
}

/// A message for a snapshot, without the name of the folder that changes from run to run.
fn shown(message: &Value, folder: &Path) -> String {
    let text = serde_json::to_string_pretty(message).expect("it is JSON");
    text.replace(&folder.display().to_string(), "/folder")
}
