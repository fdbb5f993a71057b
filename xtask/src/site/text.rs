//! The catalogue's texts as HTML: paragraphs, code between backticks, and links to the ids that they name.

use cgsan_catalogue::entry;
use maud::{Markup, html};

/// A text of several paragraphs.
pub fn paragraphs(text: &str) -> Markup {
    html! {
        @for paragraph in text.split("\n\n") {
            p { (inline(paragraph)) }
        }
    }
}

/// A text within a line.
pub fn inline(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 {
                code { (part) }
            } @else {
                (with_links(part, ""))
            }
        }
    }
}

/// A list of ids, each a link with its title as a hint.
pub fn ids(ids: &[&str]) -> Markup {
    html! {
        @for (index, id) in ids.iter().enumerate() {
            @if index > 0 { ", " }
            (link(id, ""))
        }
    }
}

fn link(id: &str, folder: &str) -> Markup {
    html! {
        @if entry(id).is_some() { a href={ (folder) (id) ".html" } { (id) } } @else { (id) }
    }
}

/// Text without code, in which ids become links to the pages in a folder, which ends with `/` or is empty.
pub fn with_links(text: &str, folder: &str) -> Markup {
    const ID: usize = "CG101".len();
    let mut rest = text;
    let mut parts = Vec::new();
    while let Some(start) = rest.find("CG") {
        let is_id = rest
            .get(start..start + ID)
            .is_some_and(|id| id[2..].bytes().all(|byte| byte.is_ascii_digit()));
        let end = if is_id { start + ID } else { start + 2 };
        let before = if is_id { start } else { end };
        parts.push(html! { (&rest[..before]) });
        if is_id {
            parts.push(link(&rest[start..end], folder));
        }
        rest = &rest[end..];
    }
    html! {
        @for part in &parts { (part) }
        (rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_marked_and_escaped() {
        assert_eq!(
            inline("call `f(a < b)` & wait").into_string(),
            "call <code>f(a &lt; b)</code> &amp; wait"
        );
    }

    #[test]
    fn ids_become_links() {
        assert_eq!(
            inline("see CG101, not CGS or CG1").into_string(),
            "see <a href=\"CG101.html\">CG101</a>, not CGS or CG1"
        );
    }
}
