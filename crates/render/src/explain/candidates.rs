//! The failure modes that a text may be about.

use cgsan_catalogue::Language;
use cgsan_explain::{Candidate, Explanation, Origin};

use super::sheet::{Sheet, page};
use super::words;
use crate::{Options, text};

/// Candidates that are shown.
const MOST: usize = 5;

/// How much weaker than the first a candidate may be and still be shown.
const WEAKER: u8 = 8;

/// The candidates for a text, best first, and what tells them apart.
pub fn candidates(explanation: &Explanation, language: Language, options: &Options) -> String {
    let sheet = Sheet::new(options, language);
    let words = sheet.words;
    let shown = shown(&explanation.candidates);
    let items = shown.iter().map(|candidate| item(candidate, &sheet));
    let doubt = (!explanation.is_of_graphs).then(|| text::hang(words.no_graphs, sheet.width, 0));
    let page = page([
        doubt,
        sheet.section(words.candidates, items, "\n\n"),
        Some(decide(explanation, shown, &sheet)),
        sheet.section(words.more, more(shown), "\n"),
    ]);
    text::shown(&page)
}

/// The candidates worth a look beside the first.
fn shown(candidates: &[Candidate]) -> &[Candidate] {
    let best = candidates.first().map_or(0, |first| first.score);
    let shown = candidates
        .iter()
        .take(MOST)
        .take_while(|candidate| candidate.score >= best / WEAKER)
        .count();
    &candidates[..shown]
}

fn item(candidate: &Candidate, sheet: &Sheet) -> String {
    let words = sheet.words;
    let id = sheet.painter.error(&format!("{}:", candidate.entry.id));
    let title = sheet.painter.strong(sheet.text(candidate.entry.title));
    let score = format!(
        "{}{} {}{}",
        words.brackets[0], words.score, candidate.score, words.brackets[1]
    );
    let mut lines = vec![format!("  {id} {title}{}", sheet.painter.dim(&score))];
    for reason in &candidate.reasons {
        let reason = reason.text(sheet.language);
        lines.push(format!("    {}", text::hang(&reason, sheet.width, 4)));
    }
    if let Some(origin) = &candidate.origin {
        let place = place(origin, sheet);
        lines.push(format!("    {}", sheet.painter.dim(&place)));
    }
    lines.join("\n")
}

/// Where the text says so: `line 7, rank 0: RuntimeError: …`.
fn place(origin: &Origin, sheet: &Sheet) -> String {
    let place = words::place(origin.line, origin.writer, sheet.language);
    text::one_line(
        &format!("{place}{}{}", sheet.words.colon, origin.error),
        sheet.width.saturating_sub(4),
    )
}

/// What tells the first candidate from the others, and the command that shows it.
fn decide(explanation: &Explanation, shown: &[Candidate], sheet: &Sheet) -> String {
    let words = sheet.words;
    let mut lines = vec![sheet.painter.heading(words.decide)];
    let mut paragraph = |text: &str| {
        lines.push(format!("  {}", text::hang(text, sheet.width, 2)));
    };
    if let Some(first) = shown.first() {
        if !explanation.is_decided() && shown.len() > 1 {
            let ids: Vec<&str> = shown.iter().map(|candidate| candidate.entry.id).collect();
            paragraph(&format!("{} {}", words.undecided, ids.join(words.comma)));
        }
        paragraph(sheet.text(first.entry.signal));
    }
    paragraph(words.watch);
    let command = sheet.painter.note(&text::printable(&explanation.command()));
    lines.push(format!("\n      {command}"));
    lines.join("\n")
}

fn more(shown: &[Candidate]) -> impl Iterator<Item = String> {
    shown
        .iter()
        .map(|candidate| format!("  cgsan explain {}", candidate.entry.id))
}
