//! The list of all pages that stands on each of them.

use cgsan_catalogue::Language;
use maud::{Markup, html};

use super::LANGUAGES;
use super::documents::{Document, Documents, HOME};
use super::matrix_page;
use super::path::root;
use super::words::words;

/// A part of the list, with the files that come first in it, in this order.
struct Part {
    title: &'static str,
    first: &'static [&'static str],
    /// Which of the others belong to it.
    has: fn(&str) -> bool,
}

const PARTS: &[Part] = &[
    Part {
        title: "Guide",
        first: &[
            HOME,
            "docs/guide/start.md",
            "docs/guide/session.md",
            "docs/guide/findings.md",
            "examples/README.md",
            "docs/guide/failure-mode.md",
        ],
        has: |file| file.starts_with("docs/guide/"),
    },
    Part {
        title: "Reference",
        first: &[
            "docs/install.md",
            "docs/commands.md",
            "docs/ci.md",
            "docs/configuration.md",
            "docs/lint.md",
            "docs/perf.md",
            "docs/editors.md",
            "docs/json.md",
            "docs/trace.md",
        ],
        has: |file| file.starts_with("docs/") && file.matches('/').count() == 1,
    },
    Part {
        title: "How it is built",
        first: &["docs/architecture.md"],
        has: |_| true,
    },
];

/// Every page by its part, in the order in which they are read.
pub struct Navigation<'a> {
    parts: Vec<(&'static str, Vec<&'a Document>)>,
}

impl<'a> Navigation<'a> {
    /// Sorts the pages into the parts.
    pub fn new(documents: &'a Documents) -> Navigation<'a> {
        let is_first = |file: &str| PARTS.iter().any(|part| part.first.contains(&file));
        let mut others: Vec<&Document> = documents
            .pages
            .iter()
            .filter(|page| !is_first(&page.file))
            .collect();
        let parts = PARTS.iter().map(|part| {
            let first = part
                .first
                .iter()
                .filter_map(|file| documents.pages.iter().find(|page| page.file == *file));
            let further = others.extract_if(.., |page| (part.has)(&page.file));
            (part.title, first.chain(further).collect())
        });
        Navigation {
            parts: parts.collect(),
        }
    }

    /// The pages, by part.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &[&'a Document])> {
        self.parts.iter().map(|(title, pages)| (*title, &pages[..]))
    }

    /// The list as it stands on the page at `path`.
    pub fn show(&self, path: &str, language: Language) -> Markup {
        let root = root(path);
        html! {
            nav #menu aria-label=(words(language).menu) {
                @for (index, (title, pages)) in self.parts().enumerate() {
                    h2 lang="en" { (title) }
                    ul lang="en" {
                        @for page in pages { (entry(page, path, &root)) }
                    }
                    @if index == 0 { (failure_modes(&root, language)) }
                }
            }
        }
    }
}

/// The chapters of the catalogue, and the catalogue in other languages.
fn failure_modes(root: &str, language: Language) -> Markup {
    let words_here = words(language);
    html! {
        h2 { (words_here.title) }
        ul {
            @for (index, family) in words_here.families.iter().enumerate() {
                li { a href={ (root) (words_here.code) "/index.html#CG" (index + 1) } { (family) } }
            }
            li { a href={ (root) (words_here.code) "/" (matrix_page::FILE) } { (words_here.matrix) } }
            @for other in LANGUAGES.into_iter().filter(|other| *other != language).map(words) {
                li {
                    a href={ (root) (other.code) "/index.html" } lang=(other.code) hreflang=(other.code) {
                        (other.language)
                    }
                }
            }
        }
    }
}

/// A page in the list; the one that is read shows its sections.
fn entry(page: &Document, path: &str, root: &str) -> Markup {
    let is_current = page.path == path;
    let sections = page
        .text
        .sections
        .iter()
        .filter(|section| section.level == 2);
    html! {
        li {
            a href={ (root) (page.path) } aria-current=[is_current.then_some("page")] { (page.text.title) }
            @if is_current {
                ul {
                    @for section in sections {
                        li { a href={ "#" (section.id) } { (section.title) } }
                    }
                }
            }
        }
    }
}
