//! How well the model agrees, and where it first does not.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A call's code, and what the call returned besides.
    Codes,
    /// The capture state of a stream.
    States,
    /// A captured graph: the types of its nodes, and its edges.
    Graphs,
}

/// How many comparisons were made, and how many came out equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Equal ones.
    pub agreed: usize,
    /// All.
    pub total: usize,
}

/// Two answers that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// What is compared.
    pub subject: Subject,
    /// Where in the recording, for a person.
    pub place: String,
    /// The model's answer.
    pub model: String,
    /// The recorded answer.
    pub recorded: String,
    /// The shortest program that still shows it, one line a call.
    pub program: Vec<String>,
}

/// How well the model agrees with a recording, or with several.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Programs or probes that were replayed.
    pub programs: usize,
    /// Calls that were replayed.
    pub calls: usize,
    /// The names of operations that the runner does not know, with their number. What follows them in a program is
    /// compared all the same, since most operations leave captures alone.
    pub not_judged: BTreeMap<String, usize>,
    scores: BTreeMap<Subject, Score>,
    first: BTreeMap<Subject, Disagreement>,
}

impl Report {
    /// The score of one subject.
    pub fn score(&self, subject: Subject) -> Score {
        self.scores.get(&subject).copied().unwrap_or_default()
    }

    /// The first disagreement of each subject.
    pub fn disagreements(&self) -> impl Iterator<Item = &Disagreement> {
        self.first.values()
    }

    /// Whether something was compared and everything compared was equal.
    pub fn agrees(&self) -> bool {
        let total: usize = self.scores.values().map(|score| score.total).sum();
        total > 0
            && self
                .scores
                .values()
                .all(|score| score.agreed == score.total)
    }

    /// One line: how much was replayed, and how much of it agrees.
    pub fn summary(&self) -> String {
        let scores = [Subject::Codes, Subject::States, Subject::Graphs]
            .map(|subject| format!("{subject} {}", self.score(subject)));
        let not_judged: usize = self.not_judged.values().sum();
        let mut line = format!(
            "{} programs, {} calls; agree: {}; not judged: {not_judged}",
            self.programs,
            self.calls,
            scores.join(", ")
        );
        if not_judged > 0 {
            let names: Vec<&str> = self.not_judged.keys().map(String::as_str).collect();
            let _ = write!(line, " ({})", names.join(", "));
        }
        line
    }

    /// Add what another recording gave; of two first disagreements this report's stays.
    pub fn absorb(&mut self, other: Report) {
        self.programs += other.programs;
        self.calls += other.calls;
        for (name, count) in other.not_judged {
            *self.not_judged.entry(name).or_default() += count;
        }
        for (subject, score) in other.scores {
            let sum = self.scores.entry(subject).or_default();
            sum.agreed += score.agreed;
            sum.total += score.total;
        }
        for (subject, disagreement) in other.first {
            self.first.entry(subject).or_insert(disagreement);
        }
    }

    /// Count a comparison. Returns whether it is the first of its subject that failed, so that it is worth a look.
    pub(crate) fn count(&mut self, subject: Subject, is_equal: bool) -> bool {
        let score = self.scores.entry(subject).or_default();
        score.total += 1;
        score.agreed += usize::from(is_equal);
        !is_equal && !self.first.contains_key(&subject)
    }

    /// Keep the first disagreement of a subject.
    pub(crate) fn keep(&mut self, disagreement: Disagreement) {
        self.first
            .entry(disagreement.subject)
            .or_insert(disagreement);
    }

    /// Count an operation that the runner does not know.
    pub(crate) fn skip(&mut self, name: &str) {
        *self.not_judged.entry(name.to_owned()).or_default() += 1;
    }
}

impl Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Subject::Codes => "codes",
            Subject::States => "stream states",
            Subject::Graphs => "graphs",
        })
    }
}

impl Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.agreed, self.total)
    }
}

impl Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "the first disagreement in {}: {}",
            self.subject, self.place
        )?;
        for call in &self.program {
            writeln!(f, "    {call}")?;
        }
        writeln!(f, "    the driver answered {}", self.recorded)?;
        write!(f, "    the model answers   {}", self.model)
    }
}

/// The disagreements, then the summary.
impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for disagreement in self.disagreements() {
            writeln!(f, "{disagreement}\n")?;
        }
        f.write_str(&self.summary())
    }
}
