//! CG220: sizes, offsets or lengths that the host plans for each step are part of the graph.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict};
use super::eager_line;
use crate::activity::Kind;
use crate::subjects::Region;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG220",
    check: Check::Region(check),
};

/// Signal: as CG205, and the number says which part of a tensor an operator works on.
fn check(region: &Region<'_, '_>) -> Option<Verdict> {
    let Kind::Number {
        eager, captured, ..
    } = &region.difference.kind
    else {
        return None;
    };
    let name = region.operation(region.difference.captured?).name;
    if PLANNED.binary_search(&name).is_err() {
        return None;
    }
    Some(
        Verdict::new(
            Confidence::Likely,
            "a size or offset that the host plans is frozen in the graph",
            format!("`{name}` was captured with {captured}"),
        )
        .label(eager_line(region), "eager calls give it other values here")
        .note(format!(
            "eager calls gave it {}; every replay works on the part that was captured",
            Region::phrase(eager)
        ))
        .help("let the device find the part: indices or lengths in a tensor that is written before each replay")
        .help("or capture one graph for each plan"),
    )
}

/// Operators whose numbers are sizes, offsets or lengths.
const PLANNED: &[&str] = &[
    "arange",
    "as_strided",
    "chunk",
    "index_select",
    "narrow",
    "repeat",
    "repeat_interleave",
    "roll",
    "select",
    "slice",
    "split",
    "split_with_sizes",
    "tensor_split",
    "unfold",
];

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_looked_up_in_order() {
        assert!(super::PLANNED.is_sorted());
    }
}
