//! What an operator has enqueued: by this, who computes its values knows what they stand in for.

use std::cell::{Cell, RefCell};

use cgsan_model::{CaptureId, NodeKind, Stream};

/// Work that an operator has enqueued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of it.
    pub works: usize,
    /// Kernels among it, which do not compute by themselves.
    pub kernels: usize,
    /// Launches of the program's own kernels that were noted as not computed.
    pub launches: usize,
    /// The nodes that it became, the kernels' and others.
    pub nodes: usize,
    /// The capture that they were added to last.
    pub capture: Option<CaptureId>,
    /// Whether the host waited for work, as an operator does whose results have sizes that values decide.
    pub waited: bool,
    /// Whether any of those has enqueued kernels.
    callers_have_kernels: bool,
    /// The streams that were given it, or that wait for it, as many as are kept.
    streams: [Option<Stream>; STREAMS],
}

/// An operator uses one stream, and one of each of two devices where it copies between them: the kernel of such a copy runs on one
/// of them, and the other waits for it.
const STREAMS: usize = 4;

impl Tally {
    /// The streams that it used.
    pub fn streams(&self) -> Vec<Stream> {
        self.streams.into_iter().flatten().collect()
    }

    /// Whether kernels were enqueued, here or by those that called it, that are not computed yet.
    fn has_kernels(&self) -> bool {
        self.kernels > 0 || self.callers_have_kernels
    }

    fn note_stream(&mut self, stream: Stream) {
        if self.streams.contains(&Some(stream)) {
            return;
        }
        if let Some(free) = self.streams.iter_mut().find(|it| it.is_none()) {
            *free = Some(stream);
        }
    }
}

thread_local! {
    /// What the operator that the thread is in has enqueued so far, where values are computed.
    static RUNNING: Cell<Option<Tally>> = const { Cell::new(None) };
    /// The memory that it was given.
    static ALLOCATED: RefCell<Vec<Allocated>> = const { RefCell::new(Vec::new()) };
}

/// Memory that an operator was given.
#[derive(Clone, Copy)]
struct Allocated {
    start: u64,
    bytes: u64,
    is_cleared: bool,
}

/// An operator begins. Returns what the operator that called it has enqueued so far, to be handed to [`end`].
pub fn begin() -> Option<Tally> {
    let caller = RUNNING.get();
    RUNNING.set(Some(Tally {
        callers_have_kernels: caller.is_some_and(|it| it.has_kernels()),
        ..Tally::default()
    }));
    if caller.is_none() {
        ALLOCATED.with_borrow_mut(Vec::clear);
    }
    caller
}

/// Whether the thread is in an operator whose values are computed.
pub fn is_running() -> bool {
    RUNNING.get().is_some()
}

/// The operator has ended, and its caller goes on; what it has enqueued.
pub fn end(caller: Option<Tally>) -> Tally {
    RUNNING.replace(caller).unwrap_or_default()
}

/// What another has enqueued counts as enqueued by the operator that the thread is in.
pub fn add_all(other: &Tally) {
    change(|tally| {
        tally.works += other.works;
        tally.kernels += other.kernels;
        tally.launches += other.launches;
        tally.nodes += other.nodes;
        tally.capture = other.capture.or(tally.capture);
        tally.waited |= other.waited;
        other
            .streams()
            .into_iter()
            .for_each(|it| tally.note_stream(it));
    });
}

/// Work was enqueued, and became a node of a capture if there is one.
#[inline]
pub fn add(stream: Stream, node: &NodeKind, capture: Option<CaptureId>) {
    change(|tally| {
        tally.works += 1;
        tally.kernels += usize::from(matches!(node, NodeKind::Kernel { .. }));
        tally.note_stream(stream);
        if capture.is_some() {
            tally.nodes += 1;
            tally.capture = capture;
        }
    });
}

/// A stream waits for an event: what comes behind it there may need what the operator has enqueued on another stream.
pub fn note_waiting(stream: Stream) {
    change(|tally| tally.note_stream(stream));
}

