//! Memory that a graph allocates and frees each time it runs.

use std::sync::atomic::{AtomicBool, Ordering};

use cgsan_model::Code;

use super::backing;
use super::table::{self, Block, Kind};

/// The memory of an allocation node: its address is fixed when the node is made, and it uses the device from a launch to
/// the free that follows.
#[derive(Debug)]
pub struct GraphMemory {
    address: u64,
    bytes: u64,
    in_use: AtomicBool,
}

impl GraphMemory {
    /// Gives an allocation node its address.
    pub fn reserve(bytes: u64) -> Result<GraphMemory, Code> {
        let address = backing::map(bytes).ok_or(Code::OUT_OF_MEMORY)?;
        table::lock().insert(Block {
            start: address,
            bytes,
            kind: Kind::Graph,
        });
        Ok(GraphMemory {
            address,
            bytes,
            in_use: AtomicBool::new(false),
        })
    }

    /// Where it is.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Takes it from the device, at a launch.
    pub fn take(&self) {
        if !self.in_use.swap(true, Ordering::Relaxed) {
            table::lock().take(self.bytes);
        }
    }

    /// Gives it back to the device; it keeps its address.
    pub fn give_back(&self) {
        if self.in_use.swap(false, Ordering::Relaxed) {
            table::lock().give_back(self.bytes);
        }
    }
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        self.give_back();
        table::lock().remove(self.address);
        backing::unmap(self.address, self.bytes);
    }
}
