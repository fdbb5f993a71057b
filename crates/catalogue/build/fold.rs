//! Line breaks of a text that only keep its file readable.

/// A text with its line breaks folded: one a paragraph, a blank line between two.
pub fn fold(source: &str) -> String {
    let mut paragraphs: Vec<String> = vec![String::new()];
    for line in source.trim().lines().map(str::trim) {
        let last = paragraphs.len() - 1;
        let paragraph = &mut paragraphs[last];
        if line.is_empty() {
            paragraphs.push(String::new());
            continue;
        }
        if needs_space(paragraph, line) {
            paragraph.push(' ');
        }
        paragraph.push_str(line);
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs.join("\n\n")
}

/// Chinese has no spaces between its characters nor beside its punctuation; Latin words in it have.
fn needs_space(before: &str, after: &str) -> bool {
    let (Some(left), Some(right)) = (before.chars().next_back(), after.chars().next()) else {
        return false;
    };
    let both_chinese = is_ideograph(left) && is_ideograph(right);
    !both_chinese && !is_chinese_punctuation(left) && !is_chinese_punctuation(right)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}')
}

fn is_chinese_punctuation(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}' | '—' | '…' | '“' | '”')
}
