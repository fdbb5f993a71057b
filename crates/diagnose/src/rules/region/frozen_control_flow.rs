//! CG201: the graph holds one branch of a function that takes several.

use cgsan_finding::Confidence;

use super::super::twin::CHOSEN;
use super::super::{Check, Rule, Verdict};
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
    let (captured, eager) = (region.difference.captured, region.difference.eager);
    let here = match (captured, eager) {
        (Some(captured), _) => format!("the capture recorded `{}`", name(captured)),
        (None, Some(eager)) => {
            format!(
                "eager calls also ran `{}`, the capture did not",
                name(eager)
            )
        }
        (None, None) => "the calls diverge here".to_owned(),
    };
    let there = match eager.filter(|_| captured.is_some()) {
        Some(eager) => (
            region.location_of(Some(eager)),
            format!("eager calls also ran `{}`", name(eager)),
        ),
        None => (None, String::new()),
    };
    Some(
        Verdict::new(
            Confidence::Likely,
            "the graph holds one branch of a function that takes several",
            here,
        )
        .label(there.0, there.1)
        .note(CHOSEN)
        .help("compute both and choose on the device, with `torch.where`; or capture one graph for each branch, or again where the program has changed for good"),
    )
}
