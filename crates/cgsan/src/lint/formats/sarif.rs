//! SARIF 2.1.0, the form in which code scanners exchange findings.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use cgsan_catalogue::{Language, Severity, entry};
use cgsan_finding::{Finding, Fix, Location};
use cgsan_lint::{Outcome, Project};
use serde_json::{Value, json};

use super::Level;

/// Where the schema is.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The log of one run.
pub fn write(outcome: &Outcome, project: &Project) -> String {
    let mut ids: Vec<&str> = outcome.findings.iter().map(|it| it.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let results: Vec<Value> = outcome
        .findings
        .iter()
        .map(|found| result(found, &ids, project))
        .collect();
    let rules: Vec<Value> = ids.iter().map(|id| rule(id)).collect();
    let errors = outcome
        .errors
        .iter()
        .map(|it| notification("error", &it.message, &it.location, project));
    let unfinished = outcome
        .unfinished
        .iter()
        .map(|it| notification("note", &it.message(), &it.location, project));
    let notifications: Vec<Value> = errors.chain(unfinished).collect();
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "cgsan",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
            "invocations": [{
                "executionSuccessful": outcome.errors.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
        }],
    });
    cgsan_render::escaped(&format!("{document:#}\n"))
}

fn rule(id: &str) -> Value {
    let level = match Severity::of(id) {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut rule = json!({
        "id": id,
        "defaultConfiguration": {"level": level},
        "help": {"text": format!("`cgsan explain {id}` says why, and what to change.")},
    });
    if let Some(entry) = entry(id) {
        let text = |text: &str| json!({"text": text.trim()});
        rule["name"] = json!(entry.name);
        rule["shortDescription"] = text(entry.title.in_language(Language::English));
        rule["fullDescription"] = text(entry.summary.in_language(Language::English));
    }
    rule
}

fn result(found: &Finding, ids: &[&str], project: &Project) -> Value {
    let related: Vec<Value> = found
        .labels
        .iter()
        .map(|label| {
            let mut place = place(&label.location, project);
            place["message"] = json!({"text": label.text});
            place
        })
        .collect();
    let locations: Vec<Value> = found.location.iter().map(|it| place(it, project)).collect();
    let message = std::iter::once(found.title.as_str())
        .chain(found.notes.iter().map(String::as_str))
        .chain(found.help.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join("\n");
    let level = match Level::of(found) {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Remark => "note",
    };
    let mut result = json!({
        "ruleId": found.id,
        "ruleIndex": ids.binary_search(&found.id).unwrap_or_default(),
        "level": level,
        "message": {"text": message},
        "locations": locations,
        "relatedLocations": related,
    });
    if let Some(fix) = found.fix().and_then(|it| fix_object(it, project)) {
        result["fixes"] = json!([fix]);
    }
    result
}

/// A safe fix. Fixes of notebooks are left out: they change code, and not the file's text.
fn fix_object(fix: &Fix, project: &Project) -> Option<Value> {
    if !fix.safe || project.cells(&fix.file).is_some() {
        return None;
    }
    let replacements: Option<Vec<Value>> = fix
        .edits
        .iter()
        .map(|edit| {
            let place = project.place(&fix.file, edit.start..edit.end)?;
            Some(json!({
                "deletedRegion": region(&place),
                "insertedContent": {"text": edit.text},
            }))
        })
        .collect();
    Some(json!({
        "description": {"text": fix.title},
        "artifactChanges": [{
            "artifactLocation": {"uri": uri(&fix.file)},
            "replacements": replacements?,
        }],
    }))
}

fn notification(level: &str, message: &str, at: &Location, project: &Project) -> Value {
    json!({
        "level": level,
        "message": {"text": message},
        "locations": [place(at, project)],
    })
}

/// Columns count characters; the end column is the one after the last character. In a notebook the region is a line of the file, and the
/// cell is named as a person would name it.
fn place(location: &Location, project: &Project) -> Value {
    let artifact = json!({"uri": uri(&location.file)});
    let Some(cell) = location.cell else {
        let region = region(location);
        return json!({"physicalLocation": {"artifactLocation": artifact, "region": region}});
    };
    let region = json!({"startLine": project.line_in_file(location).unwrap_or(1)});
    json!({
        "physicalLocation": {"artifactLocation": artifact, "region": region},
        "logicalLocations": [{"name": format!("cell {}, line {}", cell.number, cell.line)}],
    })
}

fn region(location: &Location) -> Value {
    match &location.span {
        None => json!({"startLine": location.line}),
        Some(span) => json!({
            "startLine": location.line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        }),
    }
}

/// A path as a relative or absolute reference of RFC 3986.
fn uri(path: &Path) -> String {
    let mut uri = String::new();
    if path.is_absolute() {
        uri.push_str("file://");
    }
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(*byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri(Path::new("src/a b:ü.py")), "src/a%20b%3A%C3%BC.py");
        assert_eq!(uri(Path::new("/src/a.py")), "file:///src/a.py");
        assert_eq!(uri(Path::new(OsStr::from_bytes(b"\xe9\n.py"))), "%E9%0A.py");
    }
}
