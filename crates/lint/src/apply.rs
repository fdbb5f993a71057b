//! Applies fixes to a text.

use crate::finding::{Edit, Fix};
use crate::syntax;

/// Applies as many fixes as do not touch each other, in order. Returns the new text and how many were applied; what would
/// break the syntax is left out.
pub fn apply(text: &str, fixes: &[&Fix]) -> (String, usize) {
    let (result, applied) = apply_some(text, false, fixes);
    (result, applied.len())
}

/// As [`apply`], and says which were applied.
pub(crate) fn apply_some(text: &str, is_notebook: bool, fixes: &[&Fix]) -> (String, Vec<usize>) {
    let mut result = text.to_owned();
    let mut taken: Vec<Edit> = Vec::new();
    let mut applied = Vec::new();
    for (at, fix) in fixes.iter().enumerate() {
        if fix
            .edits
            .iter()
            .any(|edit| taken.iter().any(|other| touch(edit, other)))
        {
            continue;
        }
        let mut edits = taken.clone();
        edits.extend(fix.edits.iter().cloned());
        edits.sort();
        let Some(changed) = rewrite(text, &edits) else {
            continue;
        };
        if changed == result || !syntax::is_valid(&changed, is_notebook) {
            continue;
        }
        result = changed;
        taken = edits;
        applied.push(at);
    }
    (result, applied)
}

fn touch(one: &Edit, other: &Edit) -> bool {
    one.start <= other.end && other.start <= one.end
}

fn rewrite(text: &str, edits: &[Edit]) -> Option<String> {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        result.push_str(text.get(at..edit.start)?);
        result.push_str(&edit.text);
        at = edit.end;
    }
    result.push_str(text.get(at..)?);
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fix(start: usize, end: usize, text: &str) -> Fix {
        Fix {
            title: String::new(),
            safe: true,
            file: "a.py".into(),
            edits: vec![Edit {
                start,
                end,
                text: text.to_owned(),
            }],
        }
    }

    #[test]
    fn fixes_that_touch_each_other_are_not_applied_together() {
        let (first, second) = (fix(0, 1, "y"), fix(1, 1, "z"));
        assert_eq!(
            apply("x = 1\n", &[&first, &second]),
            ("y = 1\n".to_owned(), 1)
        );
    }

    #[test]
    fn what_breaks_the_syntax_is_left_out() {
        let (broken, good) = (fix(0, 1, "("), fix(4, 5, "2"));
        assert_eq!(
            apply("x = 1\n", &[&broken, &good]),
            ("x = 2\n".to_owned(), 1)
        );
    }

    #[test]
    fn edits_outside_the_text_are_left_out() {
        assert_eq!(apply("é\n", &[&fix(1, 1, "x")]), ("é\n".to_owned(), 0));
        assert_eq!(apply("x\n", &[&fix(7, 9, "x")]), ("x\n".to_owned(), 0));
    }
}
