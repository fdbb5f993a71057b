//! CG205: a number that changes from call to call is part of the graph.

use cgsan_finding::Confidence;

use super::super::{Check, Rule, Verdict, says};
use super::eager_line;
use crate::activity::{Kind, field};
use crate::subjects::Region;

pub(in crate::rules) const RULE: Rule = Rule {
    id: "CG205",
    check: Check::Region(check),
};

/// Signal: eager calls from one place give an operator different numbers, and the capture recorded one.
fn check(region: &Region<'_, '_>) -> Option<Verdict> {
    let Kind::Number {
        eager,
        captured,
        place,
    } = &region.difference.kind
    else {
        return None;
    };
    let operation = region.operation(region.difference.captured?);
    let name = operation.called();
    let field = field(operation.given(), *place);
    let at = field.map(|it| format!(" at {it}")).unwrap_or_default();
    Some(
        Verdict::new(
            Confidence::Likely,
            says::cg205::TITLE,
            format!("`{name}` was captured with {captured}{at}"),
        )
        .label(eager_line(region), "eager calls give it other values here")
        .note(format!(
            "eager calls gave it {}; every replay uses {captured}",
            Region::phrase(eager)
        ))
        .help(says::cg205::keep_on_device("the number", "tensor")),
    )
}
