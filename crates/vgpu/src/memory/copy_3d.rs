//! `CUDA_MEMCPY3D`: how the driver describes a copy of planes.

use cgsan_model::{Code, CopyKind};

use super::backing::length;
use super::{Side, Transfer};

/// `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    source: Place,
    destination: Place,
    /// Bytes in a row, rows, planes.
    extent: [usize; 3],
}

/// One side of it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    /// Bytes, rows, planes.
    position: [usize; 3],
    level: usize,
    memory_type: u32,
    host: u64,
    device: u64,
    array: u64,
    reserved: u64,
    pitch: usize,
    /// Rows in a plane.
    height: usize,
}

crate::ffi::plain! {
    Parameters { source: Place, destination: Place, extent: [usize; 3] }
    Place { position: [usize; 3], level: usize, memory_type: u32, host: u64, device: u64, array: u64, reserved: u64, pitch: usize, height: usize }
}

/// `CU_MEMORYTYPE_HOST`.
const HOST: u32 = 1;
/// `CU_MEMORYTYPE_DEVICE`.
const DEVICE: u32 = 2;
/// `CU_MEMORYTYPE_ARRAY`.
const ARRAY: u32 = 3;

impl Parameters {
    /// The copy it describes; arrays are for textures, which the virtual GPU does not have.
    pub fn transfer(&self) -> Result<Transfer, Code> {
        Ok(Transfer::pitched(
            self.destination.side()?,
            self.source.side()?,
            self.extent.map(|length| length as u64),
        ))
    }

    /// The description of a copy.
    pub fn of(transfer: &Transfer) -> Parameters {
        let (destination, source, extent) = transfer.parts();
        let (from_host, to_host) = match transfer.kind() {
            CopyKind::HostToDevice(_) => (true, false),
            CopyKind::DeviceToHost(_) => (false, true),
            CopyKind::DeviceToDevice | CopyKind::BetweenDevices => (false, false),
            CopyKind::HostToHost => (true, true),
        };
        Parameters {
            source: Place::of(source, from_host),
            destination: Place::of(destination, to_host),
            extent: extent.map(length),
        }
    }
}

impl Place {
    fn side(&self) -> Result<Side, Code> {
        let start = match self.memory_type {
            HOST => self.host,
            ARRAY => return Err(Code::NOT_SUPPORTED),
            _ => self.device,
        };
        let (row, plane) = (self.pitch as u64, (self.pitch * self.height) as u64);
        let [x, y, z] = self.position.map(|length| length as u64);
        Ok(Side::new(start + x + y * row + z * plane, row, plane))
    }

    fn of(side: Side, is_host: bool) -> Place {
        let (memory_type, host, device) = if is_host {
            (HOST, side.start, 0)
        } else {
            (DEVICE, 0, side.start)
        };
        Place {
            position: [0; 3],
            level: 0,
            memory_type,
            host,
            device,
            array: 0,
            reserved: 0,
            pitch: length(side.row),
            height: length(side.plane.checked_div(side.row).unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::{Parameters, Place};
    use crate::memory::{Side, Transfer};

    #[test]
    fn cuda_memcpy3d_is_laid_out_as_in_the_headers_of_cuda_12_and_13() {
        assert_eq!(size_of::<Parameters>(), 200);
        assert_eq!(offset_of!(Place, memory_type), 32);
        assert_eq!(offset_of!(Place, host), 40);
        assert_eq!(offset_of!(Place, pitch), 72);
        assert_eq!(offset_of!(Parameters, destination), 88);
        assert_eq!(offset_of!(Parameters, extent), 176);
    }

    #[test]
    fn a_copy_is_described_as_it_was_given() {
        let [to, from] = [4096, 8192].map(|start| Side::new(start, 64, 640));
        let transfer = Transfer::pitched(to, from, [16, 10, 2]);
        assert_eq!(Parameters::of(&transfer).transfer(), Ok(transfer));
    }
}
