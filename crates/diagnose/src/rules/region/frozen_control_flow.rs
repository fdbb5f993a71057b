//! CG201: the graph holds one branch of a function that takes several.

use cgsan_finding::Confidence;

use super::super::twin::CHOSEN;
use super::super::{Check, Rule, Verdict, says};
use crate::activity::Kind;
use crate::kernel_name;
use crate::subjects::Region;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG201",
    check: Check::Region(check),
};

/// Signal: eager calls from one place run different operators, changing more than once, and the capture recorded one form.
fn check(region: &Region<'_, '_>) -> Option<Verdict> {
    if !matches!(region.difference.kind, Kind::Operators) {
        return None;
    }
    let name = |index: usize| region.operation(index).name;
    let (captured, eager) = (region.difference.captured, region.difference.eager);
    let (here, there) = match (captured, eager) {
        (Some(captured), Some(eager)) => {
            let (captured, other) = kernel_name::apart(name(captured), name(eager));
            let there = format!("eager calls also ran `{other}`");
            let there = (region.location_of(Some(eager)), there);
            (format!("the capture recorded `{captured}`"), there)
        }
        (Some(captured), None) => {
            let captured = region.operation(captured).called();
            let here = format!("the capture recorded `{captured}`");
            (here, (None, String::new()))
        }
        (None, Some(eager)) => {
            let eager = region.operation(eager).called();
            let here = format!("eager calls also ran `{eager}`, the capture did not");
            (here, (None, String::new()))
        }
        (None, None) => ("the calls diverge here".to_owned(), (None, String::new())),
    };
    Some(
        Verdict::new(Confidence::Likely, says::cg201::TITLE, here)
            .label(there.0, there.1)
            .note(CHOSEN)
            .help(says::cg201::CHOOSE),
    )
}
