//! Programs that failed before there was much to judge.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use cgsan_finding::{Note, Report};

/// The signal that Ctrl-C sends (`signal(7)`).
const SIGINT: i32 = 2;

/// That a program failed before it replayed a graph, for a reason that no finding tells: what it did not come to was not
/// judged. Who interrupts a program knows that it did not come to its end.
pub(crate) fn note(ended: ExitStatus, report: &Report) -> Option<Note> {
    let coverage = report.coverage.as_ref()?;
    let is_explained = !report.findings.is_empty() || coverage.processes == 0;
    let is_wanted = ended.success() || ended.signal() == Some(SIGINT);
    if is_wanted || is_explained || coverage.replays > 0 {
        return None;
    }
    let before = match coverage.captures {
        0 => "before it began a capture",
        _ => "before it replayed a graph",
    };
    Some(Note::new(
        format!(
            "the program failed ({ended}) {before}, and no finding says why; what it did not reach was not checked"
        ),
        None,
    ))
}

#[cfg(test)]
mod tests {
    use cgsan_finding::Coverage;

    use super::*;

    /// As `wait` gives the exit status 1.
    const FAILED: i32 = 1 << 8;

    fn said(status: i32, captures: u64, replays: u64) -> Option<String> {
        let report = Report {
            coverage: Some(Coverage {
                captures,
                replays,
                processes: 1,
                ..Coverage::default()
            }),
            ..Report::default()
        };
        note(ExitStatus::from_raw(status), &report).map(|note| note.text)
    }

    #[test]
    fn a_failure_before_a_capture_is_told() {
        let text = said(FAILED, 0, 0).expect("a note");
        assert!(
            text.contains("failed (exit status: 1) before it began a capture"),
            "{text}"
        );
        let text = said(FAILED, 2, 0).expect("a note");
        assert!(text.contains("before it replayed a graph"), "{text}");
    }

    #[test]
    fn a_program_that_ended_well_or_replayed_needs_no_word() {
        assert_eq!(said(0, 0, 0), None);
        assert_eq!(said(FAILED, 1, 1), None);
        assert_eq!(said(SIGINT, 0, 0), None);
    }
}
