//! The terms of a text, by which texts are compared.

/// Words that every text has.
const COMMON: [&str; 44] = [
    "about", "after", "also", "and", "are", "because", "been", "before", "but", "can", "could",
    "does", "for", "from", "has", "have", "into", "just", "like", "more", "most", "not", "only",
    "other", "same", "should", "some", "such", "than", "that", "the", "them", "then", "there",
    "they", "this", "very", "was", "were", "what", "when", "which", "will", "with",
];

/// Endings that a word may have or not: of `captures` and `captured` the same is said.
const ENDINGS: [&str; 6] = ["ing", "ed", "es", "s", "e", "ly"];

/// Letters that are left of a word without its ending.
const SHORTEST_STEM: usize = 4;

/// The terms of a text in its order: Latin words without their endings, in lower case, the parts of `camelCase` one by one;
/// and pairs of Chinese characters.
pub fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in text.chars() {
        let begins_part = before.is_ascii_lowercase() && c.is_ascii_uppercase();
        if !c.is_ascii_alphanumeric() || begins_part {
            push(&mut terms, &mut word);
        }
        if c.is_ascii_alphabetic() || c.is_ascii_digit() && !word.is_empty() {
            word.push(c.to_ascii_lowercase());
        }
        if is_chinese(before) && is_chinese(c) {
            terms.push([before, c].iter().collect());
        }
        before = c;
    }
    push(&mut terms, &mut word);
    terms
}

fn push(terms: &mut Vec<String>, word: &mut String) {
    if word.len() > 2 && COMMON.binary_search(&word.as_str()).is_err() {
        terms.push(stem(word).to_owned());
    }
    word.clear();
}

fn stem(word: &str) -> &str {
    let without = ENDINGS.iter().find_map(|ending| {
        word.strip_suffix(ending)
            .filter(|stem| stem.len() >= SHORTEST_STEM)
    });
    without.unwrap_or(word)
}

fn is_chinese(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_and_capitals_make_no_difference() {
        assert_eq!(terms("Captures, captured; capturing"), ["captur"; 3]);
        assert_eq!(
            terms("cudaGraphExecUpdate"),
            ["cuda", "graph", "exec", "updat"]
        );
    }

    #[test]
    fn words_that_every_text_has_are_no_terms() {
        assert_eq!(terms("it was not the 12 of them"), [""; 0]);
        assert!(COMMON.is_sorted());
    }

    #[test]
    fn chinese_is_read_in_pairs() {
        assert_eq!(terms("内存池 pool"), ["内存", "存池", "pool"]);
    }
}
