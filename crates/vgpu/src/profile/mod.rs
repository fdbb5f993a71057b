//! What a profiler is told: CUPTI's records of the program's calls and of the work that they enqueue.
//!
//! While no profiler asks, all this costs one atomic load for each call. Work is done by the time that its call returns, so
//! its times are those of the call and say nothing of a GPU; the names, the order, the streams and the graphs are real.

mod activity;
mod buffers;
mod correlation;
mod functions;
mod names;
mod record;

use std::sync::atomic::{AtomicU32, Ordering};

use cgsan_model::{Code, NodeKind, Stream};

use crate::api::Function;
use crate::gpu::lock;
pub use activity::{Kind, RegisteredClock, disable, enable, is_on, now, register_clock};
pub use buffers::{Complete, Request, dropped, flush, register};
pub use correlation::{pop, push};
pub use record::next as next_record;

use record::{Execution, Place};

/// A call that a profiler is told of when it is over.
#[derive(Debug)]
pub struct Call {
    function: Option<u32>,
    is_runtime: bool,
    began: u64,
    correlation: u32,
}

/// The number of the next call.
static NEXT: AtomicU32 = AtomicU32::new(1);

/// A call begins; `None` if no profiler wants to know.
#[inline]
pub fn call(function: &Function) -> Option<Call> {
    is_on().then(|| Call {
        function: functions::number_of(function),
        is_runtime: function.runtime.is_some(),
        began: now(),
        correlation: NEXT.fetch_add(1, Ordering::Relaxed),
    })
}

impl Call {
    /// The call has made this work a node, or has enqueued and done it.
    pub fn enqueued(self, stream: Stream, node: &NodeKind, is_captured: bool) {
        if is_captured {
            return self.over(Code::SUCCESS);
        }
        let place = self.place(stream);
        self.told(&[Execution { node, at: None }], place, Code::SUCCESS);
    }

    /// The call has launched an executable graph, which runs these nodes: those of graphs inside the graph are among them.
    pub fn launched(self, stream: Stream, executable: u64, nodes: &[NodeKind]) {
        let place = self.place(stream);
        let executions: Vec<Execution<'_>> = (0..)
            .zip(nodes)
            .map(|(number, node)| Execution {
                node,
                at: Some((executable, number)),
            })
            .collect();
        self.told(&executions, place, Code::SUCCESS);
    }

    /// The call is over, and enqueued nothing.
    pub fn over(self, code: Code) {
        let place = Place::default();
        self.told(&[], place, code);
    }

    fn place(&self, stream: Stream) -> Place {
        let gpu = lock();
        Place {
            device: gpu.device_of(stream).0,
            stream: gpu.stream_number(stream),
            correlation: self.correlation,
        }
    }

    fn told(self, work: &[Execution<'_>], place: Place, code: Code) {
        if activity::is_wanted(Kind::ExternalCorrelation) {
            for (kind, id) in correlation::innermost() {
                buffers::append(&record::external(kind, id, self.correlation));
            }
        }
        for (execution, times) in work.iter().zip(shares(self.began, now(), work.len())) {
            if let Some(bytes) = record::of(execution, place, times) {
                buffers::append(&bytes);
            }
        }
        let kind = if self.is_runtime {
            Kind::Runtime
        } else {
            Kind::Driver
        };
        if let Some(function) = self.function
            && activity::is_wanted(kind)
        {
            let times = (self.began, now());
            buffers::append(&record::call(kind, function, times, self.correlation, code));
        }
    }
}

/// The time of a call, shared among its work: PyTorch's table wants a sum of times that is not zero.
fn shares(began: u64, ended: u64, count: usize) -> impl Iterator<Item = (u64, u64)> {
    let count = u64::try_from(count.max(1)).unwrap_or(u64::MAX);
    let share = (ended.saturating_sub(began) / count).max(1);
    (0..count).map(move |number| {
        let start = began.saturating_add(number.saturating_mul(share));
        (start, start.saturating_add(share))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_shares_the_time_of_its_call() {
        let of = |began, ended, count| shares(began, ended, count).collect::<Vec<_>>();
        assert_eq!(of(10, 40, 3), [(10, 20), (20, 30), (30, 40)]);
        assert_eq!(of(10, 10, 2), [(10, 11), (11, 12)]);
    }
}
