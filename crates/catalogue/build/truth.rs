//! What GPUs did with each case: the part of the recordings under `tests/truth` that the catalogue shows.

use std::collections::BTreeMap;
use std::path::Path;
use std::{error, fs};

use serde::Deserialize;

/// The results by the name of the case.
pub type Truth = BTreeMap<String, CaseResult>;

/// What a case did.
#[derive(Debug)]
pub struct CaseResult {
    pub machine: Machine,
    pub exception: Option<Exception>,
    pub first_refused_call: Option<RefusedCall>,
}

/// Where it was recorded.
#[derive(Clone, Copy, Debug)]
pub enum Machine {
    H100,
    TwoH200,
}

#[derive(Debug)]
pub struct Exception {
    pub type_name: String,
    pub message: String,
}

#[derive(Debug, Deserialize)]
pub struct RefusedCall {
    pub api: String,
    pub code: i32,
}

/// The files that [`read`] reads, below `tests/truth`.
pub const FILES: [&str; 3] = [
    "truth.json",
    "more/truth.json",
    "multi/h200x2_torch2.11.jsonl",
];

/// Reads every recording below the folder.
pub fn read(folder: &Path) -> Result<Truth, Box<dyn error::Error>> {
    let mut truth = Truth::new();
    for file in FILES {
        let text = fs::read_to_string(folder.join(file))?;
        let results = if Path::new(file).extension().is_some_and(|e| e == "jsonl") {
            parse_raw(&text)
        } else {
            parse(&text)
        };
        truth.extend(results.map_err(|error| format!("tests/truth/{file}: {error}"))?);
    }
    Ok(truth)
}

#[derive(Deserialize)]
struct Summary {
    case: String,
    error_type: Option<String>,
    error: Option<String>,
    first_refused_call: Option<RefusedCall>,
}

/// Reads a list of results.
pub fn parse(json: &str) -> Result<Truth, serde_json::Error> {
    let results: Vec<Summary> = serde_json::from_str(json)?;
    let result = |summary: Summary| CaseResult {
        machine: Machine::H100,
        exception: summary.error_type.map(|type_name| Exception {
            type_name,
            message: summary.error.unwrap_or_default(),
        }),
        first_refused_call: summary.first_refused_call,
    };
    Ok(results
        .into_iter()
        .map(|summary| (summary.case.clone(), result(summary)))
        .collect())
}

#[derive(Deserialize)]
struct Raw {
    case: String,
    stderr: String,
}

/// Reads one result a line, with all that the program wrote.
fn parse_raw(lines: &str) -> Result<Truth, serde_json::Error> {
    let result = |line: &str| {
        let raw: Raw = serde_json::from_str(line)?;
        let result = CaseResult {
            machine: Machine::TwoH200,
            exception: raw.stderr.lines().find_map(exception),
            first_refused_call: None,
        };
        Ok((raw.case, result))
    };
    lines.lines().map(result).collect()
}

/// The exception that the line of a rank ends a traceback with.
fn exception(line: &str) -> Option<Exception> {
    let (_, text) = line.strip_prefix("[rank")?.split_once("]: ")?;
    let (type_name, message) = text.split_once(": ")?;
    let is_type = type_name.ends_with("Error")
        && type_name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_');
    is_type.then(|| Exception {
        type_name: type_name.to_owned(),
        message: message.to_owned(),
    })
}
