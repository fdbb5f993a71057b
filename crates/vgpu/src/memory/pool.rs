//! Pools of stream-ordered memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cgsan_model::{Code, Device};

use super::table::{self, Block, Kind};
use super::{GraphMemory, block};
use crate::gpu::handle;

/// The handle of the first device's default pool; those of the others follow it.
const FIRST: u64 = 0x5500_0000_0800;
/// The distance between the handles.
const DISTANCE: u64 = 0x10;

/// A pool takes memory from the device in pieces of this many bytes.
const CHUNK: u64 = 32 << 20;

/// What a pool holds, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    /// The device whose memory it has.
    pub device: Device,
    /// Taken from the device.
    pub reserved: u64,
    /// The most that was reserved.
    pub reserved_high: u64,
    /// Given to the program.
    pub used: u64,
    /// The most that was used.
    pub used_high: u64,
    /// What it keeps when it could give back.
    pub release_threshold: u64,
    /// The three switches of reuse, `cudaMemPoolReuseFollowEventDependencies` and the two after it.
    pub reuse: [i32; 3],
}

impl Pool {
    fn new(device: Device) -> Pool {
        Pool {
            device,
            reserved: 0,
            reserved_high: 0,
            used: 0,
            used_high: 0,
            release_threshold: 0,
            reuse: [1; 3],
        }
    }

    /// Uses bytes; the device is asked for what is not reserved yet.
    pub fn take(&mut self, bytes: u64) -> bool {
        let Some(used) = self.used.checked_add(bytes) else {
            return false;
        };
        let missing = used.saturating_sub(self.reserved);
        let missing = missing.checked_next_multiple_of(CHUNK).unwrap_or(missing);
        if missing > 0 && !table::lock().take(self.device, missing) {
            return false;
        }
        self.reserved += missing;
        self.reserved_high = self.reserved_high.max(self.reserved);
        self.used = used;
        self.used_high = self.used_high.max(used);
        true
    }

    /// Gives back to the device what is not used, down to `keep` bytes.
    fn trim(&mut self, keep: u64) {
        let keep = keep.max(self.used);
        let keep = keep.checked_next_multiple_of(CHUNK).unwrap_or(keep);
        let surplus = self.reserved.saturating_sub(keep);
        if surplus > 0 {
            table::lock().give_back(self.device, surplus);
            self.reserved -= surplus;
        }
    }
}

static POOLS: Mutex<BTreeMap<u64, Pool>> = Mutex::new(BTreeMap::new());

fn lock() -> MutexGuard<'static, BTreeMap<u64, Pool>> {
    POOLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A device's default pool.
pub fn default_of(device: Device) -> u64 {
    let pool = FIRST + DISTANCE * u64::from(device.0);
    lock().entry(pool).or_insert_with(|| Pool::new(device));
    pool
}

/// Makes a pool of a device's memory.
pub fn create(device: Device) -> u64 {
    let pool = handle::fresh();
    lock().insert(pool, Pool::new(device));
    pool
}

/// Destroys a pool; the default ones stay.
pub fn destroy(pool: u64) -> Result<(), Code> {
    let device = with(pool, |pool| pool.device)?;
    if pool == default_of(device) {
        return Err(Code::INVALID_VALUE);
    }
    with(pool, |pool| pool.trim(0))?;
    lock().remove(&pool);
    Ok(())
}

/// Reads or changes a pool.
pub fn with<T>(pool: u64, change: impl FnOnce(&mut Pool) -> T) -> Result<T, Code> {
    lock().get_mut(&pool).map(change).ok_or(Code::INVALID_VALUE)
}

/// Gives a pool's unused memory back to the device, down to `keep` bytes.
pub fn trim(pool: u64, keep: u64) -> Result<(), Code> {
    with(pool, |pool| pool.trim(keep))
}

/// Runs a stream-ordered free.
pub fn run_free(address: u64) {
    let Some(block) = table::lock().starting_at(address) else {
        return;
    };
    match block.kind {
        Kind::Pooled { pool } => release(block, pool),
        Kind::Graph => GraphMemory::give_back_at(address),
        Kind::Device | Kind::Shared | Kind::Managed => {
            // What was allocated outside a pool may be freed in stream order too.
            let _ = block::release(address, Kind::is_device);
        }
        Kind::Mapped | Kind::Imported | Kind::Host { .. } | Kind::Registered { .. } => {}
    }
}

fn release(block: Block, pool: u64) {
    table::lock().remove(block.start);
    // A pool that was destroyed in between has nothing left to account for.
    let _ = with(pool, |pool| {
        pool.used = pool.used.saturating_sub(block.bytes);
        pool.trim(pool.release_threshold);
    });
}
