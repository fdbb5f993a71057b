//! Patterns of file names: `*` for anything but a slash, `**` for anything, `?` for one character.

use std::path::Path;

/// Whether a pattern fits a path: the whole of it, or its end from a slash on.
pub(crate) fn matches(pattern: &str, path: &Path) -> bool {
    let path = path.to_string_lossy();
    let pattern: Vec<char> = pattern.trim_start_matches("./").chars().collect();
    let whole: Vec<char> = path.trim_start_matches("./").chars().collect();
    let starts = whole
        .iter()
        .enumerate()
        .filter(|(_, it)| **it == '/')
        .map(|(at, _)| at + 1);
    std::iter::once(0)
        .chain(starts)
        .any(|start| fits(&pattern, &whole[start..]))
}

fn fits(pattern: &[char], text: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['*', '*', rest @ ..] => {
            let rest = rest.strip_prefix(&['/']).unwrap_or(rest);
            (0..=text.len()).any(|at| fits(rest, &text[at..]))
        }
        ['*', rest @ ..] => (0..=text.len())
            .take_while(|at| !text[..*at].contains(&'/'))
            .any(|at| fits(rest, &text[at..])),
        ['?', rest @ ..] => text
            .split_first()
            .is_some_and(|(first, text)| *first != '/' && fits(rest, text)),
        [first, rest @ ..] => text
            .split_first()
            .is_some_and(|(it, text)| it == first && fits(rest, text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_fits_the_end_of_a_path() {
        let fits = |pattern, path| matches(pattern, Path::new(path));
        assert!(fits("tests/*.py", "tests/a.py"));
        assert!(fits("tests/*.py", "/x/tests/a.py"));
        assert!(fits("tests/**", "tests/deep/a.py"));
        assert!(fits("**/a.py", "tests/deep/a.py"));
        assert!(fits("a.py", "tests/a.py"));
        assert!(!fits("tests/*.py", "tests/deep/a.py"));
        assert!(!fits("b.py", "ab.py"));
    }
}
