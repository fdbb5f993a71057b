//! Every text of an entry.

use crate::schema::{DeadEndTexts, Entry, EntryTexts, FixTexts};

/// A text and the field that it stands in.
pub struct Text<'a> {
    pub field: String,
    pub words: &'a str,
}

/// Every text of an entry, in both languages.
pub fn texts(entry: &Entry) -> Vec<Text<'_>> {
    let mut texts = Texts(Vec::new());
    texts.entry("en", Some(&entry.en));
    texts.entry("zh", entry.zh.as_ref());
    for pattern in &entry.patterns {
        texts.add("patterns.en.reason", Some(&pattern.en.reason));
        texts.add(
            "patterns.zh.reason",
            pattern.zh.as_ref().map(|zh| &zh.reason),
        );
    }
    for fix in &entry.fixes {
        texts.fix("fixes.en", Some(&fix.en));
        texts.fix("fixes.zh", fix.zh.as_ref());
    }
    for dead_end in &entry.dead_ends {
        texts.dead_end("dead_ends.en", Some(&dead_end.en));
        texts.dead_end("dead_ends.zh", dead_end.zh.as_ref());
    }
    for version in &entry.versions {
        texts.add("versions.en.fact", Some(&version.en.fact));
        texts.add("versions.zh.fact", version.zh.as_ref().map(|zh| &zh.fact));
    }
    for evidence in &entry.evidence {
        texts.add("evidence.en.shows", Some(&evidence.en.shows));
        texts.add(
            "evidence.zh.shows",
            evidence.zh.as_ref().map(|zh| &zh.shows),
        );
    }
    texts.0
}

struct Texts<'a>(Vec<Text<'a>>);

impl<'a> Texts<'a> {
    fn add(&mut self, field: &str, words: Option<&'a String>) {
        let field = field.to_owned();
        self.0.extend(words.map(|words| Text { field, words }));
    }

    fn entry(&mut self, table: &str, texts: Option<&'a EntryTexts>) {
        self.add(&format!("{table}.title"), texts.map(|texts| &texts.title));
        self.add(
            &format!("{table}.summary"),
            texts.map(|texts| &texts.summary),
        );
        self.add(&format!("{table}.cause"), texts.map(|texts| &texts.cause));
        self.add(&format!("{table}.signal"), texts.map(|texts| &texts.signal));
    }

    fn fix(&mut self, table: &str, texts: Option<&'a FixTexts>) {
        self.add(&format!("{table}.title"), texts.map(|texts| &texts.title));
        self.add(
            &format!("{table}.explanation"),
            texts.map(|texts| &texts.explanation),
        );
        self.add(&format!("{table}.cost"), texts.map(|texts| &texts.cost));
        self.add(
            &format!("{table}.untested"),
            texts.and_then(|texts| texts.untested.as_ref()),
        );
    }

    fn dead_end(&mut self, table: &str, texts: Option<&'a DeadEndTexts>) {
        self.add(
            &format!("{table}.attempt"),
            texts.map(|texts| &texts.attempt),
        );
        self.add(&format!("{table}.reason"), texts.map(|texts| &texts.reason));
        self.add(
            &format!("{table}.untested"),
            texts.and_then(|texts| texts.untested.as_ref()),
        );
    }
}
