//! What else was found at the line of a finding: one line of a server replays all of its graphs, and each may have a fault of its own.

use cgsan_finding::{Finding, LabelRole, Location, Observed};
use rustc_hash::FxHashSet;

/// Faults told of one line beside the first.
const TOLD: usize = 12;

/// The faults of replays at one line: the first is a finding, of which the others are notes.
#[derive(Debug)]
pub(crate) struct Faults {
    first: Fault,
    others: FxHashSet<Fault>,
    notes: Vec<String>,
}

/// What tells a fault from others at its line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Fault {
    /// What happened there, without its numbers, which may be others at each replay.
    text: String,
    /// The other places that it is about, such as where the capture read a tensor.
    concerned: Vec<Location>,
    /// What called the function with the line.
    caller: Option<Location>,
}

impl Faults {
    /// Those at the line of a finding, which is the first; `None` where it is not about replays.
    pub(crate) fn of(finding: &Finding) -> Option<Faults> {
        let observed = finding.observed().filter(|it| it.of_replays)?;
        Some(Faults {
            first: fault(finding, observed),
            others: FxHashSet::default(),
            notes: Vec::new(),
        })
    }

    /// Takes note of a later finding at the line.
    pub(crate) fn add(&mut self, finding: &Finding, observed: &Observed) {
        let fault = fault(finding, observed);
        if fault == self.first || !self.others.insert(fault.clone()) {
            return;
        }
        let first = &self.first;
        let mut concerned = fault.concerned.iter();
        let caller = fault.caller.as_ref();
        let place = concerned
            .find(|it| !first.concerned.contains(it))
            .or_else(|| caller.filter(|it| Some(*it) != first.caller.as_ref()))
            .map(|it| format!(" ({})", it.short()));
        let text = primary(finding);
        let note = format!("also here: {text}{}", place.unwrap_or_default());
        self.notes.push(note);
    }

    /// The others, as notes.
    pub(crate) fn notes(mut self) -> Vec<String> {
        let more = self.notes.len().saturating_sub(TOLD);
        if more > 0 {
            self.notes.truncate(TOLD);
            self.notes
                .push(format!("also here: {more} more like these"));
        }
        self.notes
    }
}

fn fault(finding: &Finding, observed: &Observed) -> Fault {
    let text = primary(finding);
    let began = observed
        .capture
        .as_ref()
        .and_then(|it| Some((it.file.clone()?, it.line?)));
    let secondary = finding
        .labels
        .iter()
        .filter(|it| it.role == LabelRole::Secondary)
        .map(|it| &it.location);
    let mut callers = observed
        .stack
        .iter()
        .skip_while(|it| Some(*it) != finding.location.as_ref())
        .skip(1);
    Fault {
        text: text.chars().filter(|it| !it.is_ascii_digit()).collect(),
        concerned: secondary
            .filter(|it| Some((it.file_name(), it.line)) != began)
            .cloned()
            .collect(),
        caller: callers.next().cloned(),
    }
}

/// What is said of the line itself.
fn primary(finding: &Finding) -> &str {
    let primary = finding
        .labels
        .iter()
        .find(|it| it.role == LabelRole::Primary);
    primary.map_or(finding.title.as_str(), |it| it.text.as_str())
}
