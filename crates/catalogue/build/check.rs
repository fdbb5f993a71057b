//! What a file must fulfil beyond its types. Every message names the file and the field.

use std::collections::BTreeMap;

use crate::schema::{Basis, Entry};
use crate::truth::Truth;

/// Checks each entry, and the entries against each other and against the recorded results.
pub fn check_all(entries: &[Entry], truth: &Truth) -> Result<(), String> {
    let mut files_by_id = BTreeMap::new();
    let mut files_by_name = BTreeMap::new();
    for entry in entries {
        unique(&mut files_by_id, &entry.id, "id", entry)?;
        unique(&mut files_by_name, &entry.name, "name", entry)?;
    }
    for entry in entries {
        check(entry, &files_by_id, truth)?;
    }
    Ok(())
}

fn unique<'a>(
    seen: &mut BTreeMap<&'a str, &'a str>,
    value: &'a str,
    field: &str,
    entry: &'a Entry,
) -> Result<(), String> {
    match seen.insert(value, &entry.file) {
        Some(other) => Err(fault(
            entry,
            field,
            &format!("`{value}` is already that of {other}"),
        )),
        None => Ok(()),
    }
}

fn check(entry: &Entry, ids: &BTreeMap<&str, &str>, truth: &Truth) -> Result<(), String> {
    if entry.file != format!("catalogue/{}.toml", entry.id) {
        return Err(fault(
            entry,
            "id",
            &format!("`{}` is not the file's name", entry.id),
        ));
    }
    if !is_kebab_case(&entry.name) {
        return Err(fault(
            entry,
            "name",
            &format!("`{}` is not kebab-case", entry.name),
        ));
    }
    for related in &entry.related {
        if !ids.contains_key(related.as_str()) {
            return Err(fault(
                entry,
                "related",
                &format!("there is no entry `{related}`"),
            ));
        }
        if *related == entry.id {
            return Err(fault(entry, "related", "an entry is not its own neighbour"));
        }
    }
    for evidence in &entry.evidence {
        if !truth.contains_key(&evidence.case) {
            let message = format!("tests/truth/truth.json has no case `{}`", evidence.case);
            return Err(fault(entry, "evidence.case", &message));
        }
    }
    for version in &entry.versions {
        if matches!(version.basis, Basis::Measured) && version.from.is_none() {
            return Err(fault(
                entry,
                "versions.from",
                "a measured fact names the version",
            ));
        }
    }
    for (field, text) in texts(entry) {
        check_text(entry, field, text, ids)?;
    }
    if entry.fixes.is_empty() {
        return Err(fault(entry, "fixes", "an entry has at least one"));
    }
    Ok(())
}

/// Every text of an entry with its field.
fn texts(entry: &Entry) -> Vec<(&'static str, &str)> {
    let mut texts = vec![
        ("en.title", entry.en.title.as_str()),
        ("en.summary", &entry.en.summary),
        ("en.cause", &entry.en.cause),
        ("en.signal", &entry.en.signal),
    ];
    for fix in &entry.fixes {
        texts.extend([
            ("fixes.en.title", fix.en.title.as_str()),
            ("fixes.en.explanation", &fix.en.explanation),
            ("fixes.en.cost", &fix.en.cost),
            ("fixes.code", &fix.code),
        ]);
    }
    for dead_end in &entry.dead_ends {
        texts.push(("dead_ends.en.attempt", &dead_end.en.attempt));
        texts.push(("dead_ends.en.reason", &dead_end.en.reason));
    }
    for version in &entry.versions {
        texts.push(("versions.en.fact", &version.en.fact));
    }
    for evidence in &entry.evidence {
        texts.push(("evidence.en.shows", &evidence.en.shows));
    }
    texts
}

/// A text is not empty, and the ids that it names exist.
fn check_text(
    entry: &Entry,
    field: &str,
    text: &str,
    ids: &BTreeMap<&str, &str>,
) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err(fault(entry, field, "is empty"));
    }
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    for id in words.filter(|word| is_id(word)) {
        if !ids.contains_key(id) {
            return Err(fault(
                entry,
                field,
                &format!("names `{id}`, which does not exist"),
            ));
        }
    }
    Ok(())
}

fn is_id(word: &str) -> bool {
    word.strip_prefix("CG")
        .is_some_and(|digits| digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn is_kebab_case(name: &str) -> bool {
    !name.is_empty()
        && name.split('-').all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

fn fault(entry: &Entry, field: &str, message: &str) -> String {
    format!("{}: field `{field}`: {message}", entry.file)
}
