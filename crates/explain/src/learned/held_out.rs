//! How well is answered what was not learned from.

use super::learn::{LearnError, Report, is_right, learn};
use super::table::Table;
use crate::scan::text_with;

/// How many reports were answered how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    /// The reports.
    pub reports: usize,
    /// Those whose first answer is right. That no graph failed is an answer, too.
    pub first: usize,
    /// Those with a right one among their first three answers.
    pub three: usize,
    /// Those of which `none` alone is right, and those of them that are told so.
    pub beside: (usize, usize),
    /// Those that are decided, wrongly.
    pub falsely_decided: usize,
}

/// Learns `folds` times from all reports but each `folds`-th, and asks about those.
///
/// # Errors
///
/// As those of [`learn`].
pub fn held_out(reports: &[Report], folds: usize) -> Result<Held, LearnError> {
    let mut held = Held::default();
    for fold in 0..folds {
        let numbered = || reports.iter().enumerate();
        let others = numbered().filter(|(number, _)| number % folds != fold);
        let others: Vec<Report> = others.map(|(_, report)| report.clone()).collect();
        let table = learn(&others)?;
        let table = Table::read(&table);
        for (_, report) in numbered().filter(|(number, _)| number % folds == fold) {
            held.ask(report, &table);
        }
    }
    Ok(held)
}

impl Held {
    fn ask(&mut self, report: &Report, table: &Table<'_>) {
        let Ok(explanation) = text_with(&report.text, table) else {
            return;
        };
        let candidates = explanation.candidates.iter();
        let mut answers: Vec<Option<&str>> = candidates
            .map(|candidate| Some(candidate.entry.id))
            .collect();
        let is_denied = answers.is_empty() || !explanation.is_of_graphs;
        let beside = if is_denied {
            Some(0)
        } else {
            explanation.beside
        };
        if let Some(place) = beside {
            answers.insert(place.min(answers.len()), None);
        }
        let first = is_right(report, answers[0]);
        let mut three = answers.iter().take(3);
        self.reports += 1;
        self.first += usize::from(first);
        self.three += usize::from(three.any(|answer| is_right(report, *answer)));
        self.falsely_decided += usize::from(explanation.is_decided() && !first);
        if report.right == ["none"] {
            self.beside.0 += 1;
            self.beside.1 += usize::from(answers[0].is_none());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str, right: &str) -> Held {
        let report = Report {
            text: text.to_owned(),
            right: vec![right.to_owned()],
        };
        let mut held = Held::default();
        held.ask(&report, &Table::read("\t0\tnone:0\n"));
        held
    }

    #[test]
    fn answers_are_counted_with_that_no_graph_failed() {
        let decided = "RuntimeError: CUDA error: capturing stream has unjoined work";
        let right = asked(decided, "CG106");
        assert_eq!((right.reports, right.first, right.three), (1, 1, 1));
        let wrong = asked(decided, "CG203");
        assert_eq!((wrong.first, wrong.falsely_decided), (0, 1));
        let silent = asked("the tokenizer crashes", "none");
        assert_eq!((silent.first, silent.beside), (1, (1, 1)));
    }
}
