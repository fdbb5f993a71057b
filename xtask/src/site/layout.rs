//! What every page has around its content.

use cgsan_catalogue::Language;
use maud::{DOCTYPE, Markup, html};

use super::LANGUAGES;
use super::words::words;

/// A page of a language's folder. `file` is its name, which is the same in every language.
pub fn page(language: Language, file: &str, title: &str, content: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang=(words(language).code) {
            (head(title, ".."))
            body {
                header {
                    a href="index.html" { (words(language).all) }
                    nav {
                        @for other in LANGUAGES.into_iter().filter(|other| *other != language) {
                            a href={ "../" (words(other).code) "/" (file) } lang=(words(other).code) hreflang=(words(other).code) {
                                (words(other).language)
                            }
                        }
                    }
                }
                main { (content) }
                footer {
                    span { "cgsan " (env!("CARGO_PKG_VERSION")) }
                    nav {
                        a href="../index.json" { "JSON" } " · "
                        a href="../index.ndjson" { "NDJSON" } " · "
                        a href="../llms.txt" { "llms.txt" }
                    }
                }
            }
        }
    }
    .into_string()
}

/// The head of a page from which the site's root is at `root`.
pub fn head(title: &str, root: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (title) " · cgsan" }
            link rel="stylesheet" href={ (root) "/style.css" };
        }
    }
}
