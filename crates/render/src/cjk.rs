//! Where a line of Chinese may be broken: between any two characters, but not before closing punctuation and not after opening
//! punctuation.

/// The parts of a word between which a line may be broken. A word without Chinese is one part.
pub fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    for (at, c) in word.char_indices() {
        if before.is_some_and(|before| may_break(before, c)) {
            parts.push(&word[start..at]);
            start = at;
        }
        before = Some(c);
    }
    parts.push(&word[start..]);
    parts
}

fn may_break(before: char, after: char) -> bool {
    (is_chinese(before) || is_chinese(after)) && !is_opening(before) && !is_closing(after)
}

fn is_chinese(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{3400}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

fn is_opening(c: char) -> bool {
    matches!(c, '（' | '「' | '『' | '《' | '【' | '“' | '‘' | '(' | '[')
}

fn is_closing(c: char) -> bool {
    "，。、；：？！）」』》】”’…—,.;:?!)]".contains(c)
}
