//! Which failure mode exists in which version of PyTorch, and who refuses: one table.

use cgsan_catalogue::{Entry, How, Language};
use maud::{Markup, html};

use super::layout::Page;
use super::navigation::Navigation;
use super::text;
use super::words::{Words, words};

/// The name of the page in each language's folder.
pub const FILE: &str = "versions.html";

/// The page in a language.
pub fn page(language: Language, navigation: &Navigation<'_>) -> String {
    let words = words(language);
    let (shown, not_shown): (Vec<&Entry>, Vec<&Entry>) = cgsan_catalogue::entries()
        .iter()
        .partition(|entry| !entry.seen().is_empty());
    let content = html! {
        h1 { (words.matrix) }
        p { (text::inline(words.matrix_note)) }
        div.wide tabindex="0" {
            table.matrix {
                thead {
                    tr {
                        th scope="col" { "id" }
                        @for release in cgsan_catalogue::releases() {
                            th scope="col" { (release.minor()) }
                        }
                    }
                }
                tbody { @for entry in shown { (row(entry, words)) } }
            }
        }
        ul.legend {
            @for how in EACH {
                li { (cell(how, words)) ": " (text::inline(&legend(how, language))) }
            }
        }
        h2 { (words.not_in_matrix) }
        ul {
            @for entry in not_shown {
                li {
                    a href={ (entry.id) ".html" } { (entry.id) } " "
                    @if let Some(reason) = entry.no_program { (text::inline(reason.in_language(language))) }
                }
            }
        }
    };
    Page {
        path: &format!("{}/{FILE}", words.code),
        language,
        in_languages: Some(FILE),
        title: words.matrix,
        content: &content,
    }
    .show(navigation)
}

/// One of each outcome, for the legend.
const EACH: [How; 7] = [
    How::RefusedByCuda {
        function: "",
        code: 0,
    },
    How::RefusedByPytorch,
    How::Silent,
    How::Hang,
    How::As { ids: &["CG…"] },
    How::Nothing,
    How::Unknown,
];

/// An outcome in words, without what differs from entry to entry.
fn legend(how: How, language: Language) -> String {
    match how {
        How::RefusedByCuda { .. } => words(language).refused_by_cuda.to_owned(),
        how => how.words(language),
    }
}

fn row(entry: &Entry, words: &Words) -> Markup {
    let seen = entry.seen();
    let cells = cgsan_catalogue::releases().iter().map(|release| {
        let mut seen = seen.iter();
        seen.find(|it| it.releases.contains(&release.pytorch))
    });
    html! {
        tr {
            th scope="row" { a href={ (entry.id) ".html" } { (entry.id) } }
            @for seen in cells {
                td { @if let Some(seen) = seen { (cell(seen.how, words)) } }
            }
        }
    }
}

/// An outcome in a word.
fn cell(how: How, words: &Words) -> Markup {
    html! {
        @match how {
            How::RefusedByCuda { code: 0, .. } => "CUDA",
            How::RefusedByCuda { code, .. } => { "CUDA " (code) },
            How::RefusedByPytorch => "PyTorch",
            How::Silent => (words.silent),
            How::Hang => (words.hangs),
            How::As { ids } => @for (index, id) in ids.iter().enumerate() {
                @if index > 0 { " " }
                (id)
            },
            How::Nothing => "–",
            How::Unknown => "?",
        }
    }
}
