//! The entries whose words a text shares, where no pattern knows it.

use std::collections::{BTreeMap, BTreeSet};

use cgsan_catalogue::{Entry, entries};

/// Entries that are named.
const MOST: usize = 3;

/// The most that one word is worth: one that a single entry has may be there by chance.
const MOST_WORTH: usize = 12;

/// The entries that share the rarest words with a text, best first; none if they share only common ones, or of several words
/// a single one.
pub fn nearest(text: &str) -> Vec<&'static Entry> {
    let wanted = words(text);
    let known: Vec<(&Entry, BTreeSet<String>)> = entries()
        .iter()
        .map(|entry| (entry, words(&description(entry))))
        .collect();
    let mut holders: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, words) in &known {
        for word in words {
            *holders.entry(word).or_default() += 1;
        }
    }
    // A word that few entries have says much, one that half of them have says nothing.
    let worth = |word: &String| (known.len() / (2 * holders[word.as_str()])).min(MOST_WORTH);
    let mut scored: Vec<(usize, &Entry)> = known
        .iter()
        .map(|(entry, words)| {
            let worths = words.intersection(&wanted).map(worth);
            let worths: Vec<usize> = worths.filter(|worth| *worth > 0).collect();
            (worths, *entry)
        })
        .filter(|(worths, _)| worths.len() > 1 || 2 * worths.len() >= wanted.len())
        .map(|(worths, entry)| (worths.into_iter().sum(), entry))
        .filter(|(score, _)| *score > 0)
        .collect();
    scored.sort_by_key(|(score, entry)| (std::cmp::Reverse(*score), entry.id));
    scored
        .into_iter()
        .take(MOST)
        .map(|(_, entry)| entry)
        .collect()
}

fn description(entry: &Entry) -> String {
    let texts = [entry.title, entry.summary];
    let texts: Vec<String> = texts
        .iter()
        .map(|text| format!("{} {}", text.english, text.chinese))
        .collect();
    format!("{} {}", entry.name, texts.join(" "))
}

/// Latin words in lower case without their endings, and pairs of Chinese characters.
fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        let word = word.to_ascii_lowercase();
        if word.len() > 3 {
            words.insert(word.trim_end_matches(['s', 'd', 'e']).to_owned());
        }
    }
    let chinese: Vec<char> = text.chars().collect();
    for pair in chinese.windows(2) {
        if pair.iter().all(|c| matches!(c, '\u{4e00}'..='\u{9fff}')) {
            words.insert(pair.iter().collect());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<&'static str> {
        nearest(text).iter().map(|entry| entry.id).collect()
    }

    #[test]
    fn words_find_their_entry() {
        assert_eq!(ids("stream never rejoined")[0], "CG106");
        assert_eq!(ids("fragmentation")[0], "CG305");
        assert_eq!(ids("内存池 不匹配")[0], "CG606");
    }

    #[test]
    fn words_without_a_meaning_find_nothing() {
        for text in [
            "",
            "asdf qwer zxcv",
            "the quick brown fox jumps over the lazy dog",
            "Lorem ipsum dolor sit amet, consectetur adipiscing elit",
            "xkcd 12345 printed",
            "今天天气很好",
        ] {
            assert_eq!(ids(text), [""; 0], "{text}");
        }
    }
}
