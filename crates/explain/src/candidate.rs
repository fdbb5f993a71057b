//! What an explanation consists of.

use std::cmp::Reverse;

use cgsan_catalogue::{Entry, ErrorCode, Language, Text};

use crate::kind::Kind;
use crate::line::Writer;

/// What a text was found to be about.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The failure modes that it may be, best first.
    pub candidates: Vec<Candidate>,
    /// How many incidents of the text speak for one.
    pub incidents: usize,
    /// The program, as a traceback names it.
    pub script: Option<String>,
    /// The number of ranks that wrote the text, if it names any.
    pub ranks: u32,
    /// Whether the text speaks of CUDA graphs. If not, the candidates are what it is if the program uses them.
    pub is_of_graphs: bool,
    /// How many candidates are likelier than that no graph failed, if those are so few that it is an answer, too.
    pub beside: Option<usize>,
    /// Whether the text is of AMD's HIP, whose names are read as CUDA's.
    pub is_of_hip: bool,
    /// The beginning of the text, for a search by its words.
    pub opening: String,
}

/// A failure mode that a text may be about.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its entry.
    pub entry: &'static Entry,
    /// How strongly the text speaks for it, from 1 to 100. It orders candidates and is no probability.
    pub score: u8,
    /// Whether one thing in the text is enough for it: several that are likely exclude nothing.
    pub is_decisive: bool,
    /// Why, strongest first.
    pub reasons: Vec<Reason>,
    /// Where in the text; `None` where it was asked for by name.
    pub origin: Option<Origin>,
}

/// Where in a text something speaks for a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Who wrote it.
    pub writer: Writer,
    /// The number of the incident's first line, counted from 1.
    pub line: u64,
    /// The first line of its error.
    pub error: String,
}

/// Something that speaks for a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A pattern of its entry matched.
    Pattern(Text),
    /// A later error of the incident matched: a consequence of what is explained.
    Consequence(Text),
    /// The text names a code that it shows up with, beside so many other failure modes.
    Code(&'static ErrorCode, usize),
    /// The text complains of this kind of trouble, and leaves its cause open.
    Kind(Kind),
    /// The text shares words with the entry, and names nothing of it.
    Words,
    /// It was found in the source of the program that the text holds.
    Source,
    /// It no longer happens from this version of PyTorch on, and the text names none that is older.
    Gone(&'static str),
    /// It was asked for by name.
    Named,
}

/// A score from which one candidate is enough.
pub(crate) const DECIDES: u8 = 85;

/// The entries that leave the cause open: it came before, or is none of those that are known.
pub(crate) const LEAVE_OPEN: [&str; 2] = ["CG190", "CG405"];

/// A score from which a cause is named before what leaves it open.
pub(crate) const LIKELY: u8 = 65;

/// How far behind the others must be.
const AHEAD: u8 = 15;

impl Explanation {
    /// Whether the text alone tells the first candidate from the others.
    pub fn is_decided(&self) -> bool {
        let [first, others @ ..] = &self.candidates[..] else {
            return false;
        };
        let next = others.first().map_or(0, |second| second.score);
        self.is_of_graphs
            && !LEAVE_OPEN.contains(&first.entry.id)
            && first.is_decisive
            && first.score >= DECIDES
            && (others.is_empty() || first.score.saturating_sub(next) >= AHEAD)
    }

    /// The command that watches the program of the text, for what the first candidate is about.
    pub fn command(&self) -> String {
        let first = self.candidates.first();
        let options = match first.and_then(|first| first.entry.id.get(..3)) {
            Some("CG3") => "--memory ",
            Some("CG4") => "--hang-timeout 60 --on-hang kill ",
            _ => "",
        };
        let script = self.script.as_deref().unwrap_or("PROGRAM.py");
        let script =
            if script.contains(|c: char| c.is_whitespace() || "'\"$\\&;|<>()`*?!".contains(c)) {
                format!("'{}'", script.replace('\'', r"'\''"))
            } else {
                script.to_owned()
            };
        match self.ranks {
            0 | 1 => format!("cgsan run {options}-- python {script}"),
            ranks => format!("cgsan run {options}-- torchrun --nproc-per-node {ranks} {script}"),
        }
    }
}

/// Puts the best candidate first; one that leaves the cause open comes after every likely cause.
pub(crate) fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by_key(|candidate| {
        let leaves_open = LEAVE_OPEN.contains(&candidate.entry.id);
        let names_cause = candidate.score >= LIKELY && !leaves_open;
        Reverse((names_cause, candidate.score))
    });
}

impl Candidate {
    /// The reasons as one text.
    pub fn reason(&self, language: Language) -> String {
        let reasons: Vec<String> = self
            .reasons
            .iter()
            .map(|reason| reason.text(language))
            .collect();
        reasons.join(match language {
            Language::English => " ",
            Language::Chinese => "",
        })
    }
}

impl Reason {
    /// The reason in a language.
    pub fn text(&self, language: Language) -> String {
        match (*self, language) {
            (Reason::Pattern(text), _) => text.in_language(language).to_owned(),
            (Reason::Consequence(text), Language::English) => {
                format!("A later error of the same incident: {}", text.english)
            }
            (Reason::Consequence(text), Language::Chinese) => {
                format!("同一事件中后来的错误：{}", text.chinese)
            }
            (Reason::Code(code, 1), Language::English) => {
                format!(
                    "Only it shows up with error {} ({}).",
                    code.code, code.runtime
                )
            }
            (Reason::Code(code, 1), Language::Chinese) => {
                format!("只有它伴随错误 {}（{}）出现。", code.code, code.runtime)
            }
            (Reason::Code(code, modes), Language::English) => format!(
                "It is one of {modes} failure modes that show up with error {} ({}).",
                code.code, code.runtime
            ),
            (Reason::Code(code, modes), Language::Chinese) => format!(
                "伴随错误 {}（{}）出现的失败模式有 {modes} 种，它是其中之一。",
                code.code, code.runtime
            ),
            (Reason::Kind(kind), _) => kind.open().in_language(language).to_owned(),
            (Reason::Words, Language::English) => {
                "The text leaves the cause open; it shares words with this entry.".to_owned()
            }
            (Reason::Words, Language::Chinese) => {
                "文本没有说明原因；它与这一条目有共同的用词。".to_owned()
            }
            (Reason::Source, Language::English) => {
                "`cgsan lint` finds it in the program of the text.".to_owned()
            }
            (Reason::Source, Language::Chinese) => {
                "`cgsan lint` 在文本里的程序中发现了它。".to_owned()
            }
            (Reason::Gone(since), Language::English) => {
                format!(
                    "It no longer happens from PyTorch {since} on, and the text names no older version."
                )
            }
            (Reason::Gone(since), Language::Chinese) => {
                format!("自 PyTorch {since} 起不再发生，而文本没有提到更早的版本。")
            }
            (Reason::Named, Language::English) => "It is what was asked for.".to_owned(),
            (Reason::Named, Language::Chinese) => "查询的就是它。".to_owned(),
        }
    }
}
