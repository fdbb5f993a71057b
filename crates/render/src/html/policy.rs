//! The head of a page, and what the browser may do with it: use its own style and scripts, and nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

/// The head of a page that has nothing but this style, and this script somewhere.
pub fn head(title: &str, style: &str, script: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy(style, script));
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="referrer" content="no-referrer";
            meta name="color-scheme" content="light dark";
            title { "cgsan: " (title) }
            style { (PreEscaped(style)) }
        }
    }
}

/// A content security policy under which exactly this style and this script count, whatever else comes to be in the page
/// (Content Security Policy Level 3, W3C).
fn policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(script)
    )
}

fn hash(content: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(content)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_what_browsers_compute() {
        // The example of the specification, section 2.3.1 (`alert('Hello, world.');`).
        assert_eq!(
            hash("alert('Hello, world.');"),
            "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="
        );
    }
}
