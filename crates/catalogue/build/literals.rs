//! What a text must contain for an expression to match: cheap to look for in a whole text at once, before any expression is
//! compiled.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Fewer bytes say too little. A Chinese character has three, and is rare enough elsewhere.
const SHORTEST: usize = 3;

/// More alternatives are no cheaper than the expression itself.
const MOST: usize = 64;

/// Texts in lower case of which every match has at least one, whatever its case; empty if there are none.
pub fn required(expression: &str) -> Result<Vec<String>, Box<regex_syntax::Error>> {
    let hir = regex_syntax::parse(expression).map_err(Box::new)?;
    let mut literals = alternatives(&hir).unwrap_or_default();
    literals.sort();
    literals.dedup();
    Ok(literals)
}

fn alternatives(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Capture(capture) => alternatives(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => alternatives(&repetition.sub),
        HirKind::Alternation(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                all.extend(alternatives(branch)?);
            }
            (all.len() <= MOST).then_some(all)
        }
        HirKind::Concat(parts) => concat(parts),
        HirKind::Literal(_) | HirKind::Class(_) => concat(std::slice::from_ref(hir)),
        HirKind::Repetition(_) | HirKind::Look(_) | HirKind::Empty => None,
    }
}

/// The best of a sequence's parts, where letters that follow each other are one part.
fn concat(parts: &[Hir]) -> Option<Vec<String>> {
    let mut best: Option<Vec<String>> = None;
    let mut run = String::new();
    for part in parts {
        if matches!(part.kind(), HirKind::Look(_) | HirKind::Empty) {
            continue;
        }
        if let Some(text) = fixed(part) {
            run.push_str(&text);
            continue;
        }
        best = better(best, word(&mut run));
        if !matches!(part.kind(), HirKind::Literal(_) | HirKind::Class(_)) {
            best = better(best, alternatives(part));
        }
    }
    better(best, word(&mut run))
}

/// The text of a part that can match in one way only, up to case.
fn fixed(part: &Hir) -> Option<String> {
    match part.kind() {
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(text.to_ascii_lowercase())
        }
        HirKind::Class(class) => letter(class).map(String::from),
        HirKind::Capture(capture) => fixed(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(fixed).collect(),
        _ => None,
    }
}

/// The letter of a class that differs in case only. Two characters beyond ASCII are the same letter as `k` and `s`; texts
/// that hold them are not worth an exception.
fn letter(class: &Class) -> Option<char> {
    let mut letters = Vec::new();
    match class {
        Class::Unicode(class) => {
            for range in class.ranges() {
                if range.end() as u32 - range.start() as u32 > 1 {
                    return None;
                }
                letters.extend(range.start()..=range.end());
            }
        }
        Class::Bytes(_) => return None,
    }
    letters.retain(char::is_ascii);
    let first = letters.first()?.to_ascii_lowercase();
    letters
        .iter()
        .all(|letter| letter.to_ascii_lowercase() == first)
        .then_some(first)
}

fn word(run: &mut String) -> Option<Vec<String>> {
    let word = std::mem::take(run);
    (word.len() >= SHORTEST).then(|| vec![word])
}

fn better(one: Option<Vec<String>>, other: Option<Vec<String>>) -> Option<Vec<String>> {
    let shortest = |texts: &Vec<String>| texts.iter().map(String::len).min().unwrap_or(0);
    match (one, other) {
        (Some(one), Some(other)) => {
            let keep_one = shortest(&one) >= shortest(&other);
            Some(if keep_one { one } else { other })
        }
        (one, other) => one.or(other),
    }
}
