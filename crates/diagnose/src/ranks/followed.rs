//! Errors of other ranks that followed from a failed capture of one: it is gone, or does not take part any more.

use cgsan_finding::{Consequence, Finding};

use super::part;
use super::side::Side;

/// Adds to the finding of a rank whose capture failed first the exceptions that ended other ranks later, and of which no finding
/// speaks.
pub(crate) fn follow(findings: &mut [Finding], sides: &[Side]) {
    let ranked: Vec<&Side> = sides
        .iter()
        .filter(|it| it.process.rank.is_some())
        .collect();
    let failed = ranked.iter().filter_map(|side| Some((side.failed?, *side)));
    let Some((time, first)) = failed.min_by_key(|(time, _)| *time) else {
        return;
    };
    if !part::are_of_one_job(&ranked) {
        return;
    }
    let is_of = |finding: &Finding, side: &Side| {
        let mut processes = finding.observed().into_iter().flat_map(|it| &it.processes);
        processes.any(|process| process.pid == side.process.pid)
    };
    let others = ranked
        .iter()
        .filter(|side| !findings.iter().any(|it| is_of(it, side)));
    let followed: Vec<Consequence> = others
        .filter_map(|side| {
            let crash = side.crashed.as_ref().filter(|crash| crash.time > time)?;
            Some(Consequence {
                id: None,
                text: format!("{}: {}", side.name(), crash.text),
                location: crash.location.clone(),
            })
        })
        .collect();
    let cause = findings.iter_mut().find(|finding| is_of(finding, first));
    if let Some(cause) = cause.and_then(Finding::observed_mut) {
        cause.consequences.extend(followed);
    }
}
