//! Which address ranges the GPUs know, and how much of each device they use.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cgsan_model::Device;

use super::backing::{GRANULARITY, Mapping};
use super::retired::Retired;
use crate::gpu::schedule::progress;
use crate::locks;

/// What a range of addresses is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `cudaMalloc`.
    Device,
    /// `cudaMallocManaged`.
    Managed,
    /// `cudaMallocAsync`, from the pool of this handle.
    Pooled { pool: u64 },
    /// Memory of a graph's allocation node.
    Graph,
    /// Virtual memory with a physical allocation behind it (`cuMemMap`).
    Mapped,
    /// `cudaMalloc`, and other processes may have it too (`cudaIpcGetMemHandle`).
    Shared,
    /// Memory of another process (`cudaIpcOpenMemHandle`).
    Imported,
    /// `cudaHostAlloc`, with its flags.
    Host { flags: u32 },
    /// `cudaHostRegister`, with its flags: the program's own memory.
    Registered { flags: u32 },
}

impl Kind {
    /// Whether the range is memory of the device.
    pub fn is_device(self) -> bool {
        !matches!(self, Kind::Host { .. } | Kind::Registered { .. })
    }
}

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where it starts.
    pub start: u64,
    /// Its size as it was asked for.
    pub bytes: u64,
    /// What it is.
    pub kind: Kind,
    /// The device it was allocated on or, for memory of the host, for.
    pub device: Device,
}

/// The bytes of each device: fixed by the configuration before the first use.
static CAPACITY: AtomicU64 = AtomicU64::new(DEFAULT_CAPACITY);

/// An H100 with 80 GB, as the driver reports it.
const DEFAULT_CAPACITY: u64 = 85_017_493_504;

/// What a context takes from the device for itself.
const CONTEXT: u64 = 564_985_856;

/// Sets the size of each device in bytes.
pub fn set_capacity(bytes: u64) {
    CAPACITY.store(bytes, Ordering::Relaxed);
}

/// The size of each device in bytes.
pub fn capacity() -> u64 {
    CAPACITY.load(Ordering::Relaxed)
}

/// The ranges, by where they start, and what they use.
pub struct Table {
    blocks: BTreeMap<u64, (Block, Option<Mapping>)>,
    usage: BTreeMap<Device, Usage>,
    /// What was given back and tasks can use.
    pub retired: Retired,
}

/// What is used of a device.
#[derive(Clone, Copy, Default)]
struct Usage {
    /// Bytes of large allocations, each in whole granules.
    large: u64,
    /// Bytes of small allocations, which share granules.
    small: u64,
}

static TABLE: Mutex<Table> = Mutex::new(Table {
    blocks: BTreeMap::new(),
    usage: BTreeMap::new(),
    retired: Retired::NONE,
});

/// The table. A panic of an earlier holder left it usable: its changes are single insertions and removals.
pub fn lock() -> MutexGuard<'static, Table> {
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The same if nobody holds it.
pub fn lock_if_free() -> Option<MutexGuard<'static, Table>> {
    locks::if_free(&TABLE)
}

impl Table {
    /// The block that an address lies in.
    pub fn find(&self, address: u64) -> Option<Block> {
        let (_, (block, _)) = self.blocks.range(..=address).next_back()?;
        (address - block.start < block.bytes.max(1)).then_some(*block)
    }

    /// Whether a range that starts in memory of the GPU also ends in it: blocks may follow each other without a gap.
    /// Where the range starts in the program's own memory, this is not known and taken for granted.
    pub fn holds(&self, start: u64, end: u64) -> bool {
        let mut reached = start;
        while reached < end {
            match self.find(reached) {
                Some(block) if !matches!(block.kind, Kind::Registered { .. }) => {
                    reached = block.start + block.bytes;
                }
                Some(_) => return true,
                None => return reached == start,
            }
        }
        true
    }

    /// Whether a range starts in a block, and ends in one.
    pub fn has(&self, start: u64, end: u64) -> bool {
        self.find(start).is_some() && self.holds(start, end)
    }

