//! The list of all failure modes, with the search.

use cgsan_catalogue::{Entry, Language};
use maud::{DOCTYPE, html};

use super::words::words;
use super::{LANGUAGES, layout, text};

/// The overview in a language.
pub fn page(language: Language) -> String {
    let words = words(language);
    let content = html! {
        h1 { (words.title) }
        p { (words.about) }
        label for="query" { (words.query) }
        textarea id="query" rows="3" spellcheck="false" autocomplete="off" {}
        p #nothing hidden { (words.nothing) }
        ul.entries #results aria-live="polite" {}
        div #families {
            @for (index, family) in words.families.iter().enumerate() {
                h2 { (family) }
                ul.entries {
                    @for entry in of_family(index + 1) {
                        li {
                            a href={ (entry.id) ".html" } {
                                code { (entry.id) } " " (text::inline(entry.title.in_language(language)))
                            }
                        }
                    }
                }
            }
        }
        script src="entries.js" {}
        script src="../search.js" {}
    };
    layout::page(language, "index.html", words.title, &content)
}

/// The first page: which language.
pub fn choice() -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            (layout::head(words(Language::English).title, "."))
            body {
                main {
                    @for language in LANGUAGES {
                        section lang=(words(language).code) {
                            h1 { a href={ (words(language).code) "/index.html" } { (words(language).title) } }
                            p { (words(language).about) }
                        }
                    }
                }
            }
        }
    }
    .into_string()
}

/// The entries whose ids have this first digit.
fn of_family(digit: usize) -> impl Iterator<Item = &'static Entry> {
    let prefix = format!("CG{digit}");
    cgsan_catalogue::entries()
        .iter()
        .filter(move |entry| entry.id.starts_with(&prefix))
}
