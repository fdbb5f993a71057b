//! `--strict` where there are no findings: that they are missing says something only where something was judged.

use cgsan_finding::{Note, Report};

use crate::output::error::Error;

/// That a run was not judged, or not all of it; `None` if it was. `lost` are the notes on traces that could not be read, and
/// `why_nothing` is asked where nothing was recorded.
pub fn unjudged(
    report: &Report,
    lost: &[Note],
    why_nothing: impl FnOnce() -> String,
) -> Option<Error> {
    if let Some(lost) = lost.first() {
        let what = format!("not all of the run was judged: {}", lost.text);
        return Some(Error::Unjudged { what });
    }
    let coverage = report
        .coverage
        .as_ref()
        .filter(|_| report.is_of_nothing())?;
    let why = match coverage.processes {
        0 => why_nothing(),
        _ => "no CUDA graph was captured or replayed where it could be seen".to_owned(),
    };
    let gaps = coverage.gaps_in_words();
    let gaps = gaps.map(|gaps| format!("; not watched: {gaps}"));
    let what = format!("nothing was judged: {why}{}", gaps.unwrap_or_default());
    Some(Error::Unjudged { what })
}

#[cfg(test)]
mod tests {
    use cgsan_finding::{Coverage, Gap};

    use super::*;

    fn told(captures: u64, processes: u64, lost: &[Note]) -> Option<String> {
        let report = Report {
            coverage: Some(Coverage {
                captures,
                processes,
                not_watched: vec![Gap::new("operators", Some("the window was used up"))],
                ..Coverage::default()
            }),
            ..Report::default()
        };
        unjudged(&report, lost, || "PyTorch was never imported".to_owned()).map(|it| it.to_string())
    }

    #[test]
    fn without_anything_judged_the_reason_is_told() {
        let told = |captures, processes, lost: &[Note]| told(captures, processes, lost);
        let of = |it: Option<String>| it.unwrap_or_default();
        assert!(of(told(0, 0, &[])).contains("nothing was judged: PyTorch was never imported"));
        let outgrown = of(told(0, 1, &[]));
        assert!(outgrown.contains("no CUDA graph") && outgrown.contains("window was used up"));
        assert_eq!(told(1, 1, &[]), None);
        let lost = [Note::new("the trace of a process is lost: cut off", None)];
        assert!(of(told(1, 1, &lost)).contains("not all of the run was judged: the trace"));
    }
}
