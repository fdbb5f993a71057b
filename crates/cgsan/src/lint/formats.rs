//! The ways in which findings are written.

use std::path::Path;

use cgsan_catalogue::Language;
use cgsan_lint::{Finding, Outcome, Project, Settings, SyntaxError};
use cgsan_render::{Options, Run};
use serde_json::{Value, json};

use super::LintOptions;
use super::options::Format;
use super::report;

/// Where SARIF's schema is.
const SARIF_SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// All that was found, in the format that was asked for.
pub fn write(
    options: &LintOptions,
    settings: &Settings,
    outcome: &Outcome,
    project: &Project,
    width: usize,
) -> String {
    match options.chosen_format() {
        Format::Text => text(options, settings, outcome, project, width),
        Format::Json => {
            let run = Run {
                program: std::env::args().collect(),
                exit: None,
            };
            cgsan_render::json(&report::of(outcome), &run)
        }
        Format::Sarif => sarif(outcome),
        Format::Github => github(outcome),
    }
}

fn text(
    options: &LintOptions,
    settings: &Settings,
    outcome: &Outcome,
    project: &Project,
    width: usize,
) -> String {
    let render = Options {
        width: options.width.map_or(width, usize::from),
        color: options.open().is_ok_and(|it| it.takes_color(options.color)),
        full: false,
        directory: None,
        several_processes: false,
        watched: Some(super::watched(outcome, settings)),
    };
    cgsan_render::terminal(&report::of(outcome), &render, &mut |file| {
        project.code(Path::new(file)).map(str::to_owned)
    })
}

fn sarif(outcome: &Outcome) -> String {
    let results: Vec<Value> = outcome.findings.iter().map(result).collect();
    let mut ids: Vec<&str> = outcome.findings.iter().map(|it| it.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let rules: Vec<Value> = ids.into_iter().map(rule).collect();
    let errors: Vec<Value> = outcome.errors.iter().map(notification).collect();
    let document = json!({
        "$schema": SARIF_SCHEMA,
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
                "executionSuccessful": errors.is_empty(),
                "toolExecutionNotifications": errors,
            }],
        }],
    });
    format!("{document:#}\n")
}

fn rule(id: &str) -> Value {
    match cgsan_catalogue::entry(id) {
        Some(entry) => json!({
            "id": id,
            "name": entry.name,
            "shortDescription": {"text": entry.title.in_language(Language::English)},
            "fullDescription": {"text": entry.summary.in_language(Language::English)},
        }),
        None => json!({"id": id}),
    }
}

fn result(found: &Finding) -> Value {
    let related: Vec<Value> = found
        .labels
        .iter()
        .map(|label| {
            let mut place = place(&label.location);
            place["message"] = json!({"text": label.text});
            place
        })
        .collect();
    let message = std::iter::once(found.title.as_str())
        .chain(found.notes.iter().map(String::as_str))
        .chain(found.help.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join("\n");
    json!({
        "ruleId": found.id,
        "level": level(found),
        "message": {"text": message},
        "locations": [place(&found.location)],
        "relatedLocations": related,
    })
}

/// Failures of captures are errors, wrong numbers too; memory and time are a warning's matter.
fn level(found: &Finding) -> &'static str {
    match found.id.as_bytes().get(2) {
        Some(b'1' | b'2' | b'4') => "error",
        _ => "warning",
    }
}

fn place(location: &cgsan_lint::Location) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(&location.file)},
        "region": {
            "startLine": location.start.line,
            "startColumn": location.start.column,
            "endLine": location.end.line,
            "endColumn": location.end.column,
        },
    }})
}

/// A path as a relative or absolute reference of RFC 3986.
fn uri(path: &Path) -> String {
    use std::fmt::Write as _;
    let mut uri = String::new();
    if path.is_absolute() {
        uri.push_str("file://");
    }
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

fn notification(error: &SyntaxError) -> Value {
    json!({
        "level": "error",
        "message": {"text": error.message},
        "locations": [place(&error.location)],
    })
}

fn github(outcome: &Outcome) -> String {
    let findings = outcome.findings.iter().map(|it| {
        let help = it
            .help
            .first()
            .map(|help| format!("\n{help}"))
            .unwrap_or_default();
        annotation(
            level(it),
            &it.location,
            it.id,
            &format!("{}{help}", it.title),
        )
    });
    let errors = outcome
        .errors
        .iter()
        .map(|it| annotation("error", &it.location, "syntax", &it.message));
    findings.chain(errors).collect()
}

fn annotation(level: &str, at: &cgsan_lint::Location, title: &str, message: &str) -> String {
    // Line breaks, percent signs and, in properties, commas and colons have a meaning of their own.
    let plain = |text: &str| {
        text.replace('%', "%25")
            .replace('\r', "%0D")
            .replace('\n', "%0A")
    };
    let property = |text: &str| plain(text).replace(':', "%3A").replace(',', "%2C");
    format!(
        "::{level} file={},line={},col={},endLine={},endColumn={},title={}::{}\n",
        property(&at.file.to_string_lossy()),
        at.start.line,
        at.start.column,
        at.end.line,
        at.end.column,
        property(title),
        plain(message)
    )
}
