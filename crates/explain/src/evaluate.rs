//! What the patterns say of an incident.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use cgsan_catalogue::{Condition, Entry, Pattern, entries};

use crate::candidate::{DECIDES, Reason};
use crate::codes::CodeSearch;
use crate::hip;
use crate::incident::{Block, Incident};
use crate::matcher::{Lines, Matcher, patterns};

/// What a code alone says, shared by the failure modes that show up with it.
const CODE_WEIGHT: usize = 40;

/// The codes that only captures and graphs have.
const OF_CAPTURES: RangeInclusive<i32> = 900..=910;

/// How much the consequences of an error say, in percent of what the error itself says.
const CONSEQUENCE: u32 = 30;

/// How much of the weight a clue keeps that programs without graphs show too, in percent, in a text that does not speak of
/// graphs.
const COMMON: u32 = 50;

/// What is known of the text that an incident is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// It speaks of CUDA graphs.
    OfGraphs,
    /// It does not: what programs without graphs show too counts half, and below a traceback, which would show the graph,
    /// not at all.
    OfNoGraphs,
}

/// Asks the patterns.
pub struct Evaluator {
    matcher: Matcher,
    codes: CodeSearch,
}

/// What an incident says of one failure mode.
#[derive(Clone, Debug)]
pub struct Finding {
    pub entry: &'static Entry,
    pub score: u8,
    /// Whether one of the clues alone decides.
    pub is_decisive: bool,
    pub reasons: Vec<Reason>,
}

/// Something that speaks for a failure mode, and how strongly.
#[derive(Clone, Copy)]
struct Clue {
    entry: &'static Entry,
    block: usize,
    weight: u32,
    /// Whether programs without graphs show it too.
    common: bool,
    reason: Reason,
}

impl Evaluator {
    pub fn new() -> Self {
        Evaluator {
            matcher: Matcher::new(),
            codes: CodeSearch::new(),
        }
    }

    /// The failure modes that an incident may be, by ascending id.
    pub fn findings(&self, incident: &Incident, text: Text) -> Vec<Finding> {
        let incident = hip::as_cuda(incident);
        let mut clues = match self.matcher.possible(&incident) {
            Some(possible) => pattern_clues(&self.matcher.lines(&incident), &possible),
            None => Vec::new(),
        };
        let known: BTreeSet<&str> = clues.iter().map(|clue| clue.entry.id).collect();
        for (block, content) in incident.blocks.iter().enumerate() {
            let codes = self.code_clues(block, content);
            // What other libraries say in their own words, such as an invalid argument, supports what else is known.
            let is_of_pytorch = content
                .errors
                .iter()
                .any(|line| line.contains("CUDA error: "));
            clues.extend(
                codes.filter(|clue| !clue.common || is_of_pytorch || known.contains(clue.entry.id)),
            );
        }
        if text == Text::OfNoGraphs {
            doubt_common(&mut clues, incident.has_traceback());
        }
        // The first exception that is about CUDA graphs is the cause; what it led to says less.
        let Some(cause) = clues.iter().map(|clue| clue.block).min() else {
            return Vec::new();
        };
        entries()
            .iter()
            .filter_map(|entry| finding(entry, &clues, cause))
            .collect()
    }

    fn code_clues(&self, block: usize, content: &Block) -> impl Iterator<Item = Clue> {
        let mut codes: Vec<_> = content
            .errors
            .iter()
            .chain(&content.calls)
            .flat_map(|line| self.codes.in_line(line))
            .collect();
        codes.sort_by_key(|code| code.code);
        codes.dedup();
        let mut clues = Vec::new();
        for code in codes {
            let modes = code.entries().count();
            for entry in code.entries() {
                clues.push(Clue {
                    entry,
                    block,
                    weight: u32::try_from((CODE_WEIGHT / modes).max(2)).unwrap_or(2),
                    common: !OF_CAPTURES.contains(&code.code),
                    reason: Reason::Code(code, modes),
                });
            }
        }
        clues.into_iter()
    }
}

/// Takes weight from what programs without graphs show too.
fn doubt_common(clues: &mut Vec<Clue>, has_traceback: bool) {
    clues.retain(|clue| !clue.common || !has_traceback);
    for clue in clues.iter_mut().filter(|clue| clue.common) {
        clue.weight = clue.weight * COMMON / 100;
    }
}

/// The patterns that match, each where it matches first.
fn pattern_clues(lines: &Lines<'_>, possible: &[bool]) -> Vec<Clue> {
    let mut clues = Vec::new();
    let patterns = patterns().zip(possible).filter(|(_, possible)| **possible);
    for ((entry, pattern), _) in patterns {
        let block = (0..lines.blocks())
            .find(|&block| lines.match_in(block, pattern.place, pattern.matches));
        if let Some(block) = block
            && conditions_hold(pattern, lines)
        {
            clues.push(Clue {
                entry,
                block,
                weight: u32::from(pattern.weight),
                common: pattern.common,
                reason: Reason::Pattern(pattern.reason),
            });
        }
    }
    clues
}

fn conditions_hold(pattern: &Pattern, lines: &Lines<'_>) -> bool {
    let holds = |condition: &Condition| lines.match_anywhere(condition.place, condition.matches);
    pattern.with.iter().all(holds) && !pattern.without.iter().any(holds)
}

/// What the clues say of one failure mode together: each takes its share of the doubt that the others leave.
fn finding(entry: &'static Entry, clues: &[Clue], cause: usize) -> Option<Finding> {
    let mut own: Vec<Clue> = clues
        .iter()
        .filter(|clue| clue.entry.id == entry.id)
        .map(|clue| later(*clue, cause))
        .collect();
    own.sort_by_key(|clue| std::cmp::Reverse(clue.weight));
    let doubt = own.iter().fold(1.0, |doubt, clue| {
        doubt * (1.0 - f64::from(clue.weight) / 100.0)
    });
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it lies between 0 and 100"
    )]
    let score = ((1.0 - doubt) * 100.0).round() as u8;
    (score > 0).then(|| Finding {
        entry,
        score,
        is_decisive: own[0].weight >= u32::from(DECIDES),
        reasons: own.into_iter().map(|clue| clue.reason).collect(),
    })
}

/// A clue with the weight that it has in its place.
fn later(clue: Clue, cause: usize) -> Clue {
    if clue.block == cause {
        return clue;
    }
    let reason = match clue.reason {
        Reason::Pattern(text) => Reason::Consequence(text),
        other => other,
    };
    Clue {
        weight: clue.weight * CONSEQUENCE / 100,
        reason,
        ..clue
    }
}