    /// Whether a range is there for the work that the calling thread does: what was given back behind its launch stays until it is
    /// done, and what was given back before is gone.
    pub fn has_for_work(&self, start: u64, end: u64) -> bool {
        self.has(start, end) || self.kept_for_work(start).is_some()
    }

    /// Where memory begins and ends in which an address lies, and that was given back behind the launch of the work that the calling thread
    /// does: that work still finds it.
    pub fn kept_for_work(&self, address: u64) -> Option<[u64; 2]> {
        self.retired.kept_for(address, progress::under_way()?)
    }

    /// The block that starts at an address.
    pub fn starting_at(&self, address: u64) -> Option<Block> {
        self.blocks.get(&address).map(|(block, _)| *block)
    }

    /// Adds a block whose memory belongs to others.
    pub fn insert(&mut self, block: Block) {
        self.blocks.insert(block.start, (block, None));
    }

    /// Adds a block with its memory, and gives its address.
    pub fn insert_mapped(&mut self, mapping: Mapping, kind: Kind, device: Device) -> u64 {
        let (start, bytes) = (mapping.start(), mapping.bytes());
        let block = Block {
            start,
            bytes,
            kind,
            device,
        };
        self.blocks.insert(start, (block, Some(mapping)));
        start
    }

    /// The mapping behind the block that starts at an address, if the block has its own.
    pub fn mapping(&self, address: u64) -> Option<&Mapping> {
        self.blocks.get(&address)?.1.as_ref()
    }

    /// Has copies of this process find in memory of the GPU what it holds, or zeros.
    pub fn in_copies(&self, keep: bool) {
        let own = self.blocks.values().filter(|(block, _)| {
            // The host uses managed memory, too.
            block.kind.is_device() && block.kind != Kind::Managed
        });
        for mapping in own.filter_map(|(_, mapping)| mapping.as_ref()) {
            mapping.in_copies(keep);
        }
    }

    /// Makes the block that starts at an address one of another kind.
    pub fn become_kind(&mut self, address: u64, kind: Kind) {
        if let Some((block, _)) = self.blocks.get_mut(&address) {
            block.kind = kind;
        }
    }

    /// Removes the block that starts at an address, and gives its memory back to the host once no work can use it.
    pub fn remove(&mut self, address: u64) -> Option<Block> {
        let (block, mapping) = self.blocks.remove(&address)?;
        if let Some(mapping) = mapping {
            self.retired.keep(mapping, progress::newest());
        }
        Some(block)
    }

    /// Takes bytes from a device; false if there are not enough.
    pub fn take(&mut self, device: Device, bytes: u64) -> bool {
        if bytes > self.free(device) {
            return false;
        }
        *self.usage.entry(device).or_default().share(bytes) += granules(bytes);
        true
    }

    /// Gives back bytes that [`take`](Table::take) took.
    pub fn give_back(&mut self, device: Device, bytes: u64) {
        if let Some(usage) = self.usage.get_mut(&device) {
            let share = usage.share(bytes);
            *share = share.saturating_sub(granules(bytes));
        }
    }

    /// What is free on a device, in bytes.
    pub fn free(&self, device: Device) -> u64 {
        let used = self.usage.get(&device).map_or(0, Usage::total);
        capacity().saturating_sub(CONTEXT).saturating_sub(used)
    }
}

impl Usage {
    fn total(&self) -> u64 {
        self.large + self.small.next_multiple_of(GRANULARITY)
    }

    fn share(&mut self, bytes: u64) -> &mut u64 {
        if is_small(bytes) {
            &mut self.small
        } else {
            &mut self.large
        }
    }
}

/// Allocations of up to half a granule share one.
fn is_small(bytes: u64) -> bool {
    bytes <= GRANULARITY / 2
}

fn granules(bytes: u64) -> u64 {
    if is_small(bytes) {
        bytes.next_multiple_of(512)
    } else {
        bytes.next_multiple_of(GRANULARITY)
    }
}
