//! Dropout: the state of its random numbers.

use std::ffi::c_ulonglong;

use super::CUDNN;
use crate::ffi::Out;
use crate::gpu;
use crate::libraries::export::export;
use crate::libraries::handle;

/// The bytes of the state on an H100 (measured).
const STATE: usize = 132 * 2048 * 24;

export! { CUDNN;
    fn cudnnDropoutGetStatesSize(_handle: usize, size: Out<usize>) {
        size.put_if_wanted(STATE);
        Ok(())
    }

    fn cudnnSetDropoutDescriptor(
        _descriptor: usize, handle: usize, _probability: f32, states: usize, _bytes: usize,
        _seed: c_ulonglong,
    ) {
        if states == 0 {
            return Ok(());
        }
        CUDNN.launched(gpu::launch(handle::stream(&CUDNN, handle)?, "cudnn::dropout_init"))
    }
}
