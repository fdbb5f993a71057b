//! What is read of a report as a whole, where no pattern decides.

use crate::beside;
use crate::candidate::Explanation;
use crate::concern;
use crate::failure;
use crate::kind::{Strengths, strengths};
use crate::passing::without_passing;
use crate::sign::Sign;

/// Bytes of a text that are looked at: people say first what their trouble is.
const LOOKED_AT: usize = 8 << 10;

/// A report as a whole.
pub struct Reading<'a> {
    /// The beginning of the text. Its first line is its title.
    pub opening: &'a str,
    /// How strongly it speaks of each kind of trouble.
    pub strengths: Strengths,
    /// What else of it says whether it is about a failure of a graph.
    signs: Vec<Sign>,
    /// Whether it names graphs otherwise than in passing, or is so long that the rest may.
    pub names_graphs: bool,
    /// Whether it shows that a graph failed.
    pub shows_failure: bool,
    /// Whether it is about documentation.
    pub is_documentation: bool,
}

/// Signs, each of which says that no graph of the catalogue's failures is what the text is about.
const OF_ANOTHER: [Sign; 9] = [
    Sign::AnotherFailure,
    Sign::AnotherException,
    Sign::TitleOfAnother,
    Sign::WorksWithGraphs,
    Sign::FailsWithoutGraphs,
    Sign::Question,
    Sign::Proposal,
    Sign::TitleOfAWish,
    Sign::NoFailure,
];

impl<'a> Reading<'a> {
    /// Whether it is about something else than a failure of a graph.
    pub fn is_of_another(&self) -> bool {
        OF_ANOTHER.iter().any(|sign| self.signs.contains(sign))
    }

    /// Whether it blames graphs in its title, or says that it is right again without them.
    pub fn blames_graphs(&self) -> bool {
        let blaming = [Sign::TitleBlamesGraphs, Sign::FineWithoutGraphs];
        blaming.iter().any(|sign| self.signs.contains(sign))
    }

    /// Reads the beginning of a text that the patterns have explained.
    pub fn of(explanation: &'a Explanation) -> Self {
        let whole = &explanation.opening;
        let opening = whole[..whole.floor_char_boundary(LOOKED_AT)].trim_start();
        let text = without_passing(opening);
        let concern = concern::signs(opening, &text);
        let signs: Vec<Sign> = concern.chain(beside::signs(opening)).collect();
        let is_whole = whole.len() < LOOKED_AT;
        Reading {
            opening,
            strengths: strengths(&text),
            names_graphs: !(is_whole && signs.contains(&Sign::InPassingOnly)),
            shows_failure: failure::shows_one(opening, &signs),
            is_documentation: failure::is_documentation(opening),
            signs,
        }
    }
}
