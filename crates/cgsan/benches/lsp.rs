//! How long an editor waits for the diagnostics of a file that was edited.
//!
//! `cargo bench --package cgsan --bench lsp -- FOLDER` opens each Python file under a folder, inserts a line in its middle,
//! and takes the time from the edit to the diagnostics of the new text, as a client sees it over pipes. Files named after the
//! folder are the only ones that are looked at.

#[path = "../tests/lsp/client.rs"]
#[allow(dead_code, reason = "the tests use what the benchmark does not")]
mod client;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use serde_json::json;

use client::{Client, uri};

/// How often each file is edited; its time is the median.
const EDITS: u32 = 5;
/// How many of the slowest files are named.
const NAMED: usize = 20;
/// How many files are open at once in the second measurement.
const OPEN: usize = 30;

fn main() {
    let mut names = env::args().skip(1).filter(|it| !it.starts_with("--"));
    let Some(folder) = names.next().map(PathBuf::from) else {
        println!("name a folder: cargo bench --package cgsan --bench lsp -- FOLDER [FILE]...");
        return;
    };
    let folder = folder.canonicalize().expect("the folder is there");
    let wanted: Vec<PathBuf> = names.map(|name| folder.join(name)).collect();
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.retain(|(path, _)| wanted.is_empty() || wanted.contains(path));
    files.sort();

    let capturing: Vec<(PathBuf, String)> = files
        .iter()
        .filter(|(_, text)| text.contains("CUDAGraph"))
        .cloned()
        .collect();
    report("every file, alone", &folder, &alone(&folder, &files));
    report(
        "files with `CUDAGraph`, alone",
        &folder,
        &alone(&folder, &capturing),
    );
    let together = &capturing[..capturing.len().min(OPEN)];
    report(
        "files with `CUDAGraph`, all open",
        &folder,
        &all_open(&folder, together),
    );
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder)
        .expect("the folder can be listed")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|it| it == "py")
            && let Ok(text) = fs::read_to_string(&path)
        {
            files.push((path, text));
        }
    }
}

/// The time of each file, with no other open.
fn alone(folder: &Path, files: &[(PathBuf, String)]) -> Vec<(Duration, PathBuf)> {
    let mut client = Client::in_folder(folder);
    let mut times = Vec::new();
    for (path, text) in files {
        client.open(path, text);
        client.diagnostics(path);
        times.push((edited(&mut client, path, text), path.clone()));
        client.notify(
            "textDocument/didClose",
            &json!({"textDocument": {"uri": uri(path)}}),
        );
    }
    times
}

/// The time of each file, with all open.
fn all_open(folder: &Path, files: &[(PathBuf, String)]) -> Vec<(Duration, PathBuf)> {
    let mut client = Client::in_folder(folder);
    for (path, text) in files {
        client.open(path, text);
        client.diagnostics(path);
    }
    files
        .iter()
        .map(|(path, text)| (edited(&mut client, path, text), path.clone()))
        .collect()
}

/// The median time from an edit of a file to its diagnostics.
fn edited(client: &mut Client, path: &Path, text: &str) -> Duration {
    let middle = text.lines().count() / 2;
    let at = json!({"line": middle, "character": 0});
    let mut times: Vec<Duration> = (0..EDITS)
        .map(|_| {
            // An answer to a request means that nothing is left to be checked.
            client.hover(path, 0, 0);
            let start = Instant::now();
            client.change(
                path,
                &json!([{"range": {"start": at, "end": at}, "text": "\n"}]),
            );
            client.diagnostics(path);
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn report(what: &str, folder: &Path, times: &[(Duration, PathBuf)]) {
    let mut times = times.to_vec();
    times.sort();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let at = |share: f64| {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a share of a small number"
        )]
        let index = (times.len() as f64 * share) as usize;
        milliseconds(times[index.min(times.len() - 1)].0)
    };
    if times.is_empty() {
        println!("{what}: none");
        return;
    }
    println!(
        "{what}: {} files; median {:.1} ms, 99 of 100 within {:.1} ms, slowest {:.1} ms",
        times.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    );
    let above = times
        .iter()
        .filter(|(time, _)| milliseconds(*time) > 50.0)
        .count();
    println!("  above 50 ms: {above}");
    for (time, path) in times.iter().rev().take(NAMED) {
        let name = path.strip_prefix(folder).unwrap_or(path);
        println!("  {:.1} ms  {}", milliseconds(*time), name.display());
    }
}
