//! The failure modes that a text may be about.

use cgsan_catalogue::{Fix, Language, Proof, Text};
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
    // Where most likely no graph failed, no candidate is the answer.
    let is_denied = explanation.is_of_graphs && explanation.beside == Some(0);
    let others = shown.iter().skip(usize::from(!is_denied));
    let others = others.map(|candidate| item(candidate, &sheet));
    let remark = |text: &str| text::hang(text, sheet.width, 0);
    let doubt = match (explanation.is_of_graphs, explanation.beside) {
        (false, _) => Some(words.no_graphs),
        (true, Some(0)) => Some(words.hardly_a_graph),
        (true, _) => None,
    };
    let or_none = explanation.beside.is_some_and(|place| place > 0);
    let elsewhere = explanation.elsewhere();
    let elsewhere = elsewhere.map(|text| remark(sheet.text(text)));
    let first = shown.first().filter(|_| !is_denied);
    let page = page([
        doubt.map(remark),
        elsewhere,
        explanation.is_of_hip.then(|| remark(words.of_hip)),
        first.map(|first| answer(explanation, first, &sheet)),
        first
            .and_then(|first| first.entry.fixes.first())
            .map(|fix| change(fix, &sheet)),
        sheet.section(words.candidates, others, "\n\n"),
        or_none.then(|| format!("  {}", text::hang(words.or_no_graph, sheet.width, 2))),
        Some(decide(explanation, shown, &sheet)),
        sheet.section(words.more, more(shown), "\n"),
    ]);
    text::shown(&page)
}

/// What a text mostly is that is about no failure of a graph.
pub fn elsewhere(known: Text, language: Language, options: &Options) -> String {
    let sheet = Sheet::new(options, language);
    let said = format!(
        "{} {}",
        sheet.words.no_failure_of_a_graph,
        sheet.text(known)
    );
    page([Some(text::hang(&said, sheet.width, 0))])
}

/// The first candidate: what happened in a sentence, and the line of the text that shows it.
fn answer(explanation: &Explanation, first: &Candidate, sheet: &Sheet) -> String {
    let words = sheet.words;
    let id = sheet.painter.error(&format!("{}:", first.entry.id));
    let title = sheet.painter.strong(sheet.text(first.entry.title));
    let certainty = if explanation.is_decided() {
        words.decided
    } else {
        words.likely
    };
    let certainty = format!("{}{certainty}{}", words.brackets[0], words.brackets[1]);
    let mut lines = vec![
        sheet.painter.heading(words.answer),
        format!("  {id} {title}{}", sheet.painter.dim(&certainty)),
    ];
    let cause = first_sentence(sheet.text(first.entry.summary));
    let reasons = first.reasons.iter();
    let reasons = reasons.map(|reason| reason.text(sheet.language));
    for text in std::iter::once(cause.to_owned()).chain(reasons) {
        lines.push(format!("  {}", text::hang(&text, sheet.width, 2)));
    }
    if let Some(origin) = &first.origin {
        let place = format!("{} {}", words.proof, place(origin, sheet));
        let place = text::one_line(&place, sheet.width.saturating_sub(2));
        lines.push(format!("  {}", sheet.painter.dim(&place)));
    }
    lines.join("\n")
}

/// The first fix, with the program that shows it.
fn change(fix: &Fix, sheet: &Sheet) -> String {
    let heading = sheet.painter.heading(sheet.words.first_change);
    let item = sheet.item(sheet.text(fix.title), sheet.text(fix.explanation));
    let Proof::Program(program) = fix.proof else {
        return format!("{heading}\n{item}");
    };
    let code: Vec<String> = program
        .source
        .lines()
        .map(|line| match line {
            "" => String::new(),
            line => format!("        {}", sheet.painter.note(line)),
        })
        .collect();
    format!("{heading}\n{item}\n\n{}", code.join("\n"))
}

/// A text up to the end of its first sentence.
fn first_sentence(text: &str) -> &str {
    let ends = [". ", "。", ".\n"];
    let end = ends
        .iter()
        .filter_map(|end| text.find(end).map(|at| at + end.trim_end().len()))
        .min();
    end.map_or(text, |end| &text[..end])
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
    if !explanation.is_decided() && shown.len() > 1 {
        paragraph(words.undecided);
        for candidate in shown {
            let question = sheet.text(candidate.entry.question);
            let question = text::hang(question, sheet.width, 11);
            let id = sheet.painter.error(&format!("{}:", candidate.entry.id));
            lines.push(format!("    {id} {question}"));
        }
    } else if let Some(first) = shown.first() {
        paragraph(sheet.text(first.entry.signal));
    }
    let watch = text::hang(words.watch, sheet.width, 2);
    lines.push(format!("  {watch}"));
    let command = sheet.painter.note(&text::printable(&explanation.command()));
    lines.push(format!("\n      {command}"));
    lines.join("\n")
}

fn more(shown: &[Candidate]) -> impl Iterator<Item = String> {
    shown
        .iter()
        .map(|candidate| format!("  cgsan explain {}", candidate.entry.id))
}
