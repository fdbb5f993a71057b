//! `CUDA_MEMCPY2D`: how the driver describes a copy of rows.

use cgsan_model::Code;

use super::{Side, Transfer};

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    source: Place,
    destination: Place,
    width: usize,
    height: usize,
}

/// One side of it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Place {
    x: usize,
    y: usize,
    memory_type: u32,
    host: u64,
    device: u64,
    array: u64,
    pitch: usize,
}

crate::ffi::plain! {
    Parameters { source: Place, destination: Place, width: usize, height: usize }
    Place { x: usize, y: usize, memory_type: u32, host: u64, device: u64, array: u64, pitch: usize }
}

/// `CU_MEMORYTYPE_HOST`.
const HOST: u32 = 1;
/// `CU_MEMORYTYPE_ARRAY`.
const ARRAY: u32 = 3;

impl Parameters {
    /// The copy it describes; arrays are for textures, which the virtual GPU does not have.
    pub fn transfer(&self) -> Result<Transfer, Code> {
        Ok(Transfer::pitched(
            self.destination.side()?,
            self.source.side()?,
            [self.width as u64, self.height as u64, 1],
        ))
    }
}

impl Place {
    fn side(&self) -> Result<Side, Code> {
        let start = match self.memory_type {
            HOST => self.host,
            ARRAY => return Err(Code::NOT_SUPPORTED),
            _ => self.device,
        };
        let offset = self.x + self.y * self.pitch;
        Ok(Side::new(start + offset as u64, self.pitch as u64, 0))
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::{Parameters, Place};

    #[test]
    fn cuda_memcpy2d_is_laid_out_as_in_the_headers_of_cuda_12_and_13() {
        assert_eq!(size_of::<Parameters>(), 128);
        assert_eq!(offset_of!(Place, memory_type), 16);
        assert_eq!(offset_of!(Place, host), 24);
        assert_eq!(offset_of!(Place, pitch), 48);
        assert_eq!(offset_of!(Parameters, destination), 56);
        assert_eq!(offset_of!(Parameters, width), 112);
    }
}
