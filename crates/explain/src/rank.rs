//! The incidents of a text, as one list of candidates.

use std::collections::BTreeMap;

use crate::candidate::{Candidate, Origin, Reason, sort};
use crate::evaluate::Finding;
use crate::incident::Incident;
use crate::line::Writer;

/// Candidates below this score are noise beside any other.
const LEAST: u32 = 3;

/// Reasons that are given for a candidate.
const MOST_REASONS: usize = 3;

/// How much the end of a capture says that a call refused elsewhere in the text had invalidated, in percent.
const ECHO: u32 = 30;

/// An incident with what it says.
pub struct Judged {
    pub incident: Incident,
    pub findings: Vec<Finding>,
}

impl Judged {
    /// Whether the incident names a code that is meant.
    fn names(&self, is_meant: fn(i32) -> bool) -> bool {
        let reasons = self.findings.iter().flat_map(|finding| &finding.reasons);
        reasons
            .into_iter()
            .any(|reason| matches!(reason, Reason::Code(code, _) if is_meant(code.code)))
    }
}

/// The codes of the calls that invalidate a capture.
fn is_cause(code: i32) -> bool {
    matches!(code, 900 | 902..=908)
}

/// The code of the calls that find it invalidated.
fn is_echo(code: i32) -> bool {
    code == 901
}

/// The candidates of all incidents, best first; of equals, by ascending id.
///
/// What went wrong first on a rank is what counts: a program often goes on, and what fails later fails of it. A warning
/// comes after every error, though it is often printed before: an exception is printed when the program ends.
pub fn rank(judged: &[Judged]) -> Vec<Candidate> {
    let mut judged: Vec<&Judged> = judged.iter().collect();
    let has_cause = judged.iter().any(|judged| judged.names(is_cause));
    let is_echo = |judged: &Judged| has_cause && judged.names(is_echo) && !judged.names(is_cause);
    judged.sort_by_key(|judged| (judged.incident.is_warning(), is_echo(judged)));
    let mut best: BTreeMap<&'static str, Candidate> = BTreeMap::new();
    let mut seen: BTreeMap<Writer, u32> = BTreeMap::new();
    let has_errors = judged.iter().any(|judged| !judged.incident.is_warning());
    for judged in judged {
        let Judged { incident, findings } = judged;
        let before = seen.entry(incident.writer).or_insert(0);
        let percent = match *before {
            0 => 100,
            1 => 60,
            _ => 40,
        };
        *before += 1;
        let percent = if has_errors && incident.is_warning() {
            percent / 2
        } else if is_echo(judged) {
            percent * ECHO / 100
        } else {
            percent
        };
        for finding in findings {
            let score = u32::from(finding.score) * percent / 100;
            let known = best
                .get(finding.entry.id)
                .map_or(0, |known| u32::from(known.score));
            if score >= LEAST && score > known {
                best.insert(finding.entry.id, candidate(finding, score, incident));
            }
        }
    }
    let mut candidates: Vec<Candidate> = best.into_values().collect();
    sort(&mut candidates);
    candidates
}

fn candidate(finding: &Finding, score: u32, incident: &Incident) -> Candidate {
    let mut reasons: Vec<Reason> = Vec::new();
    for reason in &finding.reasons {
        if reasons.len() < MOST_REASONS && !reasons.contains(reason) {
            reasons.push(*reason);
        }
    }
    let error = incident
        .blocks
        .iter()
        .flat_map(|block| &block.errors)
        .next();
    Candidate {
        entry: finding.entry,
        score: u8::try_from(score).unwrap_or(u8::MAX),
        is_decisive: finding.is_decisive,
        reasons,
        origin: Some(Origin {
            writer: incident.writer,
            line: incident.line,
            error: error.cloned().unwrap_or_default(),
        }),
    }
}
