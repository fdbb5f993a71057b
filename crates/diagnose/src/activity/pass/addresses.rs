//! Memory that goes and comes back at its address, and addresses that others know.

use cgsan_model::{Call, NodeKind};
use cgsan_trace::{AddressChange, AddressRecord, FrameId};
use rustc_hash::FxHashSet;

use super::Pass;
use super::contents::Content;
use crate::activity::graph::Access;
use crate::activity::harm::Harm;
use crate::activity::memory::{Block, BlockId, Event};
use crate::activity::ranges::overlap;
use crate::history::Step;

/// What is known of addresses beside PyTorch's allocator.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    /// Those that others were given.
    shared: Vec<Shared>,
    /// Blocks in use that may lack their contents.
    undefined: FxHashSet<BlockId>,
}

/// An address that others were given, of a tensor that a capture made.
#[derive(Clone, Copy, Debug)]
struct Shared {
    /// The tensor.
    block: BlockId,
    position: usize,
    stack: Option<FrameId>,
}

impl Pass<'_, '_> {
    /// A call changed what lies at addresses, or made one known.
    pub(super) fn addresses(&mut self, event: Event, record: AddressRecord) {
        let AddressRecord { start, bytes, .. } = record;
        match record.what {
            AddressChange::Mapped => self.mapped(event, start, bytes),
            AddressChange::Unmapped => {
                let memory = &self.activity.memory;
                let lost: Vec<BlockId> = memory.overlapping(start, bytes).collect();
                let lost = lost
                    .into_iter()
                    .filter(|it| self.contents.used.contains(it));
                for block in lost {
                    let gone = event.stack;
                    let content = Content::Unmapped { gone, back: None };
                    self.contents.of.insert(block, content);
                    self.addresses.undefined.insert(block);
                }
            }
            AddressChange::Shared => self.shared(event, start),
        }
    }

    /// Memory comes to an address: to tensors that are there still, or as one of its own, until the allocator divides it.
    fn mapped(&mut self, event: Event, start: u64, bytes: u64) {
        let memory = &self.activity.memory;
        let there: Vec<BlockId> = memory.overlapping(start, bytes).collect();
        for block in &there {
            if let Some(Content::Unmapped { back, .. }) = self.contents.of.get_mut(block) {
                *back = event.stack;
            }
        }
        if there.is_empty() {
            self.activity.memory.allocate(Block {
                address: start,
                bytes,
                allocated: event,
                freed: None,
                capture: None,
                operation: None,
            });
        }
    }

    /// Work that is no operator's and of no capture: a copy or a fill gives memory its contents, and a kernel may.
    pub(super) fn worked_beside_operators(&mut self, step: Step<'_>) {
        let is_operators = self.innermost(step.thread).is_some();
        if self.addresses.undefined.is_empty()
            || is_operators
            || self.history.capture_of(step).is_some()
        {
            return;
        }
        let (Call::Work { node, .. } | Call::SynchronousWork { node, .. }) = &step.record.call
        else {
            return;
        };
        let written = match node {
            NodeKind::Memcpy { dst, bytes, .. } | NodeKind::Memset { dst, bytes, .. } => {
                Some((*dst, *bytes))
            }
            _ => None,
        };
        let memory = &self.activity.memory;
        let contents = &mut self.contents.of;
        self.addresses.undefined.retain(|block| {
            let Some(content) = contents.get_mut(block) else {
                return false;
            };
            let is_undefined = matches!(content, Content::Unmapped { .. } | Content::Unwritten);
            let is_written =
                written.is_none_or(|(address, bytes)| memory[*block].overlaps(address, bytes));
            if is_undefined && is_written {
                *content = Content::Own;
            }
            is_undefined && !is_written
        });
    }

    /// A tensor was made without an operator, as a storage is that gets another size: nobody has written it yet.
    pub(super) fn made_without_operator(&mut self, block: BlockId) {
        self.contents.of.insert(block, Content::Unwritten);
        self.addresses.undefined.insert(block);
    }

    /// Whether a tensor whose memory was freed has got it back, as storages do that are resized to nothing and back again.
    pub(super) fn came_back(&self, freed: &Block, owner: BlockId) -> bool {
        let now = &self.activity.memory[owner];
        let is_same = (now.address, now.bytes) == (freed.address, freed.bytes);
        // Without a stack, it was not seen who made it.
        let is_without_operator = now.operation.is_none() && now.allocated.stack.is_some();
        is_same && is_without_operator && freed.capture.is_none()
    }

    /// Whether nobody has written a tensor yet that was made without an operator.
    pub(super) fn is_unwritten(&self, block: BlockId) -> bool {
        self.contents.of.get(&block) == Some(&Content::Unwritten)
    }

    /// A replay reads memory that has come back without its contents.
    pub(super) fn contents_lost(
        &mut self,
        access: Access,
        replay: usize,
        gone: Option<FrameId>,
        back: Option<FrameId>,
    ) {
        let graph = self.activity.replays[replay].graph;
        let harm = Harm::ContentsLost {
            block: access.block,
            operation: access.operation,
            gone,
            back,
        };
        self.found(graph, Some(replay), harm);
    }

    /// Another process, or a communicator, was given an address.
    fn shared(&mut self, event: Event, address: u64) {
        let memory = &self.activity.memory;
        let there = memory.at(address);
        let of_graph = |it: &BlockId| {
            let block = memory[*it];
            block.address == address && self.is_of_living_graph(&block, event.position)
        };
        let first = || memory.ids().find(of_graph);
        let Some(block) = there
            .or_else(first)
            .filter(|it| memory[*it].capture.is_some())
        else {
            return;
        };
        let shared = Shared {
            block,
            position: event.position,
            stack: event.stack,
        };
        if there.is_none() {
            let reused = memory.ids().skip(block.index() + 1).find(|it| {
                let (one, other) = (memory[block], memory[*it]);
                other.overlaps(one.address, one.bytes) && other.capture.is_some()
            });
            if let Some(owner) = reused {
                self.given_away(shared, owner);
                return;
            }
        }
        self.addresses.shared.push(shared);
    }

    /// A capture was given memory: perhaps that of a tensor whose address others have.
    pub(super) fn reuses_what_is_shared(&mut self, owner: BlockId) {
        if self.addresses.shared.is_empty() || self.activity.memory[owner].capture.is_none() {
            return;
        }
        let memory = &self.activity.memory;
        let now = memory[owner];
        let position = now.allocated.position;
        let is_reused = |shared: &Shared| {
            let block = memory[shared.block];
            block.freed.is_some()
                && overlap((block.address, block.bytes), (now.address, now.bytes))
                && self.is_of_living_graph(&block, position)
        };
        let reused = self.addresses.shared.iter().position(is_reused);
        if let Some(index) = reused {
            let shared = self.addresses.shared.swap_remove(index);
            self.given_away(shared, owner);
        }
    }

    fn given_away(&mut self, shared: Shared, owner: BlockId) {
        let Shared {
            block,
            position,
            stack,
        } = shared;
        if let Some(graph) = self.activity.memory[block].capture {
            let harm = Harm::SharedOutside {
                block,
                owner,
                position,
                stack,
            };
            self.found(graph, None, harm);
        }
    }

    /// Whether a capture made it whose graph is not gone.
    fn is_of_living_graph(&self, block: &Block, position: usize) -> bool {
        let graph = block.capture.map(|graph| &self.activity.graphs[graph]);
        graph.is_some_and(|graph| !graph.is_gone(position))
    }
}
