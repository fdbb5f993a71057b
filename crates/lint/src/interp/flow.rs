//! What holds from one statement to the next.

use std::rc::Rc;

use super::object::Saved;
use super::value::{CaptureId, CellId, Device, LoopId};
use super::{CaptureKind, Interp};
use crate::site::Site;

/// What holds from one statement to the next, apart from values.
#[derive(Clone, Debug)]
pub(crate) struct Flow<'p> {
    /// The captures of the thread that is followed, outermost first.
    pub(crate) captures: Vec<CaptureId>,
    /// The capture of the other thread, while a thread is followed.
    pub(crate) foreign: Option<CaptureId>,
    /// The current stream, if known.
    pub(crate) stream: Option<CellId>,
    /// Whether gradients are recorded.
    pub(crate) grad: bool,
    /// The autocasts around: where, whether the cache is on, and whether it keeps a cast weight.
    pub(crate) autocast: Vec<(Site, bool, bool)>,
    /// What is done with the tensors that autograd saves, innermost last.
    pub(crate) saved_tensors: Vec<Saved<'p>>,
    /// The loops around.
    pub(crate) loops: Rc<[LoopId]>,
    /// The device of tensors that name none.
    pub(crate) default_device: Device,
}

impl Flow<'_> {
    /// That of a thread with this current stream, where nothing runs yet.
    pub(super) fn new(stream: Option<CellId>, default_device: Device) -> Self {
        Self {
            captures: Vec::new(),
            foreign: None,
            stream,
            grad: true,
            autocast: Vec::new(),
            saved_tensors: Vec::new(),
            loops: Rc::from([]),
            default_device,
        }
    }
}

impl Interp<'_> {
    /// The capture that runs on the thread that is followed.
    pub(crate) fn capture(&self) -> Option<CaptureId> {
        self.flow.captures.last().copied()
    }

    /// The capture that runs on the thread that is followed, if it is one of a graph and not of a compiler.
    pub(crate) fn graph_capture(&self) -> Option<CaptureId> {
        self.capture()
            .filter(|id| self.captures[id.0].kind != CaptureKind::Compiler)
    }

    /// Whether a compiler sees what is followed.
    pub(crate) fn is_compiling(&self) -> bool {
        self.capture()
            .is_some_and(|id| self.captures[id.0].kind == CaptureKind::Compiler)
    }
}
