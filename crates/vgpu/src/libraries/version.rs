//! The versions that the libraries report: those that PyTorch 2.11 for CUDA 13.0 was built with.

use std::ffi::c_int;

use super::export::Status;
use crate::ffi::Out;

/// A library's version.
#[derive(Clone, Copy, Debug)]
pub struct Version {
    pub major: c_int,
    pub minor: c_int,
    pub patch: c_int,
}

/// cuBLAS and cuBLASLt.
pub const CUBLAS: Version = version(13, 1, 0);
/// cuDNN. PyTorch refuses one that is older than the one it was built with.
pub const CUDNN: Version = version(9, 19, 0);
/// cuFFT.
pub const CUFFT: Version = version(12, 0, 0);
/// cuRAND.
pub const CURAND: Version = version(10, 4, 0);
/// cuSOLVER.
pub const CUSOLVER: Version = version(12, 0, 4);
/// cuSPARSE.
pub const CUSPARSE: Version = version(12, 6, 3);
/// cuSPARSELt.
pub const CUSPARSELT: Version = version(0, 8, 0);
/// NCCL.
pub const NCCL: Version = version(2, 28, 9);
/// The CUDA runtime that the libraries contain.
pub const CUDA: Version = version(13, 0, 0);

const fn version(major: c_int, minor: c_int, patch: c_int) -> Version {
    Version {
        major,
        minor,
        patch,
    }
}

impl Version {
    /// The number as CUDA's libraries write it: 1000 × major + 100 × minor + patch.
    pub const fn thousands(self) -> c_int {
        self.major * 1000 + self.minor * 100 + self.patch
    }

    /// The number as cuBLAS, cuDNN and NCCL write it: 10000 × major + 100 × minor + patch.
    pub const fn ten_thousands(self) -> c_int {
        self.major * 10_000 + self.minor * 100 + self.patch
    }

    /// The number as the runtime writes it: 1000 × major + 10 × minor.
    pub const fn cuda(self) -> c_int {
        self.major * 1000 + self.minor * 10
    }

    /// Writes the part that a `libraryPropertyType` names: 0 major, 1 minor, 2 patch.
    pub fn property(self, kind: c_int, value: Out<c_int>, invalid: c_int) -> Result<(), Status> {
        let part = match kind {
            0 => self.major,
            1 => self.minor,
            2 => self.patch,
            _ => return Err(Status(invalid)),
        };
        value.put_if_wanted(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_written_as_each_library_writes_them() {
        assert_eq!(CUDNN.ten_thousands(), 91_900);
        assert_eq!(NCCL.ten_thousands(), 22_809);
        assert_eq!(CUSPARSE.thousands(), 12_603);
        assert_eq!(CUDA.cuda(), 13_000);
    }
}
