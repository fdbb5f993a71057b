//! The catalogue for programs: JSON, NDJSON, the data of the search, and `llms.txt`.

use std::fmt::Write as _;

use cgsan_catalogue::{Condition, Entry, Language, Text};
use serde::Serialize;
use serde_json::{Value, json};

use super::navigation::Navigation;
use super::words::words;

/// All entries as one JSON document.
pub fn json(entries: &[Entry]) -> String {
    #[derive(Serialize)]
    struct Document<'a> {
        version: u32,
        entries: &'a [Entry],
    }
    let document = Document {
        version: 1,
        entries,
    };
    serde_json::to_string_pretty(&document).expect("texts, numbers and lists are JSON") + "\n"
}

/// All entries as JSON, one a line.
pub fn ndjson(entries: &[Entry]) -> String {
    entries
        .iter()
        .map(|entry| {
            serde_json::to_string(entry).expect("texts, numbers and lists are JSON") + "\n"
        })
        .collect()
}

/// The data of the search in one language, as a script: a page that was opened from a disk may not fetch.
pub fn script(entries: &[Entry], language: Language) -> String {
    let entries: Vec<Value> = entries
        .iter()
        .map(|entry| {
            let text = |text: Text| text.in_language(language);
            let keys: Vec<&str> = [entry.id, entry.name]
                .into_iter()
                .chain(entry.aliases.iter().copied())
                .collect();
            let conditions = |conditions: &[Condition]| -> Vec<&str> {
                conditions
                    .iter()
                    .map(|condition| condition.matches)
                    .collect()
            };
            let patterns: Vec<Value> = entry
                .patterns
                .iter()
                .map(|pattern| {
                    json!({
                        "matches": pattern.matches,
                        "with": conditions(pattern.with),
                        "without": conditions(pattern.without),
                        "weight": pattern.weight,
                    })
                })
                .collect();
            let running = [entry.summary, entry.cause, entry.signal]
                .map(text)
                .join(" ");
            json!({
                "id": entry.id,
                "mark": entry.id,
                "address": format!("{}.html", entry.id),
                "name": entry.name,
                "keys": keys,
                "codes": entry.codes,
                "title": text(entry.title),
                "text": running,
                "patterns": patterns,
            })
        })
        .collect();
    format!("const entries = {};\n", Value::from(entries))
}

/// The sections of the pages for the search, as a script: they are found like entries.
pub fn pages(navigation: &Navigation<'_>) -> String {
    let mut found = Vec::new();
    for (part, pages) in navigation.parts() {
        for page in pages {
            let title = &page.text.title;
            found.extend(page.text.sections.iter().map(|section| {
                let title = match section.level {
                    1 => title.clone(),
                    _ => format!("{title}: {}", section.title),
                };
                json!({
                    "id": "",
                    "mark": part,
                    "address": format!("../{}#{}", page.path, section.id),
                    "name": "",
                    "keys": [section.title],
                    "codes": [],
                    "title": title,
                    "text": section.words,
                    "patterns": [],
                })
            }));
        }
    }
    format!("const pages = {};\n", Value::from(found))
}

/// What a language model should read of the site, as the llms.txt proposal lays it out.
pub fn llms(entries: &[Entry], navigation: &Navigation<'_>) -> String {
    let english = words(Language::English);
    let mut text = format!(
        "# cgsan\n\n> {}: {}\n\n\
         The whole catalogue as data: [index.json](index.json), or one entry a line: [index.ndjson](index.ndjson).\n",
        english.title, english.about
    );
    for (part, pages) in navigation.parts() {
        let _ = write!(text, "\n## {part}\n\n");
        for page in pages {
            let _ = writeln!(text, "- [{}]({})", page.text.title, page.path);
        }
    }
    for (index, family) in english.families.iter().enumerate() {
        let prefix = format!("CG{}", index + 1);
        let _ = write!(text, "\n## {family}\n\n");
        for entry in entries.iter().filter(|entry| entry.id.starts_with(&prefix)) {
            let _ = writeln!(
                text,
                "- [{}](en/{}.html): {}",
                entry.id,
                entry.id,
                entry.title.in_language(Language::English)
            );
        }
    }
    text
}
