//! CG124: a graph is destroyed while another one is captured.

use super::judge::Judge;
use crate::draft::{Draft, Rule, says};
use crate::finding::Confidence;
use crate::site::Site;

/// An executable graph is destroyed, which the capture refuses.
pub(crate) static DESTROYED: Rule = Rule::new("CG124", Confidence::Likely);

/// A graph is destroyed that a capture refuses to release.
pub(super) fn destroyed(judge: &mut Judge<'_, '_>, site: Site) {
    let draft = Draft::new(&DESTROYED, site, says::cg124::title("a graph"))
        .note("it may have to wait for its work, which a thread that captures is refused")
        .help(says::cg124::keep("graph"));
    judge.report(draft);
}
