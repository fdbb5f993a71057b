//! The failure modes of a report as SARIF's rules, from the catalogue.

use cgsan_catalogue::{Language, Severity, entry};
use serde_json::{Value, json};

use crate::Options;

/// The rule of an id: its name, what it is, the whole entry as help, and where it is documented.
pub fn rule(id: &str) -> Value {
    let level = match Severity::of(id) {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut rule = json!({
        "id": id,
        "defaultConfiguration": {"level": level},
    });
    let Some(entry) = entry(id) else {
        let help = format!("`cgsan explain {id}` says why, and what to change.");
        rule["help"] = json!({"text": help});
        return rule;
    };
    let text = |text: &str| json!({"text": text.trim()});
    rule["name"] = json!(entry.name);
    rule["shortDescription"] = text(entry.title.in_language(Language::English));
    rule["fullDescription"] = text(entry.summary.in_language(Language::English));
    let options = Options::default();
    rule["help"] = text(&crate::entry(entry, &[], Language::English, &options));
    if let Some(source) = entry.sources.first() {
        rule["helpUri"] = json!(source.url);
    }
    rule
}
