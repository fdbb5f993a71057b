//! What the catalogue says about a finding.

use std::fmt::Write as _;

use cgsan_catalogue::Language;
use cgsan_finding::{Confidence, Finding};
use gen_lsp_types as lsp;

use crate::client::Client;

/// The explanation of findings, one after the other.
pub fn contents(findings: &[&Finding], client: &Client) -> lsp::MarkupContent {
    let texts = findings.iter().map(|finding| explanation(finding, client));
    let between = if client.markdown {
        "\n\n---\n\n"
    } else {
        "\n\n"
    };
    lsp::MarkupContent {
        kind: if client.markdown {
            lsp::MarkupKind::Markdown
        } else {
            lsp::MarkupKind::PlainText
        },
        value: texts.collect::<Vec<_>>().join(between),
    }
}

/// The words around the catalogue's texts.
struct Words {
    why: &'static str,
    change: &'static str,
    dead_ends: &'static str,
    /// By ascending confidence: possible, likely, confirmed.
    confidence: [&'static str; 3],
    colon: &'static str,
    brackets: [&'static str; 2],
}

const ENGLISH: Words = Words {
    why: "Why",
    change: "What to change",
    dead_ends: "What does not help",
    confidence: ["possible", "likely", "confirmed"],
    colon: ": ",
    brackets: [" (", ")"],
};

const CHINESE: Words = Words {
    why: "原因",
    change: "怎么改",
    dead_ends: "没有用的做法",
    confidence: ["可能", "很可能", "确定"],
    colon: "：",
    brackets: ["（", "）"],
};

fn explanation(finding: &Finding, client: &Client) -> String {
    let words = match client.language {
        Language::English => &ENGLISH,
        Language::Chinese => &CHINESE,
    };
    let sure = match finding.confidence {
        Confidence::Possible => words.confidence[0],
        Confidence::Likely => words.confidence[1],
        Confidence::Confirmed => words.confidence[2],
    };
    let [open, close] = words.brackets;
    let bold = if client.markdown { "**" } else { "" };
    let Some(entry) = cgsan_catalogue::entry(finding.id) else {
        return format!(
            "{bold}{}{bold}{open}{sure}{close}\n\n{}",
            finding.id, finding.title
        );
    };
    let title = entry.title.in_language(client.language);
    let summary = entry.summary.in_language(client.language);
    let mut text = format!(
        "{bold}{}{}{title}{bold}{open}{sure}{close}\n\n{summary}",
        entry.id, words.colon
    );
    let cause = entry.cause.in_language(client.language);
    let _ = write!(text, "\n\n{bold}{}{bold}\n\n{cause}", words.why);
    let fixes = entry.fixes.iter().map(|it| [it.title, it.explanation]);
    let dead_ends = entry.dead_ends.iter().map(|it| [it.attempt, it.reason]);
    for (heading, items) in [
        (words.change, fixes.collect::<Vec<_>>()),
        (words.dead_ends, dead_ends.collect()),
    ] {
        if !items.is_empty() {
            let _ = write!(text, "\n\n{bold}{heading}{bold}\n");
        }
        for item in items {
            let item = item.map(|text| text.in_language(client.language));
            // A further paragraph of an item is indented, so that it stays in it.
            let item = item.join(words.colon).replace("\n\n", "\n\n  ");
            let _ = write!(text, "\n- {item}");
        }
    }
    text
}
