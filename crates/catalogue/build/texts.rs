//! Every text of an entry.

use crate::schema::{DeadEndTexts, Entry, EntryTexts, FixTexts};

/// A text and the field that it stands in.
pub struct Text<'a> {
    pub field: String,
    pub words: &'a str,
}

/// Every text of an entry, in both languages, and the sentences of its findings.
pub fn texts(entry: &Entry) -> Vec<Text<'_>> {
    let mut texts = Texts(Vec::new());
    texts.entry("en", &entry.en);
    texts.entry("zh", &entry.zh);
    for (name, sentence) in &entry.says {
        texts.add("says", name, sentence);
    }
    for pattern in &entry.patterns {
        texts.add("patterns.en", "reason", &pattern.en.reason);
        texts.add("patterns.zh", "reason", &pattern.zh.reason);
    }
    for fix in &entry.fixes {
        texts.fix("fixes.en", &fix.en);
        texts.fix("fixes.zh", &fix.zh);
    }
    for dead_end in &entry.dead_ends {
        texts.dead_end("dead_ends.en", &dead_end.en);
        texts.dead_end("dead_ends.zh", &dead_end.zh);
    }
    for version in &entry.versions {
        texts.add("versions.en", "fact", &version.en.fact);
        texts.add("versions.zh", "fact", &version.zh.fact);
    }
    for evidence in &entry.evidence {
        texts.add("evidence.en", "shows", &evidence.en.shows);
        texts.add("evidence.zh", "shows", &evidence.zh.shows);
    }
    texts.0
}

struct Texts<'a>(Vec<Text<'a>>);

impl<'a> Texts<'a> {
    fn add(&mut self, table: &str, field: &str, words: &'a str) {
        let field = format!("{table}.{field}");
        self.0.push(Text { field, words });
    }

    fn entry(&mut self, table: &str, texts: &'a EntryTexts) {
        self.add(table, "title", &texts.title);
        self.add(table, "summary", &texts.summary);
        self.add(table, "cause", &texts.cause);
        self.add(table, "signal", &texts.signal);
        self.add(table, "question", &texts.question);
        if let Some(reason) = &texts.no_program {
            self.add(table, "no_program", reason);
        }
    }

    fn fix(&mut self, table: &str, texts: &'a FixTexts) {
        self.add(table, "title", &texts.title);
        self.add(table, "explanation", &texts.explanation);
        self.add(table, "cost", &texts.cost);
        if let Some(untested) = &texts.untested {
            self.add(table, "untested", untested);
        }
    }

    fn dead_end(&mut self, table: &str, texts: &'a DeadEndTexts) {
        self.add(table, "attempt", &texts.attempt);
        self.add(table, "reason", &texts.reason);
        if let Some(untested) = &texts.untested {
            self.add(table, "untested", untested);
        }
    }
}
