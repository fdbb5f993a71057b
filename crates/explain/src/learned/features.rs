//! What of a text is learned from: its terms, pairs of terms that follow each other, and its signs.

use std::collections::BTreeMap;

use crate::reading::Reading;
use crate::terms::terms;

/// How much a text has of a sign, where its terms together have 1.
const OF_A_SIGN: f32 = 0.3;

/// What stands before a term of the title: people name there what they complain about.
const OF_TITLE: &str = "title:";

/// The features of a text.
pub struct Features {
    /// How often it has each term, and each two terms with a space between. Those of the title count once more, and by
    /// themselves.
    terms: BTreeMap<String, u16>,
    /// Its signs. They begin with a question mark, which no term has.
    signs: Vec<&'static str>,
}

impl Features {
    /// The features of a report.
    pub fn of(reading: &Reading<'_>) -> Self {
        Features {
            signs: reading.signs.clone(),
            ..Features::of_text(reading.opening)
        }
    }

    /// The features of a text that complains of nothing. Its first line is its title.
    pub fn of_text(text: &str) -> Self {
        let title = text.lines().next().unwrap_or_default();
        let mut counts = BTreeMap::new();
        let mut add = |feature: String| {
            let count: &mut u16 = counts.entry(feature).or_default();
            *count = count.saturating_add(1);
        };
        for feature in terms_and_pairs(title) {
            add(format!("{OF_TITLE}{feature}"));
            add(feature);
        }
        terms_and_pairs(text).for_each(add);
        Features {
            terms: counts,
            signs: Vec::new(),
        }
    }

    /// The names of the features.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let terms = self.terms.keys().map(String::as_str);
        terms.chain(self.signs.iter().copied())
    }

    /// How much the text has of each feature that is known: of terms so much that the squares add up to 1. What it repeats
    /// counts by its logarithm, and what few texts have counts more: `known` gives a feature's number, and its rarity.
    pub fn vector(&self, known: impl Fn(&str) -> Option<(usize, f32)>) -> Vec<(usize, f32)> {
        let terms = self.terms.iter();
        let terms = terms.filter_map(|(term, count)| known(term).map(|known| (known, *count)));
        let mut vector: Vec<(usize, f32)> = terms
            .map(|((number, rarity), count)| (number, rarity * (1.0 + f32::from(count).ln())))
            .collect();
        let squares: f32 = vector.iter().map(|(_, share)| share * share).sum();
        let length = squares.sqrt().max(f32::MIN_POSITIVE);
        for (_, share) in &mut vector {
            *share /= length;
        }
        let signs = self.signs.iter().filter_map(|sign| known(sign));
        vector.extend(signs.map(|(number, _)| (number, OF_A_SIGN)));
        vector
    }
}

fn terms_and_pairs(text: &str) -> impl Iterator<Item = String> {
    let terms = terms(text);
    let pairs: Vec<String> = terms.windows(2).map(|pair| pair.join(" ")).collect();
    terms.into_iter().chain(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_counts_twice_and_by_itself() {
        let features = Features::of_text("replay stalls\nreplay");
        assert_eq!(features.terms["replay"], 3);
        assert_eq!(features.terms["replay stall"], 2);
        assert_eq!(features.terms["title:replay"], 1);
    }

    #[test]
    fn what_is_unknown_is_left_out_and_the_terms_have_length_one() {
        let features = Features {
            signs: vec!["?a sign", "?another"],
            ..Features::of_text("replay stalls")
        };
        let known = |feature: &str| match feature {
            "stall" | "?another" => None,
            feature if feature.starts_with(OF_TITLE) => None,
            feature => Some((feature.len(), 2.0)),
        };
        let vector = features.vector(known);
        assert_eq!(vector.len(), 3);
        assert_eq!(vector[2], ("?a sign".len(), OF_A_SIGN));
        let squares: f32 = vector[..2].iter().map(|(_, share)| share * share).sum();
        assert!((squares - 1.0).abs() < 1e-5);
    }
}
