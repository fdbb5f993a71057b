//! Signs of a text: names of what was recognised in it.

/// The names of those that hold.
pub fn holding(
    signs: impl IntoIterator<Item = (&'static str, bool)>,
) -> impl Iterator<Item = &'static str> {
    let signs = signs.into_iter();
    signs.filter(|(_, holds)| *holds).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_holds_is_named() {
        let signs = holding([("?one", true), ("?two", false), ("?three", true)]);
        assert_eq!(signs.collect::<Vec<_>>(), ["?one", "?three"]);
    }
}
