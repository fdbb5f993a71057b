//! What every page is written with.

use cgsan_catalogue::{Entry, Language, Text};

use super::words::{self, Words};
use crate::style::Painter;
use crate::{Options, text};

/// A page's width, colours and language.
pub struct Sheet {
    pub width: usize,
    pub painter: Painter,
    pub language: Language,
    pub words: &'static Words,
}

impl Sheet {
    pub fn new(options: &Options, language: Language) -> Self {
        Sheet {
            width: options.prose_width(),
            painter: Painter::new(options.color),
            language,
            words: words::words(language),
        }
    }

    /// A text in the page's language.
    pub fn text(&self, text: Text) -> &'static str {
        text.in_language(self.language)
    }

    /// Paragraphs under a heading.
    pub fn prose(&self, heading: &str, text: &str) -> Option<String> {
        let paragraphs = text
            .split("\n\n")
            .map(|paragraph| format!("  {}", text::hang(paragraph, self.width, 2)));
        self.section(heading, paragraphs, "\n\n")
    }

    /// Parts under a heading; nothing where there are no parts.
    pub fn section(
        &self,
        heading: &str,
        parts: impl Iterator<Item = String>,
        separator: &str,
    ) -> Option<String> {
        let body = parts.collect::<Vec<String>>().join(separator);
        (!body.is_empty()).then(|| format!("{}\n{body}", self.painter.heading(heading)))
    }

    /// A heading with what is to be said about it.
    pub fn item(&self, heading: &str, body: &str) -> String {
        let heading = self.painter.strong(&text::hang(heading, self.width, 4));
        format!("  * {heading}\n    {}", text::hang(body, self.width, 4))
    }

    /// One line of a list.
    pub fn line(&self, line: &str) -> String {
        format!("  * {}", text::hang(line, self.width, 4))
    }

    /// An id with its title.
    pub fn reference(&self, entry: &Entry) -> String {
        format!("{}{}{}", entry.id, self.words.colon, self.text(entry.title))
    }
}

/// The sections of a page that there are, one blank line apart.
pub fn page(sections: impl IntoIterator<Item = Option<String>>) -> String {
    let sections: Vec<String> = sections.into_iter().flatten().collect();
    let mut output = sections.join("\n\n");
    output.push('\n');
    output
}
