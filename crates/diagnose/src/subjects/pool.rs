//! What a rule about memory can ask.

use cgsan_finding::Location;
use cgsan_trace::{FrameId, StackFrame};

use crate::activity::{Block, BlockId};
use crate::evidence::Evidence;
use crate::history::{CaptureRun, stack};
use crate::pools::{Pools, total};
use crate::waste::{Kind, Saving, Waste};

/// Memory that a program wastes.
pub(crate) struct Pool<'h, 't> {
    pub(crate) pools: &'h Pools<'h, 't>,
    pub(crate) waste: &'h Waste,
    pub(crate) saving: Saving,
}

/// All that is wasted and worth telling.
pub(super) fn pools<'h, 't>(
    pools: &'h Pools<'h, 't>,
    wastes: &'h [(Waste, Saving)],
) -> impl Iterator<Item = Pool<'h, 't>> {
    wastes.iter().map(move |(waste, saving)| Pool {
        pools,
        waste,
        saving: *saving,
    })
}

impl<'h, 't> Pool<'h, 't> {
    pub(crate) fn run(&self, capture: usize) -> &'h CaptureRun<'t> {
        self.pools.run(capture)
    }

    pub(crate) fn block(&self, id: BlockId) -> Block {
        self.pools.activity.memory[id]
    }

    /// The size of these blocks.
    pub(crate) fn bytes(&self, blocks: &[BlockId]) -> u64 {
        total(blocks.iter().map(|it| self.block(*it).bytes))
    }

    /// The line of the user's program in a Python stack.
    pub(crate) fn location(&self, frame: Option<FrameId>) -> Option<Location> {
        let stack = self.pools.history.trace.stack(frame?);
        stack::user_location(&stack)
    }

    /// The line that began a capture.
    pub(crate) fn began(&self, capture: usize) -> Option<Location> {
        self.pools.history.location_of(self.run(capture).began)
    }

    /// What the change saves, in a sentence: tried or computed. `change` is what is changed.
    pub(crate) fn saves(&self, change: &str) -> String {
        let peak = self.pools.peak_reserved();
        let part = self.saving.bytes.saturating_mul(100) / peak.max(1);
        let bytes = size(self.saving.bytes);
        if self.saving.tried {
            format!(
                "{change} saves {bytes}, {part} % of the {} that are reserved at most: tried with the recorded allocations",
                size(peak)
            )
        } else {
            format!(
                "{change} saves up to {bytes}, by the sizes of the blocks; it was not tried with the recorded allocations"
            )
        }
    }

    /// The place of the trace to point to, with its stack.
    fn place(&self) -> (usize, Option<FrameId>) {
        let of_capture = |capture: usize| {
            let began = self.run(capture).began;
            (began.position, began.record.stack)
        };
        let allocated = |block: BlockId| {
            let event = self.block(block).allocated;
            (event.position, event.stack)
        };
        match &self.waste.kind {
            Kind::OwnPools { at: capture, .. }
            | Kind::Growing { at: capture, .. }
            | Kind::SplitBeside { capture, .. } => of_capture(*capture),
            // What made it fail comes first.
            Kind::Leaked { capture } => {
                let (began, frame) = of_capture(*capture);
                let ended = self.run(*capture).ended;
                (ended.map_or(began, |it| it.position), frame)
            }
            Kind::OwnInputs { blocks }
            | Kind::EagerBeside { blocks, .. }
            | Kind::KeptOn { blocks, .. } => allocated(blocks[0]),
            Kind::KeptBack { blocks, .. } => {
                let freed = self.block(blocks[0]).freed;
                freed.map_or_else(|| allocated(blocks[0]), |it| (it.position, it.stack))
            }
            Kind::PutAside {
                blocks, recorded, ..
            } => match recorded {
                Some(call) => {
                    let operation = &self.pools.activity.operations[*call];
                    (operation.position, operation.stack)
                }
                None => allocated(blocks[0]),
            },
        }
    }

    pub(super) fn position(&self) -> usize {
        self.place().0
    }

    pub(super) fn evidence(&self) -> Evidence<'h, 't> {
        let (position, frame) = self.place();
        let history = self.pools.history;
        let mut evidence = Evidence::at(history, position);
        evidence.capture = match &self.waste.kind {
            Kind::OwnPools { at, .. } | Kind::Growing { at, .. } => Some(self.run(*at)),
            Kind::Leaked { capture }
            | Kind::KeptBack { capture, .. }
            | Kind::SplitBeside { capture, .. }
            | Kind::PutAside { capture, .. }
            | Kind::EagerBeside { capture, .. } => Some(self.run(*capture)),
            Kind::OwnInputs { .. } | Kind::KeptOn { .. } => None,
        };
        evidence.stack = frame.map(|it| history.trace.stack(it)).unwrap_or_default();
        if let Some(capture) = evidence.capture
            && stack::user_frame(&evidence.stack).is_none()
        {
            // Autograd works while the capturing thread waits in `backward()`.
            let waiting: Option<Vec<StackFrame>> = history.last_stack(capture.thread(), position);
            evidence.stack.extend(waiting.unwrap_or_default());
        }
        evidence
    }
}

/// Blocks in words: `1 block`, `4 blocks`.
pub(crate) fn count(blocks: &[BlockId]) -> String {
    match blocks.len() {
        1 => "1 block".to_owned(),
        many => format!("{many} blocks"),
    }
}

/// A size in words: `512 MiB`, `1.5 GiB`.
pub(crate) fn size(bytes: u64) -> String {
    const MIB: u64 = 1 << 20;
    let mib = bytes.saturating_add(MIB / 2) / MIB;
    if mib < 10 * 1024 {
        return format!("{mib} MiB");
    }
    let tenths = (mib * 10 + 512) / 1024;
    format!("{}.{} GiB", tenths / 10, tenths % 10)
}
