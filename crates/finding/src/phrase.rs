//! Lists as phrases.

/// Ascending numbers as a phrase: `0 and 1`, `0 to 7`, `0, 2 and 5 to 7`.
pub fn numbers(ascending: &[u32]) -> String {
    let runs = ascending.chunk_by(|before, after| before.checked_add(1) == Some(*after));
    let phrases: Vec<String> = runs
        .flat_map(|run| match run {
            [first, _, .., last] => vec![format!("{first} to {last}")],
            few => few.iter().map(ToString::to_string).collect(),
        })
        .collect();
    list(&phrases)
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_a_row_are_a_range() {
        assert_eq!(numbers(&[0]), "0");
        assert_eq!(numbers(&[0, 1]), "0 and 1");
        assert_eq!(numbers(&[0, 1, 2, 3]), "0 to 3");
        assert_eq!(numbers(&[0, 2, 5, 6, 7]), "0, 2 and 5 to 7");
        assert_eq!(numbers(&[u32::MAX]), u32::MAX.to_string());
    }
}
