//! CG207: the graph works on one size of an input that comes in several.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use super::eager_line;
use crate::activity::Kind;
use crate::subjects::Region;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG207",
    check: Check::Region(check),
};

/// Signal: eager calls from one place work on tensors of different sizes, larger ones than the captured among them; or on the
/// first so many rows of one, and the capture recorded one number.
fn check(region: &Region<'_, '_>) -> Option<Verdict> {
    let operation = region.operation(region.difference.captured?);
    let (eager, captured) = match &region.difference.kind {
        Kind::Size { eager, captured } => (Region::phrase(eager), captured.to_string()),
        Kind::Number {
            eager,
            captured,
            place: END,
        } if operation.name == "slice" => (Region::phrase(eager), captured.to_string()),
        _ => return None,
    };
    Some(
        Verdict::new(
            Confidence::Likely,
            says::cg207::TITLE,
            format!("`{}` was captured for size {captured}", operation.called()),
        )
        .label(eager_line(region), "eager calls give it other values here")
        .note(format!(
            "eager calls worked on sizes {eager}; every replay works on {captured}"
        ))
        .help(says::cg207::ONE_FOR_EACH),
    )
}

/// Among the numbers of `slice`: behind the dimension and the start.
const END: usize = 2;