/// A kernel of the program's is being launched.
#[inline]
pub fn add_launch() {
    change(|tally| tally.launches += 1);
}

/// The host waits for work.
pub fn note_wait() {
    change(|tally| tally.waited = true);
}

/// Memory was given out, and reads as zeros or as what its last owner left.
pub fn note_allocated(start: u64, bytes: u64, is_cleared: bool) {
    let memory = Allocated {
        start,
        bytes,
        is_cleared,
    };
    change(|_| ALLOCATED.with_borrow_mut(|all| all.push(memory)));
}

/// The memory at an address that the operator was given, as start and bytes: what its kernels wrote there is not computed yet.
pub fn allocated_at(address: u64) -> Option<(u64, u64)> {
    let memory = newest_at(address)?;
    Some((memory.start, memory.bytes))
}

/// The same, if it holds what its last owner left.
pub fn uncleared_at(address: u64) -> Option<(u64, u64)> {
    let memory = newest_at(address).filter(|memory| !memory.is_cleared)?;
    Some((memory.start, memory.bytes))
}

fn newest_at(address: u64) -> Option<Allocated> {
    RUNNING.get().filter(Tally::has_kernels)?;
    ALLOCATED.with_borrow(|all| {
        let mut newest_first = all.iter().rev();
        let holds =
            |memory: &&Allocated| (memory.start..memory.start + memory.bytes).contains(&address);
        newest_first.find(holds).copied()
    })
}

/// What lies at an address was computed.
pub fn note_computed(address: u64) {
    ALLOCATED.with_borrow_mut(|all| {
        all.retain(|memory| !(memory.start..memory.start + memory.bytes).contains(&address));
    });
}

#[inline]
fn change(how: impl FnOnce(&mut Tally)) {
    if let Some(mut tally) = RUNNING.get() {
        how(&mut tally);
        RUNNING.set(Some(tally));
    }
}

#[cfg(test)]
mod tests {
    use cgsan_model::Device;

    use super::*;

    const STREAM: Stream = Stream::Legacy(Device(0));

    #[test]
    fn an_operators_work_is_counted_until_it_ends() {
        add(STREAM, &NodeKind::Empty, Some(CaptureId(3)));
        begin();
        add_launch();
        add(STREAM, &NodeKind::Empty, Some(CaptureId(3)));
        add(STREAM, &NodeKind::Empty, Some(CaptureId(3)));
        let done = end(None);
        assert_eq!(
            (done.nodes, done.launches, done.capture),
            (2, 1, Some(CaptureId(3)))
        );
        assert_eq!(done.streams(), [STREAM]);
        assert_eq!(end(None), Tally::default());
    }

    #[test]
    fn memory_of_an_operator_with_kernels_is_known() {
        note_allocated(100, 10, false);
        begin();
        note_allocated(200, 10, false);
        note_allocated(300, 10, true);
        assert_eq!(allocated_at(200), None);
        change(|tally| tally.kernels = 1);
        assert_eq!(allocated_at(209), Some((200, 10)));
        assert_eq!(uncleared_at(209), Some((200, 10)));
        assert_eq!(allocated_at(300), Some((300, 10)));
        assert_eq!(uncleared_at(300), None);
        assert_eq!((allocated_at(100), allocated_at(210)), (None, None));
    }

    #[test]
    fn what_an_operator_calls_is_counted_by_itself() {
        let none = begin();
        change(|tally| tally.kernels = 1);
        add_launch();
        let caller = begin();
        note_allocated(100, 10, false);
        // Kernels of the caller may have written it.
        assert_eq!(allocated_at(105), Some((100, 10)));
        add_launch();
        let inner = end(caller);
        assert_eq!((inner.launches, inner.kernels), (1, 0));
        note_computed(109);
        assert_eq!(allocated_at(105), None);
        add_all(&inner);
        assert_eq!(end(none).launches, 2);
        assert!(!is_running());
    }
}
