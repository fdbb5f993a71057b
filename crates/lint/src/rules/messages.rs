//! CG226: the host exchanges a message inside a capture.

use super::judge::Judge;
use crate::draft::{Draft, Rule, says};
use crate::finding::Confidence;
use crate::syntax::ast::TextRange;

/// No replay exchanges it again.
pub(crate) static IN_CAPTURE: Rule = Rule::new("CG226", Confidence::Likely);

/// The host sends or receives a message.
pub(super) fn exchanged(judge: &mut Judge<'_, '_>, what: &str, range: TextRange) {
    if judge.graph_capture().is_none() || judge.flow.foreign.is_some() {
        return;
    }
    let site = judge.at(range);
    let title = format!("{what} exchanges a message inside a capture");
    let draft = Draft::new(&IN_CAPTURE, site, title)
        .note(says::cg226::NO_MESSAGE)
        .help(says::cg226::BEFORE_REPLAY);
    judge.report(draft);
}
