//! What a file must fulfil beyond its types. Every message names the file and the field.

use std::collections::BTreeMap;

use regex_lite::Regex;

use crate::ids::IDS;
use crate::literals;
use crate::programs::{self, Programs};
use crate::schema::{Basis, Entry, Pattern};
use crate::texts::{Text, texts};
use crate::truth::Truth;

/// Checks each entry, and the entries against each other, the programs and the recorded results.
pub fn check_all(entries: &[Entry], truth: &Truth, programs: &Programs) -> Result<(), String> {
    let mut files_by_id = BTreeMap::new();
    let mut files_by_name = BTreeMap::new();
    for entry in entries {
        unique(&mut files_by_id, &entry.id, "id", entry)?;
        for name in std::iter::once(&entry.name).chain(&entry.aliases) {
            unique(&mut files_by_name, name, "name", entry)?;
        }
    }
    for entry in entries {
        check(entry, truth)?;
        check_programs(entry, programs)?;
        for pattern in &entry.patterns {
            check_pattern(entry, pattern)?;
        }
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

fn check(entry: &Entry, truth: &Truth) -> Result<(), String> {
    if entry.file != format!("catalogue/{}.toml", entry.id) {
        let message = format!("`{}` is not the file's name", entry.id);
        return Err(fault(entry, "id", &message));
    }
    if !is_kebab_case(&entry.name) {
        let message = format!("`{}` is not kebab-case", entry.name);
        return Err(fault(entry, "name", &message));
    }
    check_references(entry, "related", &entry.related)?;
    check_references(entry, "leads_to", &entry.leads_to)?;
    for evidence in &entry.evidence {
        if !truth.contains_key(&evidence.case) {
            let message = format!("no recording has a case `{}`", evidence.case);
            return Err(fault(entry, "evidence.case", &message));
        }
    }
    for version in &entry.versions {
        if matches!(version.basis, Basis::Measured) && version.from.is_none() {
            let message = "a measured fact names the version";
            return Err(fault(entry, "versions.from", message));
        }
    }
    for source in &entry.sources {
        if !source.url.starts_with("https://") {
            let message = format!("`{}` is no https address", source.url);
            return Err(fault(entry, "sources.url", &message));
        }
    }
    for text in texts(entry) {
        check_text(entry, &text)?;
    }
    if entry.fixes.is_empty() {
        return Err(fault(entry, "fixes", "an entry has at least one"));
    }
    Ok(())
}

fn check_references(entry: &Entry, field: &str, ids: &[String]) -> Result<(), String> {
    for id in ids {
        if !IDS.contains(&id.as_str()) {
            return Err(fault(entry, field, &format!("there is no entry `{id}`")));
        }
        if *id == entry.id {
            return Err(fault(entry, field, "an entry does not name itself"));
        }
    }
    Ok(())
}

/// The programs of an entry exist.
fn check_programs(entry: &Entry, programs: &Programs) -> Result<(), String> {
    let fixes = entry
        .fixes
        .iter()
        .map(|fix| ("fixes.program", &fix.program));
    let dead_ends = entry
        .dead_ends
        .iter()
        .map(|dead_end| ("dead_ends.program", &dead_end.program));
    for (field, program) in fixes.chain(dead_ends) {
        if let Some(name) = program
            && programs::find(programs, entry, name).is_none()
        {
            let folder = format!("examples/{}_…", entry.id.to_ascii_lowercase());
            let message = format!("there is no file `{folder}/{name}.py`");
            return Err(fault(entry, field, &message));
        }
    }
    Ok(())
}

fn check_pattern(entry: &Entry, pattern: &Pattern) -> Result<(), String> {
    if !(1..=100).contains(&pattern.weight) {
        let message = format!("{} is not between 1 and 100", pattern.weight);
        return Err(fault(entry, "patterns.weight", &message));
    }
    for matches in pattern.expressions() {
        let wrong = |message: String| fault(entry, "patterns.matches", &message);
        literals::required(matches).map_err(|error| wrong(error.to_string()))?;
        let regex = Regex::new(matches).map_err(|error| wrong(error.to_string()))?;
        if regex.is_match("") {
            let message = format!("`{matches}` matches every line");
            return Err(fault(entry, "patterns.matches", &message));
        }
    }
    Ok(())
}

/// A text is not empty, and the ids that it names exist.
fn check_text(entry: &Entry, text: &Text<'_>) -> Result<(), String> {
    if text.words.trim().is_empty() {
        return Err(fault(entry, &text.field, "is empty"));
    }
    let words = text.words.split(|c: char| !c.is_ascii_alphanumeric());
    for id in words.filter(|word| is_id(word)) {
        if !IDS.contains(&id) {
            let message = format!("names `{id}`, which does not exist");
            return Err(fault(entry, &text.field, &message));
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
