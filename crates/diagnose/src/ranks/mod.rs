//! The ranks of a run side by side: where they part, and whose capture failed while others went on.
//!
//! | file | what it is |
//! |---|---|
//! | `side` | what one rank did: its collectives in order, a replay standing for those of its graph; its captures |
//! | `part` | the first collective at which two ranks differ |
//! | `disagree` | CG403 |
//! | `swallowed` | CG404 |
//! | `followed` | errors of other ranks that followed from a failed capture of one |
//!
//! This is a step over all traces of a run, where everything else here looks at one.

mod disagree;
mod followed;
mod part;
mod side;
mod swallowed;

pub(crate) use followed::follow;
pub(crate) use side::{Side, side};

use cgsan_finding::{Basis, Finding, Label, LabelRole, Location, Observed};

use side::Called;

/// Whether a failure mode is one that is found by comparing ranks.
pub(crate) fn detects(id: &str) -> bool {
    matches!(id, disagree::ID | swallowed::ID)
}

/// What the ranks of a run show side by side. A failed capture explains more than that ranks part later.
pub(crate) fn findings(sides: &[Side]) -> Vec<Finding> {
    let ranked: Vec<&Side> = sides
        .iter()
        .filter(|side| side.process.rank.is_some())
        .collect();
    let parting = part::first(&ranked);
    let swallowed = swallowed::find(&ranked, parting.as_ref());
    let disagree = || Some(disagree::told(parting.as_ref()?));
    swallowed.or_else(disagree).into_iter().collect()
}

/// A finding of several ranks, which points to a place in one of them.
fn finding(id: &'static str, at: Place, others: Vec<Place>, ranks: &[&Side]) -> Finding {
    let location = at.location.clone();
    let places = [(at, LabelRole::Primary)];
    let others = others.into_iter().map(|it| (it, LabelRole::Secondary));
    let labels = places.into_iter().chain(others);
    Finding {
        id,
        title: String::new(),
        confidence: cgsan_finding::Confidence::Likely,
        location,
        labels: merged(labels),
        notes: Vec::new(),
        help: Vec::new(),
        basis: Basis::Run(Box::new(Observed {
            of_replays: true,
            count: 1,
            processes: ranks.iter().map(|side| side.process.clone()).collect(),
            ..Observed::default()
        })),
    }
}

/// A place of one rank, with what is said of it.
struct Place {
    location: Option<Location>,
    text: String,
}

impl Place {
    fn of(location: Option<Location>, text: String) -> Place {
        Place { location, text }
    }
}

/// Labels, those of one line as one.
fn merged(places: impl Iterator<Item = (Place, LabelRole)>) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::new();
    for (place, role) in places {
        let Some(location) = place.location else {
            continue;
        };
        match labels.iter_mut().find(|label| label.location == location) {
            Some(label) => label.text = format!("{}; {}", label.text, place.text),
            None => labels.push(Label {
                location,
                text: place.text,
                role,
            }),
        }
    }
    labels
}

/// What a sentence calls a collective of a rank.
fn described(side: &Side, called: &Called) -> String {
    let replay = if called.is_replayed {
        ", by a replay"
    } else {
        ""
    };
    format!("{} calls {}{replay}", side.name(), called.what())
}
