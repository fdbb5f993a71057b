//! CG207: the graph works on one size of an input that comes in several.

use super::super::{Check, Rule, Verdict};
use crate::Confidence;
use crate::activity::Kind;
use crate::subjects::Region;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG207",
    check: Check::Region(check),
};

/// Signal: eager calls from one place work on tensors of different sizes, larger ones than the captured among them.
fn check(region: &Region<'_, '_>) -> Option<Verdict> {
    let Kind::Size { eager, captured } = &region.difference.kind else {
        return None;
    };
    let name = region.operation(region.difference.captured?).name;
    Some(
        Verdict::new(
            Confidence::Likely,
            "the graph works on one size of an input that has several",
            format!("`{name}` was captured for size {captured}"),
        )
        .note(format!(
            "eager calls worked on sizes {}; every replay works on {captured}",
            Region::phrase(eager)
        ))
        .help("capture one graph for each size, or pad to the largest and mask"),
    )
}
