//! The operators that the calling thread is in, and what each has enqueued by itself.

use std::cell::RefCell;

use super::agent::Operator;
use super::describe::Values;
use crate::ffi::python::Object;
use crate::gpu::kernel;
use crate::gpu::tally::{self, Tally};

/// In the place of an operator's address: a launch that is no operator's.
pub const LAUNCH: usize = 0;

/// An operator, or a launch that somebody else computes.
#[derive(Default)]
pub struct Frame {
    address: usize,
    /// Which it is; `None` for a launch.
    pub operator: Option<&'static Operator>,
    /// What it was given.
    pub given: Values,
    /// What it draws random numbers from.
    pub source: Option<Object>,
    /// What its caller had enqueued before.
    caller: Option<Tally>,
    /// Whether an operator that it called was left to it.
    pub is_asked_next: bool,
    /// The nodes that operators became which it called.
    nodes: usize,
    /// Whether an operator that it called has enqueued work.
    pub calls_work: bool,
}

impl Frame {
    /// An operator begins.
    pub fn new(
        address: usize,
        operator: &'static Operator,
        given: Values,
        source: Option<Object>,
    ) -> Frame {
        Frame {
            address,
            operator: Some(operator),
            given,
            source,
            ..Frame::default()
        }
    }

    /// A launch begins.
    pub fn of_launch() -> Frame {
        Frame {
            address: LAUNCH,
            ..Frame::default()
        }
    }
}

thread_local! {
    static FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// Goes into it.
pub fn push(mut frame: Frame) {
    let _ = FRAMES.try_with(|frames| {
        let Ok(mut frames) = frames.try_borrow_mut() else {
            return;
        };
        frame.caller = tally::begin();
        frames.push(frame);
    });
}

/// Comes out of the newest of this address. What began in it and was never seen to end is a part of it.
pub fn pop(address: usize) -> Option<Frame> {
    FRAMES
        .try_with(|frames| {
            let mut frames = frames.try_borrow_mut().ok()?;
            let at = frames.iter().rposition(|frame| frame.address == address)?;
            while frames.len() > at + 1 {
                let unended = frames.pop()?;
                kernel::note_not_computed(tally::end(unended.caller).launches);
            }
            frames.pop()
        })
        .ok()
        .flatten()
}

/// What it has enqueued, with the nodes of all that it called, which are its caller's from now on.
pub fn leave(frame: &Frame) -> Tally {
    let mut done = tally::end(frame.caller);
    done.nodes += frame.nodes;
    let _ = FRAMES.try_with(|frames| {
        if let Ok(mut frames) = frames.try_borrow_mut()
            && let Some(caller) = frames.last_mut()
        {
            caller.nodes += done.nodes;
            caller.calls_work |= done.works > 0 || frame.calls_work;
        }
    });
    done
}

/// Whether nobody is left who could compute.
pub fn is_outermost() -> bool {
    FRAMES
        .try_with(|frames| {
            let frames = frames.try_borrow().ok()?;
            Some(frames.iter().all(|frame| frame.operator.is_none()))
        })
        .ok()
        .flatten()
        .unwrap_or(true)
}

/// What was not computed counts as enqueued by the caller, if there is one, which is computed as a whole. Its nodes were counted already.
pub fn leave_to_caller(mut done: Tally) {
    if !tally::is_running() {
        return kernel::note_not_computed(done.launches);
    }
    done.nodes = 0;
    tally::add_all(&done);
    let _ = FRAMES.try_with(|frames| {
        if let Ok(mut frames) = frames.try_borrow_mut()
            && let Some(caller) = frames.last_mut()
        {
            caller.is_asked_next = true;
        }
    });
}
