//! What the program sets for the whole process, so that a library does something else from then on.

use std::collections::BTreeSet;

use crate::torch::Interp;

/// One thing that a program may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Switch {
    /// Whether `torch.compile` compiles.
    Compiler,
    /// Whether a compiler keeps numbers that the host reads from tensors.
    CompiledScalars,
    /// Whether the allocator reuses, within a capture, blocks that `record_stream` was called on.
    RecordedBlocks,
    /// Whether distributions check their parameters and values.
    DistributionChecks,
}

/// Those that the program may have set by now. A switch that was set under a condition counts as set.
#[derive(Debug, Default)]
pub(super) struct Switches(BTreeSet<Switch>);

impl Interp<'_> {
    /// The program sets a switch.
    pub(crate) fn switch(&mut self, switch: Switch) {
        self.library.switches.0.insert(switch);
    }

    /// Whether the program may have set a switch.
    pub(crate) fn may_have_switched(&self, switch: Switch) -> bool {
        self.library.switches.0.contains(&switch)
    }
}
