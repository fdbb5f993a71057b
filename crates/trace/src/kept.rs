//! What is found out after the run, and kept with the trace.

use std::collections::BTreeMap;

use cgsan_model::ThreadId;

use crate::{Entry, Record, StringId};

/// What is found out after the run, where it can be, and kept for those who read the trace elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The names of native functions, by file and address.
    pub native_names: BTreeMap<(StringId, u64), String>,
    /// The shortest part of the trace in which the model contradicts the driver, as places among
    /// [`Trace::entries`](crate::Trace::entries); empty if nowhere.
    pub contradiction: Vec<usize>,
    /// What trials saw, as [`Record::Tried`] has it.
    pub trials: Vec<Vec<Vec<(u64, u64)>>>,
}

impl Kept {
    /// The records that keep it in a file.
    pub fn entries(&self) -> Vec<Entry> {
        let names = self.native_names.iter();
        let names = names.map(|(&(module, address), name)| Record::NativeName {
            module,
            address,
            name: name.clone(),
        });
        let calls: Vec<u64> = self.contradiction.iter().map(|it| *it as u64).collect();
        let contradiction = (!calls.is_empty()).then_some(Record::Contradiction { calls });
        let trials = self.trials.iter().cloned();
        names
            .chain(contradiction)
            .chain(trials.map(|looks| Record::Tried { looks }))
            .map(|record| Entry {
                time_ns: 0,
                thread: ThreadId(0),
                record,
            })
            .collect()
    }

    /// Takes a record over; false if it is of another kind.
    pub(crate) fn take(&mut self, record: &Record) -> bool {
        match record {
            Record::NativeName {
                module,
                address,
                name,
            } => {
                self.native_names.insert((*module, *address), name.clone());
            }
            Record::Contradiction { calls } => {
                let places = calls
                    .iter()
                    .map(|it| usize::try_from(*it).unwrap_or(usize::MAX));
                self.contradiction = places.collect();
            }
            Record::Tried { looks } => self.trials.push(looks.clone()),
            _ => return false,
        }
        true
    }
}
