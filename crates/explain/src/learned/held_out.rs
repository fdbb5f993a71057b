//! How well is answered what was not learned from.

use super::learn::{LearnError, Report, is_right, learn};
use super::table::Table;
use crate::scan::text_with;

/// How many reports were answered how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    /// The reports.
    pub reports: usize,
    /// Those whose first answer is right, or that are rightly told to be about no failure of a graph.
    pub first: usize,
    /// Those in whose first three answers is a right one, or that are rightly told so.
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
        let ids = explanation.candidates.iter();
        let ids = ids.map(|candidate| candidate.entry.id).take(3);
        let ids: Vec<&str> = ids.filter(|_| explanation.is_of_graphs).collect();
        let first = is_right(report, ids.first().copied());
        let is_silent = ids.is_empty();
        let three = is_silent && first || ids.iter().any(|id| is_right(report, Some(id)));
        self.reports += 1;
        self.first += usize::from(first);
        self.three += usize::from(three);
        self.falsely_decided += usize::from(explanation.is_decided() && !first);
        if report.right == ["none"] {
            self.beside.0 += 1;
            self.beside.1 += usize::from(is_silent);
        }
    }
}
