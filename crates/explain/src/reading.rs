//! What is read of a report as a whole, where no pattern decides.

use crate::beside;
use crate::candidate::{Explanation, LIKELY};
use crate::concern::{self, IN_PASSING_ONLY};
use crate::failure;
use crate::kind::{self, Strengths, strengths};
use crate::passing::without_passing;
use crate::sign::holding;

/// Bytes of a text that are looked at: people say first what their trouble is.
const LOOKED_AT: usize = 8 << 10;

/// A report as a whole.
pub struct Reading<'a> {
    /// The beginning of the text. Its first line is its title.
    pub opening: &'a str,
    /// How strongly it speaks of each kind of trouble.
    pub strengths: Strengths,
    /// What else of it says whether it is about a failure of a graph, and of what kind.
    pub signs: Vec<&'static str>,
    /// Whether it names graphs otherwise than in passing, or is so long that the rest may.
    pub names_graphs: bool,
    /// Whether it shows that a graph failed.
    pub shows_failure: bool,
    /// Whether it is about documentation.
    pub is_documentation: bool,
}

impl<'a> Reading<'a> {
    /// Reads the beginning of a text that the patterns have explained.
    pub fn of(explanation: &'a Explanation) -> Self {
        let whole = &explanation.opening;
        let opening = whole[..whole.floor_char_boundary(LOOKED_AT)].trim_start();
        let text = without_passing(opening);
        let best = explanation.candidates.first();
        let score = best.map_or(0, |best| best.score);
        let patterns = [
            ("?a pattern", score > 0),
            ("?a likely pattern", score >= LIKELY),
            (
                "?a pattern of graphs",
                score > 0 && explanation.is_of_graphs,
            ),
            ("?words of graphs", explanation.is_of_graphs),
        ];
        let mut signs: Vec<&str> = concern::signs(opening, &text).collect();
        signs.extend(beside::signs(opening));
        signs.extend(holding(patterns));
        let strengths = strengths(&text);
        signs.extend(kind::signs(&text, &strengths, best.map(|best| best.entry)));
        let is_whole = whole.len() < LOOKED_AT;
        Reading {
            opening,
            strengths,
            names_graphs: !(is_whole && signs.contains(&IN_PASSING_ONLY)),
            shows_failure: failure::shows_one(opening, &signs),
            is_documentation: failure::is_documentation(opening),
            signs,
        }
    }
}
