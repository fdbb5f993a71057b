//! Traces that are to stay short: the oldest entries give way to what was found in them.

use std::collections::BTreeMap;
use std::ops::Range;

use cgsan_model::ThreadId;

use crate::format::{self, HEADER_LENGTH, STANDS_FOR_OFFSET};
use crate::read::{Header, Records};
use crate::{Entry, ParseError, Record};

/// What becomes of an entry that is to give way.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// It goes.
    Goes,
    /// It stays, since something later rests on it.
    Stays,
    /// Something shorter takes its place.
    Becomes(Box<Record>),
}

/// A trace, as a file holds it, in which `record` takes the place of the entries before the index `begins`, but for those that stay.
/// Definitions stay, and of a thread's names the last one. The header says how many bytes of the longer trace it stands for, so
/// that the longer one's writer can go on in it.
///
/// # Errors
///
/// When the bytes are not a trace.
pub fn shorten(
    bytes: &[u8],
    begins: usize,
    fate: &mut dyn FnMut(usize) -> Fate,
    record: Record,
) -> Result<Vec<u8>, ParseError> {
    let header = Header::parse(bytes)?;
    let mut shorter = Shorter {
        longer: bytes,
        bytes: format::header().to_vec(),
        names: BTreeMap::new(),
        instead: Some(record),
    };
    let mut records = Records::new(&bytes[HEADER_LENGTH..], &header);
    let mut index = 0;
    loop {
        let start = records.offset();
        let Some(read) = records.next() else { break };
        let place = start..records.offset();
        match read {
            Ok(entry) if entry.record.is_entry() => {
                if index == begins {
                    shorter.turn(&entry);
                }
                let fate = if index < begins {
                    fate(index)
                } else {
                    Fate::Stays
                };
                shorter.take(&entry, place, fate);
                index += 1;
            }
            Ok(entry) => shorter.define(&entry, place),
            Err(_) => shorter.copy(place),
        }
    }
    let mut bytes = shorter.bytes;
    format::set_committed(&mut bytes);
    let stands_for = (records.offset() - HEADER_LENGTH) as u64;
    bytes[STANDS_FOR_OFFSET..STANDS_FOR_OFFSET + 8].copy_from_slice(&stands_for.to_le_bytes());
    Ok(bytes)
}

/// The shorter trace as it is made.
struct Shorter<'b> {
    longer: &'b [u8],
    bytes: Vec<u8>,
    /// Where in the longer one the last name of each thread stands.
    names: BTreeMap<ThreadId, Range<usize>>,
    /// What takes the place of the entries that give way, until it does.
    instead: Option<Record>,
}

impl Shorter<'_> {
    fn copy(&mut self, place: Range<usize>) {
        self.bytes.extend_from_slice(&self.longer[place]);
    }

    fn define(&mut self, entry: &Entry, place: Range<usize>) {
        match entry.record {
            Record::ThreadName { .. } if self.instead.is_some() => {
                self.names.insert(entry.thread, place);
            }
            // The new one says what it said.
            Record::Summarized { .. } => {}
            _ => self.copy(place),
        }
    }

    /// All that gives way has done so; this is the first entry that does not.
    fn turn(&mut self, next: &Entry) {
        for place in std::mem::take(&mut self.names).into_values() {
            self.copy(place);
        }
        if let Some(record) = self.instead.take() {
            let entry = Entry {
                time_ns: next.time_ns,
                thread: next.thread,
                record,
            };
            format::encode(&entry, &mut self.bytes);
        }
    }

    fn take(&mut self, entry: &Entry, place: Range<usize>, fate: Fate) {
        match fate {
            Fate::Goes => {}
            Fate::Stays => self.copy(place),
            Fate::Becomes(record) => {
                let entry = Entry {
                    record: *record,
                    ..*entry
                };
                format::encode(&entry, &mut self.bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProcessInfo, StringId, Summarized, Trace};

    fn entry(record: Record) -> Entry {
        Entry {
            time_ns: 7,
            thread: ThreadId(1),
            record,
        }
    }

    fn name(id: u32) -> [Entry; 2] {
        let text = format!("thread-{id}");
        let id = StringId(id);
        [Record::String { id, text }, Record::ThreadName { name: id }].map(entry)
    }

    fn children(trace: &Trace) -> Vec<u32> {
        trace.children().collect()
    }

    #[test]
    fn old_entries_give_way_and_what_they_defined_stays() {
        let mut entries = vec![entry(Record::Process(ProcessInfo::default()))];
        for number in 0..6 {
            entries.extend(name(number));
            entries.push(entry(Record::Fork { child: number }));
        }
        let summary = |entries, text: &str| Record::Summarized {
            entries,
            summary: text.to_owned(),
        };
        let long = format::encode_all(&entries);
        let mut fate = |index| match index {
            0 => Fate::Stays,
            1 => Fate::Becomes(Box::new(Record::Fork { child: 10 })),
            _ => Fate::Goes,
        };
        let short = shorten(&long, 4, &mut fate, summary(2, "once")).expect("a trace");
        let stands_for = short[STANDS_FOR_OFFSET..].first_chunk::<8>().copied();
        assert_eq!(
            stands_for.map(u64::from_le_bytes),
            Some((long.len() - HEADER_LENGTH) as u64)
        );
        let trace = Trace::parse(&short).expect("a trace");
        assert_eq!(children(&trace), [0, 10, 4, 5]);
        assert_eq!(trace.part_begins(), 2);
        let at = |index| trace.thread_name_at(ThreadId(1), index);
        assert_eq!((at(0), at(3)), (Some("thread-4"), Some("thread-5")));

        let again = shorten(&short, 3, &mut |_| Fate::Goes, summary(5, "twice"));
        let trace = Trace::parse(&again.expect("a trace")).expect("a trace");
        assert_eq!((children(&trace), trace.part_begins()), (vec![5], 0));
        let expected = Summarized {
            entries: 5,
            summary: "twice".to_owned(),
        };
        assert_eq!(trace.summarized(), Some(&expected));
    }
}
