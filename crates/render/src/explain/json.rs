//! The candidates for a text, for programs.

use cgsan_catalogue::{Entry, Language, Seen};
use cgsan_explain::{Candidate, Explanation, Writer};
use serde::Serialize;

/// The version of the shape. Fields may be added to a version; a change or removal makes a new one.
const VERSION: u32 = 1;

/// The names of the commands that find a failure mode.
pub type FoundBy = fn(&Entry) -> Vec<&'static str>;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    candidates: Vec<Item<'a>>,
    /// Whether the text speaks of CUDA graphs.
    about_graphs: bool,
    /// Whether the text alone tells the first candidate from the others.
    decided: bool,
    /// The place among the answers, counted from 1, of this: no graph failed.
    no_failure_of_a_graph: Option<usize>,
    /// What a text mostly is that is about no failure of a graph.
    elsewhere: Option<&'a str>,
    /// What watches the program of the text.
    command: String,
}

#[derive(Serialize)]
struct Item<'a> {
    id: &'a str,
    name: &'a str,
    title: &'a str,
    score: u8,
    /// The commands that find it.
    found_by: Vec<&'static str>,
    /// How it showed in the versions of PyTorch, on the virtual GPU.
    versions: Vec<Seen>,
    reason: String,
    signal: &'a str,
    /// A question; a yes speaks for it.
    question: &'a str,
    /// What to change, most helpful first.
    fixes: Vec<Change<'a>>,
    line: Option<u64>,
    rank: Option<u32>,
    error: Option<&'a str>,
}

#[derive(Serialize)]
struct Change<'a> {
    title: &'a str,
    explanation: &'a str,
}

/// The candidates as one JSON object, indented, with a line break at its end. `found_by` names the commands that find a
/// failure mode.
pub fn candidates_json(explanation: &Explanation, language: Language, found_by: FoundBy) -> String {
    let document = Document {
        version: VERSION,
        candidates: explanation
            .candidates
            .iter()
            .map(|candidate| item(candidate, language, found_by))
            .collect(),
        about_graphs: explanation.is_of_graphs,
        decided: explanation.is_decided(),
        no_failure_of_a_graph: explanation.beside.map(|before| before + 1),
        elsewhere: explanation
            .elsewhere()
            .map(|text| text.in_language(language)),
        command: explanation.command(),
    };
    let mut output =
        serde_json::to_string_pretty(&document).expect("strings, numbers and lists are JSON");
    output.push('\n');
    crate::text::escaped(&output)
}

fn item(candidate: &Candidate, language: Language, found_by: FoundBy) -> Item<'_> {
    let origin = candidate.origin.as_ref();
    Item {
        id: candidate.entry.id,
        name: candidate.entry.name,
        title: candidate.entry.title.in_language(language),
        score: candidate.score,
        found_by: found_by(candidate.entry),
        versions: candidate.entry.seen(),
        reason: candidate.reason(language),
        signal: candidate.entry.signal.in_language(language),
        question: candidate.entry.question.in_language(language),
        fixes: candidate
            .entry
            .fixes
            .iter()
            .map(|fix| Change {
                title: fix.title.in_language(language),
                explanation: fix.explanation.in_language(language),
            })
            .collect(),
        line: origin.map(|origin| origin.line),
        rank: origin.and_then(|origin| match origin.writer {
            Writer::Rank(rank) => Some(rank),
            _ => None,
        }),
        error: origin.map(|origin| origin.error.as_str()),
    }
}
