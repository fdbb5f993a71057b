//! Texts as people meet them, and the failure mode that each is about.

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    texts: Vec<Known>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    name: String,
    id: String,
    within: usize,
    text: String,
}

/// The ids for a text, best first; a name is looked up as the command does.
fn ids(text: &str) -> Vec<String> {
    if let Some(cgsan_explain::Subject::Entry(entry)) = cgsan_explain::look_up(text) {
        return vec![entry.id.to_owned()];
    }
    let explanation = cgsan_explain::text(text).expect("it is a text");
    let candidates = explanation.candidates.iter();
    candidates
        .map(|candidate| candidate.entry.id.to_owned())
        .collect()
}

/// Prints where each text's failure mode comes, and fails where one comes later than it may.
fn check(file: &str) {
    let file: File = toml::from_str(file).expect("it is TOML");
    let mut wrong = Vec::new();
    let mut first = 0;
    for text in &file.texts {
        let ids = ids(&text.text);
        let place = ids.iter().position(|id| *id == text.id);
        first += usize::from(place == Some(0));
        let line = format!(
            "{}: {}: {}",
            text.id,
            text.name,
            ids[..ids.len().min(4)].join(" ")
        );
        println!("  {line}");
        if place.is_none_or(|place| place >= text.within) {
            wrong.push(line);
        }
    }
    println!("{first} of {} first", file.texts.len());
    assert!(
        wrong.is_empty(),
        "{} of {} texts:\n{}",
        wrong.len(),
        file.texts.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_text_finds_its_failure_mode() {
    check(include_str!("texts.toml"));
}

#[test]
fn so_does_every_text_in_the_formats_of_others() {
    check(include_str!("printed.toml"));
}

#[test]
fn so_does_every_question_of_a_chat() {
    check(include_str!("chats.toml"));
}

#[test]
fn so_does_every_report_of_a_maintainer() {
    check(include_str!("reports.toml"));
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Others {
    texts: Vec<Other>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Other {
    name: String,
    text: String,
    /// Whether candidates are named, for the case that the program uses graphs.
    #[serde(default)]
    found: bool,
}

#[test]
fn texts_about_something_else_are_told_from_graphs() {
    let file: Others = toml::from_str(include_str!("others.toml")).expect("it is TOML");
    let mut wrong = Vec::new();
    for other in &file.texts {
        let explanation = cgsan_explain::text(&other.text).expect("it is a text");
        let found = explanation.candidates.first();
        let is_denied = !explanation.is_of_graphs || explanation.beside == Some(0);
        let is_right = match found {
            None => !other.found,
            Some(_) => is_denied && !explanation.is_decided(),
        };
        if !is_right {
            let found = found.map(|candidate| (candidate.entry.id, candidate.score));
            wrong.push(format!("{}: {found:?}", other.name));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} texts:\n{}",
        wrong.len(),
        file.texts.len(),
        wrong.join("\n")
    );
}
