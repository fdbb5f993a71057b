//! SARIF 2.1.0, the form in which code scanners exchange findings.

use cgsan_finding::{Finding, Fix, LeftOut, Location, Note, NoteLevel, Observed, Reason, Report};
use serde_json::{Value, json};

use super::level::Level;
use super::places::Places;
use super::{chain, place, rules};
use crate::{Options, facts, text};

/// Where the schema is.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A report as the log of one run of cgsan, indented, with a line break at its end.
pub fn sarif(report: &Report, places: &dyn Places, options: &Options) -> String {
    let log = Log { places, options };
    let left_out = report.left_out.iter();
    let found = report.findings.iter();
    let all = found.chain(left_out.map(|it| &it.finding));
    let mut ids: Vec<&str> = all.map(|it| it.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let rules: Vec<Value> = ids.iter().map(|id| rules::rule(id)).collect();
    // What a program that ran was found to do wrong is a result, also where it has no id; a file that cannot be read is none.
    let is_result = |note: &&Note| note.level == NoteLevel::Error && report.coverage.is_some();
    let findings = report.findings.iter().map(|it| log.result(it, &ids));
    let wrong = report.notes.iter().filter(is_result).map(|it| log.note(it));
    let left_out = report.left_out.iter().map(|it| log.left_out(it, &ids));
    let results: Vec<Value> = findings.chain(wrong).chain(left_out).collect();
    let told: Vec<&Note> = report.notes.iter().filter(|it| !is_result(it)).collect();
    let notifications: Vec<Value> = told.iter().map(|it| log.note(it)).collect();
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver(&rules, option_env!("CGSAN_PROJECT_URL"))},
            "columnKind": "unicodeCodePoints",
            "results": results,
            "invocations": [{
                "executionSuccessful": told.iter().all(|it| it.level != NoteLevel::Error),
                "toolExecutionNotifications": notifications,
            }],
        }],
    });
    text::escaped(&format!("{document:#}\n"))
}

