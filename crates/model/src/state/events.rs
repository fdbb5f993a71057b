//! Events: where each was last recorded.

use super::registry::Registry;
use crate::{CaptureId, Dependencies, Device, EventId};

pub(crate) type Events = Registry<EventId, EventState>;

/// What the driver knows of an event.
#[derive(Debug)]
pub(crate) struct EventState {
    /// Unknown if no call announced the event.
    pub(crate) device: Option<Device>,
    pub(crate) timing: bool,
    pub(crate) record: Record,
}

/// Where an event was last recorded.
#[derive(Clone, Debug)]
pub(crate) enum Record {
    /// Nowhere.
    Never,
    /// On a stream that did not capture.
    Uncaptured,
    /// In a capture, behind these nodes.
    Captured(CaptureId, Dependencies),
}

impl EventState {
    /// What an event is when no call announced it.
    pub(crate) fn assumed() -> EventState {
        EventState {
            device: None,
            timing: true,
            record: Record::Never,
        }
    }

    /// It is recorded outside any capture.
    pub(crate) fn happens(&mut self) {
        self.record = Record::Uncaptured;
    }

    /// The capture it was last recorded in, also when that has ended.
    pub(crate) fn capture(&self) -> Option<CaptureId> {
        match self.record {
            Record::Captured(capture, _) => Some(capture),
            Record::Never | Record::Uncaptured => None,
        }
    }
}
