//! Tensor maps: what a kernel needs to have tiles of a tensor moved for it. Kernels do not compute, so a map only has to be
//! one that the driver would make.

use std::ffi::{c_int, c_uint};

use cgsan_model::Code;

use crate::ffi::{Out, entry};

/// `CUtensorMap`: 128 bytes that only the driver reads. The address of the tensor is the first of them here.
type TensorMap = [u64; 16];

/// The most dimensions that a tensor has (CUDA driver API 13.0, `cuTensorMapEncodeTiled`).
const DIMENSIONS: c_uint = 5;

/// What the address of a tensor is a multiple of, in bytes (as above).
const ALIGNMENT: u64 = 16;

entry! {
    /// Makes a map of tiles.
    fn cuTensorMapEncodeTiled(
        _this, map: Out<TensorMap>, _data_type: c_int, dimensions: c_uint, address: u64,
    ) {
        map.put(encoded(dimensions, address)?)
    }

    /// Makes a map of columns for convolutions, which have at least three dimensions.
    fn cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2colWide(
        _this, map: Out<TensorMap>, _data_type: c_int, dimensions: c_uint, address: u64,
    ) {
        if dimensions < 3 {
            return Err(Code::INVALID_VALUE);
        }
        map.put(encoded(dimensions, address)?)
    }

    /// Changes the address of the tensor.
    fn cuTensorMapReplaceAddress(_this, map: Out<u64>, address: u64) {
        if !address.is_multiple_of(ALIGNMENT) {
            return Err(Code::INVALID_VALUE);
        }
        map.put(address)
    }
}

fn encoded(dimensions: c_uint, address: u64) -> Result<TensorMap, Code> {
    let is_valid = (1..=DIMENSIONS).contains(&dimensions) && address.is_multiple_of(ALIGNMENT);
    let mut map = [0; 16];
    map[0] = address;
    is_valid.then_some(map).ok_or(Code::INVALID_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_has_one_to_five_dimensions_and_an_aligned_address() {
        assert_eq!(encoded(2, 64).map(|map| map[0]), Ok(64));
        for (dimensions, address) in [(0, 64), (6, 64), (2, 8)] {
            assert_eq!(encoded(dimensions, address), Err(Code::INVALID_VALUE));
        }
    }
}