/// The tool that found something, with the address of its project, if it has one.
fn driver(rules: &[Value], project: Option<&str>) -> Value {
    let mut driver = json!({
        "name": "cgsan",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    if let Some(url) = project.filter(|url| !url.is_empty()) {
        driver["informationUri"] = json!(url);
    }
    driver
}

struct Log<'a> {
    places: &'a dyn Places,
    options: &'a Options,
}

impl Log<'_> {
    fn result(&self, found: &Finding, ids: &[&str]) -> Value {
        let related = found.labels.iter();
        let related = related.map(|label| self.place_with(&label.location, &label.text));
        let locations = found.location.iter().map(|it| self.place(it));
        let mut result = json!({
            "ruleId": found.id,
            "ruleIndex": ids.binary_search(&found.id).unwrap_or_default(),
            "level": level(Level::of(found)),
            "message": {"text": self.message(found)},
            "locations": locations.collect::<Vec<Value>>(),
            "relatedLocations": related.collect::<Vec<Value>>(),
        });
        if let Some(fix) = found.fix().and_then(|it| self.fix(it)) {
            result["fixes"] = json!([fix]);
        }
        if let Some(observed) = found.observed() {
            self.add_observed(&mut result, found, observed);
        }
        result
    }

    /// A result that is not to be shown, and why.
    fn left_out(&self, left_out: &LeftOut, ids: &[&str]) -> Value {
        let kind = match left_out.by {
            Reason::Comment => "inSource",
            Reason::Option(_)
            | Reason::Configuration(_)
            | Reason::Baseline(_)
            | Reason::Earlier(_) => "external",
        };
        let mut result = self.result(&left_out.finding, ids);
        result["suppressions"] = json!([{
            "kind": kind,
            "justification": format!("left out by {}", left_out.by),
        }]);
        result
    }

    /// The title, why, what to change, and of a run the call, the ranks and how often.
    fn message(&self, found: &Finding) -> String {
        let observed = found.observed();
        let call = observed.and_then(|it| it.call.as_ref()).map(facts::call);
        let ranks = observed.and_then(|it| facts::processes(it, self.options));
        let times = observed.and_then(facts::times);
        let facts = [
            call.map(|it| format!("call: {it}")),
            ranks.map(|it| format!("in: {it}")),
            times.map(|it| format!("times: {it}")),
        ];
        std::iter::once(&found.title)
            .chain(&found.notes)
            .chain(&found.help)
            .cloned()
            .chain(facts.into_iter().flatten())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The chain of events, the stack, how often it happened and in which ranks.
    fn add_observed(&self, result: &mut Value, found: &Finding, observed: &Observed) {
        let steps = chain::of(found);
        if !steps.is_empty() {
            let steps = steps.iter();
            let steps = steps.map(|(at, what)| json!({"location": self.place_with(at, what)}));
            let steps: Vec<Value> = steps.collect();
            result["codeFlows"] = json!([{"threadFlows": [{"locations": steps}]}]);
        }
        if !observed.stack.is_empty() {
            let frames = observed.stack.iter().map(|it| self.frame(it));
            result["stacks"] = json!([{
                "message": {"text": "the Python stack, innermost frame first"},
                "frames": frames.collect::<Vec<Value>>(),
            }]);
        }
        if observed.count > 0 {
            result["occurrenceCount"] = json!(observed.count);
        }
        let processes = &observed.processes;
        let ranks: Vec<u32> = processes.iter().filter_map(|it| it.rank).collect();
        result["properties"] = json!({"confidence": found.confidence, "ranks": ranks});
    }

    /// A safe fix.
    fn fix(&self, fix: &Fix) -> Option<Value> {
        if !fix.safe {
            return None;
        }
        let replacements: Option<Vec<Value>> = fix
            .edits
            .iter()
            .map(|edit| {
                let place = self.places.of_edit(&fix.file, edit.start..edit.end)?;
                Some(json!({
                    "deletedRegion": region(&place),
                    "insertedContent": {"text": edit.text},
                }))
            })
            .collect();
        Some(json!({
            "description": {"text": fix.title},
            "artifactChanges": [{
                "artifactLocation": {"uri": place::uri(place::file(&fix.file, self.options))},
                "replacements": replacements?,
            }],
        }))
    }

    /// A remark, as a notification or as a result without a rule: the two have the same fields.
    fn note(&self, note: &Note) -> Value {
        let locations = note.location.iter().map(|it| self.place(it));
        json!({
            "level": level(Level::of_note(note)),
            "message": {"text": note.text},
            "locations": locations.collect::<Vec<Value>>(),
        })
    }

    fn frame(&self, at: &Location) -> Value {
        let mut place = self.place(at);
        if !at.function.is_empty() {
            place["logicalLocations"] = json!([{"name": at.function, "kind": "function"}]);
        }
        json!({"location": place})
    }

    fn place_with(&self, at: &Location, message: &str) -> Value {
        let mut place = self.place(at);
        place["message"] = json!({"text": message});
        place
    }

    /// Columns count characters; the end column is the one after the last character. In a notebook the region is a line of the
    /// file, and the cell is named as a person would name it.
    fn place(&self, location: &Location) -> Value {
        let uri = place::uri(place::file(&location.file, self.options));
        let artifact = json!({"uri": uri});
        let Some(cell) = location.cell else {
            let region = region(location);
            return json!({"physicalLocation": {"artifactLocation": artifact, "region": region}});
        };
        let region = json!({"startLine": self.places.line_in_file(location).max(1)});
        json!({
            "physicalLocation": {"artifactLocation": artifact, "region": region},
            "logicalLocations": [{"name": format!("cell {}, line {}", cell.number, cell.line)}],
        })
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Remark => "note",
    }
}

/// Lines count from 1; a whole file is its first line.
fn region(location: &Location) -> Value {
    let line = location.line.max(1);
    match &location.span {
        None => json!({"startLine": line}),
        Some(span) => json!({
            "startLine": line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::driver;

    #[test]
    fn the_tool_names_the_address_of_its_project() {
        let uri = |project| driver(&[], project).get("informationUri").cloned();
        assert_eq!(uri(None), None);
        assert_eq!(uri(Some("")), None);
        let named = uri(Some("https://example.org/cgsan"));
        assert_eq!(named, Some("https://example.org/cgsan".into()));
    }
}
