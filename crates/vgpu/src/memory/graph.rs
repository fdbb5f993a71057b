//! Memory that a graph allocates and frees each time it runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use cgsan_model::{Code, Device};
use rustc_hash::FxHashMap;

use super::backing::Mapping;
use super::table::{self, Kind};

/// The memory of an allocation node: its address is fixed when the node is made, and it uses the device from a launch to
/// the free that follows.
#[derive(Debug)]
pub struct GraphMemory {
    address: u64,
    bytes: u64,
    device: Device,
    /// Whether the address now belongs to a pool's allocation, so that this no longer owns it.
    given_away: AtomicBool,
}

/// What launches allocated and nothing freed yet, by address. It outlives the graph that allocated it (CUDA C++
/// Programming Guide, "Graph Memory Nodes").
static IN_USE: LazyLock<Mutex<FxHashMap<u64, Arc<GraphMemory>>>> = LazyLock::new(Mutex::default);

fn in_use() -> MutexGuard<'static, FxHashMap<u64, Arc<GraphMemory>>> {
    IN_USE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl GraphMemory {
    /// Gives an allocation node its address.
    pub fn reserve(device: Device, bytes: u64) -> Result<GraphMemory, Code> {
        let mapping = Mapping::new(bytes).ok_or(Code::OUT_OF_MEMORY)?;
        let mapping = mapping.left_out_of_copies();
        let address = table::lock().insert_mapped(mapping, Kind::Graph, device);
        Ok(GraphMemory {
            address,
            bytes,
            device,
            given_away: AtomicBool::new(false),
        })
    }

    /// How long it is.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The device that it belongs to.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Where it is.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Makes the memory an allocation of another kind, which is freed by itself.
    pub fn become_block(&self, kind: Kind) {
        self.given_away.store(true, Ordering::Relaxed);
        table::lock().become_kind(self.address, kind);
    }

    /// Takes it from the device, at a launch.
    pub fn take(self: &Arc<GraphMemory>) {
        let was_free = in_use().insert(self.address, Arc::clone(self)).is_none();
        if was_free {
            table::lock().take(self.device, self.bytes);
        }
    }

    /// Gives the memory at an address back to the device; it keeps its address.
    pub fn give_back_at(address: u64) {
        let memory = in_use().remove(&address);
        if let Some(memory) = memory {
            table::lock().give_back(memory.device, memory.bytes);
        }
    }
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        if *self.given_away.get_mut() {
            return;
        }
        table::lock().remove(self.address);
    }
}
