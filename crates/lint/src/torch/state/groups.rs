//! Process groups: what is known of the default one.

use super::object::ProcessGroup;

/// What is known of the default process group.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// Whether it is there.
    pub(crate) life: GroupLife,
    /// What it is.
    pub(crate) default: ProcessGroup,
    /// Whether what `atexit` calls is followed.
    pub(crate) is_exiting: bool,
}

/// What is known of the default process group's life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum GroupLife {
    /// Nobody was seen to make it.
    #[default]
    NotSeen,
    /// It was made.
    Begun,
    /// It was destroyed, perhaps on one of several ways.
    Destroyed,
}

impl GroupLife {
    /// What `is_initialized()` answers, if that is known.
    pub(crate) fn is_there(self) -> Option<bool> {
        (self == Self::Begun).then_some(true)
    }
}
