//! Texts with code in backticks.

use maud::{Markup, html};

use crate::text;

/// A text within a line: what stands between backticks is code. Control characters are shown as signs.
pub fn inline(words: &str) -> Markup {
    html! {
        @for (index, part) in text::printable(words).split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// A text of several paragraphs.
pub fn paragraphs(words: &str) -> Markup {
    html! {
        @for paragraph in words.split("\n\n") {
            p { (inline(paragraph)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_marked_and_all_is_escaped() {
        assert_eq!(
            inline("call `f(a < b)` & <b>").into_string(),
            "call <code>f(a &lt; b)</code> &amp; &lt;b&gt;"
        );
    }
}
