//! Facts about PyTorch's operators, as their own schemas tell them: `facts.txt`, which `cargo xtask schemas` writes from
//! `native_functions.yaml` of each release.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// All that is known, a line for each operator.
const TABLE: &str = include_str!("../facts.txt");

static KNOWN: LazyLock<FxHashMap<&'static str, Facts>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(row).collect()
});

/// What the schemas of an operator tell, those of all overloads that do not write into `out=` together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    kinds: u8,
    /// The places of the arguments that it changes: a bit for each.
    written: u32,
}

/// What an operator is, by the word for it in the table and the bit of [`Facts::kinds`].
const KINDS: [(&str, u8); 3] = [("view", VIEW), ("asks", ASKS), ("reads", READS)];
const VIEW: u8 = 1;
const ASKS: u8 = 1 << 1;
const READS: u8 = 1 << 2;

/// The facts about an operator by its name without the namespace, such as `add_`; `None` if the
/// schemas of the releases that were read tell none.
#[must_use]
pub fn facts(name: &str) -> Option<Facts> {
    KNOWN.get(name).copied()
}

impl Facts {
    /// Whether all tensors that it gives are annotated as lying in the memory of one that it is given. Some of them copy where a
    /// view is not possible, such as `reshape`.
    #[must_use]
    pub fn gives_views(self) -> bool {
        self.kinds & VIEW != 0
    }

    /// Whether it gives no tensor and changes none: it is asked for sizes, strides and the like, or for elements
    /// ([`Facts::reads_elements`]).
    #[must_use]
    pub fn is_asked(self) -> bool {
        self.kinds & ASKS != 0
    }

    /// Whether the host gets elements of a tensor by it (PyTorch's tag `data_dependent_output`).
    #[must_use]
    pub fn reads_elements(self) -> bool {
        self.kinds & READS != 0
    }

    /// Whether it changes the argument at a place, of which the first is 0: its elements, or what the tensor refers to.
    #[must_use]
    pub fn writes(self, place: usize) -> bool {
        u32::try_from(place)
            .is_ok_and(|place| self.written.checked_shr(place).unwrap_or(0) & 1 == 1)
    }
}

/// `name word word writes:0,3`.
fn row(line: &'static str) -> Option<(&'static str, Facts)> {
    let mut words = line.split(' ');
    let name = words.next().filter(|name| !name.is_empty())?;
    let mut facts = Facts::default();
    for word in words {
        if let Some(places) = word.strip_prefix("writes:") {
            let places = places.split(',').filter_map(|it| it.parse().ok());
            facts.written |= places
                .filter_map(|place| 1_u32.checked_shl(place))
                .fold(0, |all, bit| all | bit);
        }
        facts.kinds |= KINDS.iter().find(|it| it.0 == word).map_or(0, |it| it.1);
    }
    Some((name, facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Facts {
        facts(name).unwrap_or_else(|| panic!("`{name}` is known"))
    }

    #[test]
    fn each_word_of_the_table_is_understood() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        for word in lines.flat_map(|line| line.split(' ').skip(1)) {
            let known = KINDS.iter().any(|it| it.0 == word);
            assert!(known || word.starts_with("writes:"), "{word}");
        }
    }

    #[test]
    fn what_an_operator_changes_is_known_by_its_place() {
        assert!(of("add_").writes(0) && !of("add_").writes(1));
        // Whether a gradient is infinite is written to its second argument.
        assert!(of("_amp_foreach_non_finite_check_and_unscale_").writes(1));
        assert!(of("_native_batch_norm_legit").writes(3));
        assert!(!of("add_").writes(200));
    }

    #[test]
    fn views_questions_and_reads_are_told_apart() {
        assert!(of("narrow").gives_views() && of("chunk").gives_views());
        assert!(of("stride").is_asked() && !of("stride").reads_elements());
        assert!(of("item").is_asked() && of("item").reads_elements());
        assert!(facts("clone").is_none(), "no schema tells more of it");
    }
}
