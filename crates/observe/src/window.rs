//! How much is recorded, and when.
//!
//! Operators, blocks and most calls are recorded in windows. One is open from the start; each capture opens one, and so
//! does a sampled replay. A window closes after so many records. Between windows only what may matter to a graph is
//! recorded, and the rest is counted.

use std::sync::atomic::{AtomicBool, Ordering};

use cgsan_model::{Call, Code, ExecId};
use cgsan_trace::Counted;
use rustc_hash::FxHashMap;

use crate::replays;

/// How many records there are in the first window: some 7,000 launches of operators, a few steps of training.
const AT_START: u64 = 20_000;
/// How many after a capture, at least.
const AFTER_CAPTURE: u64 = 20_000;
/// How many after a sampled replay, at least.
const AFTER_REPLAY: u64 = 4_000;
/// How many after a part of the program begins, at least: eager calls before its captures are compared with them.
const AFTER_PART: u64 = 5_000;
/// After so many records in all, about 100 MB, windows are a fraction of that: a program may capture and replay for days.
const MANY: u64 = 2_000_000;
const FRACTION: u64 = 20;
/// How many records a replay counts as: many replays with little in between need no long window.
const A_REPLAY: u64 = 50;

/// Whether the recorder's window is open, for those who ask without its lock.
static OPEN: AtomicBool = AtomicBool::new(true);
/// Whether the next replay is worth a look.
static DISTURBED: AtomicBool = AtomicBool::new(false);

/// Whether a window was open when the recorder was last used.
#[inline]
pub fn seems_open() -> bool {
    OPEN.load(Ordering::Relaxed)
}

/// The recorder of a forked child begins with an open window.
pub fn reset_after_fork() {
    OPEN.store(true, Ordering::Relaxed);
    DISTURBED.store(false, Ordering::Relaxed);
    replays::take_all_passed(|_, _| {});
}

/// Whether the recorder is to be given every replay.
#[inline]
pub fn wants_replays() -> bool {
    seems_open() || DISTURBED.load(Ordering::Relaxed)
}

/// Whether a window is open, and what was counted since the last one.
#[derive(Debug)]
pub struct Window {
    left: u64,
    /// How many records there were in all.
    spent: u64,
    capturing: u32,
    calls: u64,
    blocks: u64,
    replays: FxHashMap<ExecId, Replays>,
    /// Memory of a graph was freed or given out anew: the next replay is worth a look.
    disturbed: bool,
}

#[derive(Debug, Default)]
struct Replays {
    all: u64,
    counted: u64,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// It is recorded.
    Record,
    /// It is recorded, and opens a window.
    Open,
    /// It is counted.
    Count,
}

impl Default for Window {
    fn default() -> Window {
        Window {
            left: AT_START,
            spent: 0,
            capturing: 0,
            calls: 0,
            blocks: 0,
            replays: FxHashMap::default(),
            disturbed: false,
        }
    }
}

impl Window {
    /// Whether it is open.
    pub fn is_open(&self) -> bool {
        self.left > 0 || self.capturing > 0
    }

    /// Whether the window is open and no capture runs, right before this call, which may open one: what comes before it can be told
    /// apart from what it begins.
    pub fn is_at_boundary(&self, call: &Call) -> bool {
        let opens = call.begins_capture() || matches!(call, Call::GraphLaunch { .. });
        opens && self.left > 0 && self.capturing == 0
    }

    /// Tells those who ask without the recorder's lock.
    pub fn publish(&self) {
        OPEN.store(self.is_open(), Ordering::Relaxed);
        DISTURBED.store(self.disturbed, Ordering::Relaxed);
    }

    /// A record is made. Whether the window closes with it.
    pub fn spend(&mut self) -> bool {
        let was_open = self.is_open();
        self.left = self.left.saturating_sub(1);
        self.spent += 1;
        was_open && !self.is_open()
    }

