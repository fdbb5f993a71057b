//! CG201: the graph holds one branch of a function that takes several.

use super::super::{Check, Rule, Verdict};
use crate::Confidence;
use crate::activity::Kind;
use crate::subjects::Region;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG201",
    check: Check::Region(check),
};

/// Signal: eager calls from one place run different operators, changing more than once, and the capture recorded one form.
fn check(region: &Region<'_, '_>) -> Option<Verdict> {
    if region.asked.is_some() || !matches!(region.difference.kind, Kind::Operators) {
        return None;
    }
    let name = |index: usize| region.operation(index).name;
    let here = region.difference.captured.map_or_else(
        || "the captured call ends here".to_owned(),
        |index| format!("the capture recorded `{}`", name(index)),
    );
    let there = region.difference.eager.map_or_else(
        || "other calls end here".to_owned(),
        |index| format!("eager calls also ran `{}`", name(index)),
    );
    Some(
        Verdict::new(
            Confidence::Likely,
            "the graph holds one branch of a function that takes several",
            here,
        )
        .label(region.location_of(region.difference.eager), there)
        .note("Python chose between them at each eager call; a replay repeats the captured choice")
        .help("compute both and choose on the device: `torch.where(condition, a, b)`; or capture one graph for each branch"),
    )
}
