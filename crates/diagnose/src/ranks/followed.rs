//! Errors of other ranks that followed from a failed capture of one: it is gone, or does not take part any more.

use cgsan_finding::{Consequence, Finding, Process};
use rustc_hash::FxHashSet;

use super::clocks::Clocks;
use super::side::{Crash, Side};

/// Adds to the finding of a rank whose capture failed first the exceptions that ended other ranks later, and of which no finding
/// speaks.
pub(super) fn follow(findings: &mut [Finding], sides: &[Side], clocks: &Clocks) {
    let failed = sides
        .iter()
        .filter_map(|side| Some((side.failed.as_ref()?, side)));
    let Some((time, first)) = failed.min_by_key(|(time, _)| clocks.time_of_day(time)) else {
        return;
    };
    let is_of = |finding: &Finding, side: &Side| {
        let mut processes = finding.observed().into_iter().flat_map(|it| &it.processes);
        processes.any(|process| process.is(&side.process))
    };
    let spoken_of: FxHashSet<_> = findings
        .iter()
        .filter_map(Finding::observed)
        .flat_map(|it| &it.processes)
        .map(Process::identity)
        .collect();
    let others = sides
        .iter()
        .filter(|side| !spoken_of.contains(&side.process.identity()));
    let mut followed: Vec<(&Crash, Vec<Process>)> = Vec::new();
    for side in others {
        let Some(crash) = &side.crashed else { continue };
        if !clocks.is_after(&crash.time, time) {
            continue;
        }
        match followed.iter_mut().find(|(known, _)| known.is_like(crash)) {
            Some((_, whose)) => whose.push(side.process.clone()),
            None => followed.push((crash, vec![side.process.clone()])),
        }
    }
    let consequences = followed.into_iter().map(|(crash, mut whose)| {
        Process::sort(&mut whose);
        Consequence {
            id: None,
            text: format!("{}: {}", Process::names(&whose), crash.text),
            location: crash.location.clone(),
        }
    });
    let cause = findings.iter_mut().find(|finding| is_of(finding, first));
    if let Some(cause) = cause.and_then(Finding::observed_mut) {
        cause.consequences.extend(consequences);
    }
}
