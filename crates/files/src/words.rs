//! Refusals of the operating system, for people.

use std::io;

/// Why the operating system refused, to be read in the middle of a sentence: `no such file or directory`, without the number of the
/// error.
pub fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    let Some(code) = error.raw_os_error() else {
        return without_number(&text);
    };
    let text = text.replace(&format!(" (os error {code})"), "");
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_lowercase().chain(letters).collect())
        .unwrap_or_default()
}

/// The text of an error that has one of the system's inside.
fn without_number(text: &str) -> String {
    const BEFORE: &str = " (os error ";
    let Some((before, rest)) = text.split_once(BEFORE) else {
        return text.to_owned();
    };
    match rest.split_once(')') {
        Some((number, after)) if number.bytes().all(|it| it.is_ascii_digit()) => {
            format!("{before}{after}")
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_an_error_is_left_out() {
        let missing = io::Error::from_raw_os_error(2);
        assert_eq!(in_words(&missing), "no such file or directory");
        let inside = io::Error::other(format!("{missing} at path \"/a\""));
        assert_eq!(
            in_words(&inside),
            "No such file or directory at path \"/a\""
        );
        let own = io::Error::other("it is (os error x) large");
        assert_eq!(in_words(&own), "it is (os error x) large");
    }
}
