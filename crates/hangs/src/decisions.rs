//! Programs that go on, in a loop that decides by what nothing computes.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use cgsan_trace::waits::Wait;

use crate::sample::Sample;

/// The processes that read a truth value again and again which no kernel computes.
#[derive(Debug)]
pub struct Decisions {
    limit: Duration,
    known: HashMap<u32, Deciding>,
}

#[derive(Debug)]
struct Deciding {
    /// The last read that was seen, and when it was new.
    last: Wait,
    changed: Instant,
    since: Instant,
}

impl Decisions {
    /// None is known. So long may one read on.
    pub fn new(limit: Duration) -> Decisions {
        Decisions {
            limit,
            known: HashMap::new(),
        }
    }

    /// The processes, each with its thread, that have read on for as long as may be and do so still; `None` if there are none.
    pub fn without_end(&mut self, sample: &Sample) -> Option<Vec<(u32, u32)>> {
        let mut found = Vec::new();
        for process in &sample.processes {
            let Some(read) = &process.decides else {
                continue;
            };
            let new = || Deciding {
                last: read.clone(),
                changed: sample.at,
                since: sample.at,
            };
            let known = self.known.entry(process.pid).or_insert_with(new);
            if known.last == *read {
                continue;
            }
            // It has done something else in between.
            if sample.at - known.changed >= self.limit {
                known.since = sample.at;
            }
            known.last = read.clone();
            known.changed = sample.at;
            if sample.at - known.since >= self.limit {
                found.push((process.pid, read.thread));
            }
        }
        (!found.is_empty()).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::ProcessSample;

    const LIMIT: Duration = Duration::from_secs(10);

    fn sample(start: Instant, seconds: u64, call: u32) -> Sample {
        Sample {
            at: start + Duration::from_secs(seconds),
            processes: vec![ProcessSample {
                pid: 7,
                decides: Some(Wait {
                    thread: 8,
                    call,
                    name: String::new(),
                }),
                ..ProcessSample::default()
            }],
        }
    }

    #[test]
    fn who_reads_on_is_found_and_who_stopped_reading_is_not() {
        let start = Instant::now();
        let mut decisions = Decisions::new(LIMIT);
        assert_eq!(decisions.without_end(&sample(start, 0, 1)), None);
        assert_eq!(decisions.without_end(&sample(start, 6, 2)), None);
        let found = decisions.without_end(&sample(start, 12, 3));
        assert_eq!(found, Some(vec![(7, 8)]));
        assert_eq!(decisions.without_end(&sample(start, 13, 3)), None);
        assert_eq!(decisions.without_end(&sample(start, 40, 4)), None);
    }
}
