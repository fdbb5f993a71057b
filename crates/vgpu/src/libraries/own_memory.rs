//! The memory that a library allocates for itself.
#![expect(unsafe_code, reason = "sends addresses between threads")]

use std::ffi::c_void;

use cgsan_model::Code;

use crate::gpu;

/// Device and pinned memory of a library's own.
#[derive(Debug, Default)]
pub struct OwnMemory {
    device: Vec<Address>,
    pinned: Vec<Address>,
}

#[derive(Clone, Copy, Debug)]
struct Address(*mut c_void);

// SAFETY: the address is only handed back to the allocator it came from, which may be called from any thread.
unsafe impl Send for Address {}

impl OwnMemory {
    /// What the libraries do when they are first asked for a handle: they make the runtime set itself up by freeing
    /// nothing, which a capture already refuses (measured on an H100: cuBLAS, cuDNN, cuSOLVER, cuSPARSE, NCCL), and
    /// then allocate `device` and `pinned` pieces of these sizes in bytes.
    pub fn at_first_use(device: &[usize], pinned: &[usize]) -> Result<OwnMemory, Code> {
        let freed = gpu::free(std::ptr::null_mut());
        if !freed.is_success() {
            return Err(freed);
        }
        OwnMemory::allocate(device, pinned)
    }

    /// Allocates pieces of these sizes in bytes, all or none.
    pub fn allocate(device: &[usize], pinned: &[usize]) -> Result<OwnMemory, Code> {
        let mut memory = OwnMemory::default();
        match memory.grow(device, pinned) {
            Ok(()) => Ok(memory),
            Err(code) => {
                memory.free();
                Err(code)
            }
        }
    }

    fn grow(&mut self, device: &[usize], pinned: &[usize]) -> Result<(), Code> {
        for bytes in device {
            self.device.push(Address(gpu::malloc(*bytes)?));
        }
        for bytes in pinned {
            self.pinned.push(Address(gpu::host_malloc(*bytes)?));
        }
        Ok(())
    }

    /// Frees it all. Where a capture forbids that, the memory stays in use, as on a GPU.
    pub fn free(self) {
        for Address(pointer) in self.device {
            let _ = gpu::free(pointer);
        }
        for Address(pointer) in self.pinned {
            let _ = gpu::host_free(pointer);
        }
    }
}
