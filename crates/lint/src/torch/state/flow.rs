//! What holds from one statement to the next, and the captures that run there.

use super::capture::{CaptureId, CaptureKind};
use super::tensor::Device;
use crate::interp::value::CellId;
use crate::site::Site;
use crate::torch::Interp;

/// What holds from one statement to the next, apart from values.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// The captures of the thread that is followed, outermost first.
    pub(crate) captures: Vec<CaptureId>,
    /// The capture of the other thread, while a thread is followed.
    pub(crate) foreign: Option<CaptureId>,
    /// The current stream, if known.
    pub(crate) stream: Option<CellId>,
    /// Whether gradients are recorded.
    pub(crate) grad: bool,
    /// Whether inference mode is on, where known.
    pub(crate) inference: Option<bool>,
    /// The autocasts around: where, whether the cache is on, and whether it keeps a cast weight.
    pub(crate) autocast: Vec<(Site, bool, bool)>,
    /// The device of tensors that name none.
    pub(crate) default_device: Device,
}

impl Flow {
    /// That of a thread with this current stream, where nothing runs yet.
    pub(super) fn new(stream: Option<CellId>, default_device: Device) -> Self {
        Self {
            captures: Vec::new(),
            foreign: None,
            stream,
            grad: true,
            inference: Some(false),
            autocast: Vec::new(),
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
            .filter(|id| self.library.captures[id.0].kind != CaptureKind::Compiler)
    }

    /// Whether a compiler sees what is followed.
    pub(crate) fn is_compiling(&self) -> bool {
        self.capture()
            .is_some_and(|id| self.library.captures[id.0].kind == CaptureKind::Compiler)
    }

    /// Whether what is followed is inside a capture, and there behind an unknown condition.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.capture()
            .or(self.flow.foreign)
            .is_some_and(|id| self.doubt() > self.library.captures[id.0].doubt)
    }

    /// The captures that began in the function that is followed, or in what it called.
    pub(crate) fn frame_graphs(&self) -> Vec<CaptureId> {
        self.frames()
            .last()
            .map(|frame| frame.library.graphs.clone())
            .unwrap_or_default()
    }

    /// Notes that a capture began in the functions that are followed.
    pub(super) fn note_graph(&mut self, capture: CaptureId) {
        if let Some(frame) = self.frame_mut() {
            frame.library.graphs.push(capture);
        }
    }

    /// Captures that a manager began are those of the function that it returns to.
    pub(crate) fn adopt_captures(&mut self) {
        let depth = self.depth();
        for id in self.flow.captures.clone() {
            let capture = &mut self.library.captures[id.0];
            capture.depth = capture.depth.min(depth);
        }
    }

    /// A capture that began where something was in doubt goes on in what is in so much doubt.
    pub(crate) fn captures_in_doubt(&mut self, doubt: u32) {
        for id in &self.flow.captures {
            let capture = &mut self.library.captures[id.0];
            capture.doubt = capture.doubt.min(doubt);
        }
    }

    /// The calls that lead from the beginning of the capture to here, and the beginning itself.
    pub(crate) fn chain(&self) -> Vec<(Site, String)> {
        let Some(id) = self.capture().or(self.flow.foreign) else {
            return Vec::new();
        };
        let capture = &self.library.captures[id.0];
        let mut chain: Vec<_> = self
            .frames()
            .iter()
            .skip(capture.depth)
            .filter_map(|frame| Some((frame.call?, format!("`{}` is called here", frame.name))))
            .filter(|(site, _)| *site != capture.site)
            .collect();
        chain.reverse();
        chain.push((capture.site, capture.kind.began().to_owned()));
        chain
    }
}
