//! The list of all failure modes, with the search.

use cgsan_catalogue::{Entry, Language};
use maud::html;

use super::layout::Page;
use super::navigation::Navigation;
use super::text;
use super::words::words;

/// The overview in a language.
pub fn page(language: Language, navigation: &Navigation<'_>) -> String {
    let words = words(language);
    let content = html! {
        h1 { (words.title) }
        p { (words.about) }
        label for="query" { (words.query) }
        textarea id="query" rows="3" spellcheck="false" autocomplete="off" {}
        p #nothing hidden role="status" { (words.nothing) }
        ul.entries #results aria-live="polite" {}
        div #families {
            @for (index, family) in words.families.iter().enumerate() {
                h2 id={ "CG" (index + 1) } { (family) }
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
        script src="../pages.js" {}
        script src="../search.js" {}
    };
    Page {
        path: &format!("{}/index.html", words.code),
        language,
        in_languages: Some("index.html"),
        title: words.title,
        content: &content,
    }
    .show(navigation)
}

/// The entries whose ids have this first digit.
fn of_family(digit: usize) -> impl Iterator<Item = &'static Entry> {
    let prefix = format!("CG{digit}");
    cgsan_catalogue::entries()
        .iter()
        .filter(move |entry| entry.id.starts_with(&prefix))
}
