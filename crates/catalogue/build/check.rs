//! What a file must fulfil beyond its types. Every message names the file and the field.

use std::collections::BTreeMap;

use regex_lite::Regex;

use crate::literals;
use crate::programs::{self, Programs};
use crate::schema::{Basis, Entry, Pattern};
use crate::texts::{Text, texts};
use crate::truth::Truth;

/// The files by the id of their entry.
type Ids<'a> = BTreeMap<&'a str, &'a str>;

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
        check(entry, &files_by_id, truth)?;
        check_claims(entry, programs)?;
        check_program(entry, programs)?;
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

fn check(entry: &Entry, ids: &Ids<'_>, truth: &Truth) -> Result<(), String> {
    if entry.file != format!("catalogue/{}.toml", entry.id) {
        let message = format!("`{}` is not the file's name", entry.id);
        return Err(fault(entry, "id", &message));
    }
    if !is_kebab_case(&entry.name) {
        let message = format!("`{}` is not kebab-case", entry.name);
        return Err(fault(entry, "name", &message));
    }
    check_references(entry, "related", &entry.related, ids)?;
    check_references(entry, "leads_to", &entry.leads_to, ids)?;
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
        check_text(entry, &text, ids)?;
    }
    check_titles(entry)?;
    check_question(entry)?;
    check_neighbours(entry)?;
    let lists = [
        ("fixes", entry.fixes.is_empty()),
        ("dead_ends", entry.dead_ends.is_empty()),
        ("patterns", entry.patterns.is_empty()),
        ("sources", entry.sources.is_empty()),
    ];
    for (field, is_empty) in lists {
        if is_empty {
            let message = format!("an entry has at least one; begin it with `[[{field}]]`");
            return Err(fault(entry, field, &message));
        }
    }
    Ok(())
}

fn check_references(
    entry: &Entry,
    field: &str,
    references: &[String],
    ids: &Ids<'_>,
) -> Result<(), String> {
    for id in references {
        if !ids.contains_key(id.as_str()) {
            return Err(fault(entry, field, &format!("there is no entry `{id}`")));
        }
        if *id == entry.id {
            return Err(fault(entry, field, "an entry does not name itself"));
        }
    }
    Ok(())
}

/// A title fits a line of a terminal.
fn check_titles(entry: &Entry) -> Result<(), String> {
    let titles = [
        ("en.title", &entry.en.title, 60),
        ("zh.title", &entry.zh.title, 30),
    ];
    for (field, title, most) in titles {
        if title.chars().count() > most {
            let message = format!("has more than {most} characters");
            return Err(fault(entry, field, &message));
        }
        if title.ends_with(['.', '。']) {
            return Err(fault(entry, field, "is no sentence"));
        }
    }
    Ok(())
}

/// A question ends as one, so that a list of them can be read.
fn check_question(entry: &Entry) -> Result<(), String> {
    let questions = [
        ("en.question", &entry.en.question, '?'),
        ("zh.question", &entry.zh.question, '？'),
    ];
    match questions
        .iter()
        .find(|(_, question, mark)| !question.ends_with(*mark))
    {
        Some((field, ..)) => Err(fault(entry, field, "does not end with a question mark")),
        None => Ok(()),
    }
}

/// What tells an entry from its neighbours is said of each of them.
fn check_neighbours(entry: &Entry) -> Result<(), String> {
    let signals = [
        ("en.signal", &entry.en.signal),
        ("zh.signal", &entry.zh.signal),
    ];
    for (field, signal) in signals {
        if let Some(missing) = entry.related.iter().find(|id| !signal.contains(*id)) {
            return Err(fault(
                entry,
                field,
                &format!(
                    "does not name {missing}, which is in `related`: say what tells the two apart"
                ),
            ));
        }
    }
    Ok(())
}

/// Every claim has a program that exists, or says in both languages why it has none.
fn check_claims(entry: &Entry, programs: &Programs) -> Result<(), String> {
    let fixes = entry.fixes.iter().map(|fix| ("fixes", fix.claim()));
    let dead_ends = entry
        .dead_ends
        .iter()
        .map(|dead_end| ("dead_ends", dead_end.claim()));
    for (field, claim) in fixes.chain(dead_ends) {
        match (claim.program, claim.untested) {
            (Some(name), [None, None]) => {
                if programs::find(programs, entry, name).is_none() {
                    let folder = format!("examples/{}_…", entry.id.to_ascii_lowercase());
                    let message = format!("there is no file `{folder}/{name}.py`");
                    return Err(fault(entry, &format!("{field}.program"), &message));
                }
            }
            (None, [Some(_), Some(_)]) => {}
            _ => {
                let message = "a claim has a program, or `untested` in both languages";
                return Err(fault(entry, field, message));
            }
        }
    }
    Ok(())
}

/// An entry has a program that shows it, or says in both languages why it has none.
fn check_program(entry: &Entry, programs: &Programs) -> Result<(), String> {
    let shown = ["fails", "silent"]
        .iter()
        .any(|name| programs::find(programs, entry, name).is_some());
    for (field, reason) in [
        ("en.no_program", &entry.en.no_program),
        ("zh.no_program", &entry.zh.no_program),
    ] {
        if shown == reason.is_some() {
            let folder = format!("examples/{}_…", entry.id.to_ascii_lowercase());
            let message = format!("either {folder} has a `fails.py`, or this says why not");
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
fn check_text(entry: &Entry, text: &Text<'_>, ids: &Ids<'_>) -> Result<(), String> {
    if text.words.trim().is_empty() {
        return Err(fault(entry, &text.field, "is empty"));
    }
    let words = text.words.split(|c: char| !c.is_ascii_alphanumeric());
    for id in words.filter(|word| is_id(word)) {
        if !ids.contains_key(id) {
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
