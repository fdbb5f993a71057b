//! What every page has around its content.

use cgsan_catalogue::Language;
use maud::{DOCTYPE, Markup, html};

use super::LANGUAGES;
use super::navigation::Navigation;
use super::path::root;
use super::words::words;

/// A page of the site.
pub struct Page<'a> {
    /// Where it lies.
    pub path: &'a str,
    /// The language of its content.
    pub language: Language,
    /// The file that has the same content in each language's folder, if it is one of those.
    pub in_languages: Option<&'a str>,
    /// What it is called.
    pub title: &'a str,
    /// What it says.
    pub content: &'a Markup,
}

impl Page<'_> {
    /// The whole page.
    pub fn show(&self, navigation: &Navigation<'_>) -> String {
        let words = words(self.language);
        let root = root(self.path);
        html! {
            (DOCTYPE)
            html lang=(words.code) {
                (head(self.title, &root))
                body {
                    header {
                        a.skip href="#content" { (words.skip) }
                        a.name href={ (root) "index.html" } { "cgsan" }
                        a.to-menu href="#menu" { (words.menu) }
                        form role="search" action={ (root) (words.code) "/index.html" } {
                            input type="search" name="q" aria-label=(words.search) placeholder=(words.search) autocomplete="off";
                            button type="submit" { (words.search_button) }
                        }
                        (self.other_languages(&root))
                    }
                    main #content { (self.content) }
                    (navigation.show(self.path, self.language))
                    footer {
                        span { "cgsan " (env!("CARGO_PKG_VERSION")) }
                        div {
                            a href={ (root) "index.json" } { "JSON" } " · "
                            a href={ (root) "index.ndjson" } { "NDJSON" } " · "
                            a href={ (root) "llms.txt" } { "llms.txt" }
                        }
                    }
                }
            }
        }
        .into_string()
    }

    fn other_languages(&self, root: &str) -> Markup {
        let others = LANGUAGES.into_iter().filter(|it| *it != self.language);
        html! {
            @if let Some(file) = self.in_languages {
                @for other in others {
                    a href={ (root) (words(other).code) "/" (file) } lang=(words(other).code) hreflang=(words(other).code) {
                        (words(other).language)
                    }
                }
            }
        }
    }
}

/// The head of a page from which the site's root is at `root`.
fn head(title: &str, root: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            title { (title) @if title != "cgsan" { " · cgsan" } }
            link rel="stylesheet" href={ (root) "style.css" };
        }
    }
}