    /// Opens it for so many records, or for fewer if there were many.
    fn open_for(&mut self, records: u64) {
        let records = if self.spent < MANY {
            records
        } else {
            records / FRACTION
        };
        self.left = self.left.max(records);
    }

    /// A part of the program begins, which is judged by itself: what was recorded before does not count against it. Whether
    /// that opens the window.
    pub fn begin_part(&mut self) -> bool {
        let was_open = self.is_open();
        self.spent = 0;
        self.open_for(AFTER_PART);
        !was_open
    }

    /// What becomes of a call.
    pub fn choose(&mut self, call: &Call, result: Code) -> Choice {
        let open = self.is_open();
        let choice = match call {
            call if call.begins_capture() => {
                if result.is_success() {
                    self.capturing += 1;
                }
                self.open_for(AFTER_CAPTURE);
                Choice::Open
            }
            Call::StreamEndCapture { .. } => {
                if ends_capture(result) {
                    self.capturing = self.capturing.saturating_sub(1);
                }
                self.open_for(AFTER_CAPTURE);
                Choice::Record
            }
            Call::GraphLaunch { exec, .. } => self.launch(*exec),
            Call::GraphExecDestroy { exec } => {
                self.destroyed(*exec);
                Choice::Record
            }
            _ if !matches!(result, Code::SUCCESS | Code::NOT_READY) || is_rare(call) => {
                Choice::Record
            }
            _ => Choice::Count,
        };
        match choice {
            Choice::Count | Choice::Open if open => Choice::Record,
            Choice::Count => {
                if !matches!(call, Call::GraphLaunch { .. }) {
                    self.calls += 1;
                }
                Choice::Count
            }
            choice => choice,
        }
    }

    fn launch(&mut self, exec: ExecId) -> Choice {
        let open = self.is_open();
        let passed = replays::take_passed(exec.0);
        let replays = self.replays.entry(exec).or_default();
        replays.counted += passed;
        replays.all += passed + 1;
        if replays::is_looked_at(replays.all) || self.disturbed {
            self.disturbed = false;
            self.open_for(AFTER_REPLAY);
            Choice::Open
        } else {
            if open {
                // The record itself is what may close the window.
                self.left = self.left.saturating_sub(A_REPLAY - 1).max(1);
            } else {
                replays.counted += 1;
            }
            Choice::Count
        }
    }

    /// Its handle may be given to another executable graph.
    fn destroyed(&mut self, exec: ExecId) {
        let passed = replays::take_passed(exec.0);
        if passed > 0 || self.replays.contains_key(&exec) {
            let replays = self.replays.entry(exec).or_default();
            replays.counted += passed;
            replays.all = 0;
        }
    }

    /// A block was given out or taken back between windows, and is not of a graph.
    pub fn count_block(&mut self) {
        self.blocks += 1;
    }

    /// Memory of a graph was freed or given out anew.
    pub fn disturb(&mut self) {
        self.disturbed = true;
    }

    /// What was counted since this was last asked for, if anything was.
    pub fn take_counted(&mut self) -> Option<Counted> {
        replays::take_all_passed(|exec, passed| {
            let replays = self.replays.entry(ExecId(exec)).or_default();
            replays.counted += passed;
            replays.all += passed;
        });
        let mut replays: Vec<(ExecId, u64)> = self
            .replays
            .iter_mut()
            .filter(|(_, it)| it.counted > 0)
            .map(|(exec, it)| (*exec, std::mem::take(&mut it.counted)))
            .collect();
        replays.sort_unstable();
        let counted = Counted {
            calls: std::mem::take(&mut self.calls),
            blocks: std::mem::take(&mut self.blocks),
            replays,
        };
        (counted != Counted::default()).then_some(counted)
    }
}

/// Whether a capture is over when the call that ends it returns this.
pub fn ends_capture(result: Code) -> bool {
    result.is_success()
        || result == Code::STREAM_CAPTURE_INVALIDATED
        || result == Code::STREAM_CAPTURE_UNJOINED
}

/// Whether a call is rare, and the history has no use without it.
fn is_rare(call: &Call) -> bool {
    matches!(
        call,
        Call::StreamCreate { .. }
            | Call::StreamDestroy { .. }
            | Call::GraphCreate { .. }
            | Call::GraphDestroy { .. }
            | Call::GraphInstantiate { .. }
            | Call::GraphExecUpdate { .. }
    )
}

#[cfg(test)]
mod tests {
    use cgsan_model::{CaptureMode, Device, Stream};
    use cgsan_trace::FIRST_REPLAYS;

    use super::*;

    const STREAM: Stream = Stream::Legacy(Device(0));

    fn launch() -> Call {
        Call::GraphLaunch {
            exec: ExecId(1),
            stream: STREAM,
        }
    }

    fn synchronize() -> Call {
        Call::StreamSynchronize { stream: STREAM }
    }

    fn closed() -> Window {
        let mut window = Window::default();
        while !window.spend() {}
        window
    }

    #[test]
    fn between_windows_calls_are_counted_and_refusals_recorded() {
        let mut window = closed();
        assert_eq!(window.choose(&synchronize(), Code::SUCCESS), Choice::Count);
        assert_eq!(
            window.choose(&synchronize(), Code::STREAM_CAPTURE_UNSUPPORTED),
            Choice::Record
        );
        assert_eq!(window.take_counted().unwrap().calls, 1);
        assert_eq!(window.take_counted(), None);
    }

    #[test]
    fn replays_are_sampled_ever_more_rarely() {
        let mut window = closed();
        let mut sampled = Vec::new();
        for number in 1..=130 {
            if window.choose(&launch(), Code::SUCCESS) == Choice::Open {
                sampled.push(number);
            }
            while window.is_open() {
                window.spend();
            }
        }
        let first = 1..=FIRST_REPLAYS;
        assert_eq!(sampled, first.chain([64, 128]).collect::<Vec<u64>>());
        assert_eq!(window.take_counted().unwrap().replays, [(ExecId(1), 96)]);
    }

    #[test]
    fn a_replay_after_a_change_of_a_graphs_memory_is_looked_at() {
        let mut window = closed();
        for _ in 0..=FIRST_REPLAYS {
            window.choose(&launch(), Code::SUCCESS);
            while window.is_open() {
                window.spend();
            }
        }
        window.disturb();
        assert_eq!(window.choose(&launch(), Code::SUCCESS), Choice::Open);
    }

    #[test]
    fn after_many_records_windows_are_short() {
        let mut window = closed();
        window.spent = MANY;
        window.choose(&launch(), Code::SUCCESS);
        assert_eq!(window.left, AFTER_REPLAY / FRACTION);
    }

    #[test]
    fn replays_alone_close_a_window_soon() {
        let mut window = closed();
        let mut recorded = 0;
        for _ in 0..1_000 {
            if window.choose(&launch(), Code::SUCCESS) != Choice::Count {
                recorded += 1;
                window.spend();
            }
        }
        assert!((100..600).contains(&recorded), "{recorded}");
    }

    #[test]
    fn a_part_begins_with_an_open_window_whatever_was_before() {
        let mut window = closed();
        window.spent = MANY;
        assert!(window.begin_part());
        assert_eq!(window.left, AFTER_PART);
        assert!(!window.begin_part());
    }

    #[test]
    fn a_capture_keeps_the_window_open() {
        let mut window = closed();
        let begin = Call::StreamBeginCapture {
            stream: STREAM,
            mode: CaptureMode::Global,
        };
        assert_eq!(window.choose(&begin, Code::SUCCESS), Choice::Open);
        for _ in 0..2 * AFTER_CAPTURE {
            window.spend();
        }
        assert!(window.is_open());
    }
}
