//! The convolution interface of before the graphs: descriptors, the size of the output, the choice of an algorithm.

use std::ffi::c_int;

use super::{BAD_PARAM, CUDNN, count, tensor};
use crate::ffi::{In, Out};
use crate::gpu;
use crate::libraries::export::{Status, export};
use crate::libraries::object::Objects;

/// A convolution; one number for each spatial dimension.
#[derive(Clone, Debug, Default)]
struct Convolution {
    pads: Vec<c_int>,
    strides: Vec<c_int>,
    dilations: Vec<c_int>,
    groups: c_int,
}

static CONVOLUTIONS: Objects<Convolution> = Objects::new();

/// `cudnnConvolutionFwdAlgoPerf_t` and its two siblings: an algorithm, and what it costs.
#[repr(C)]
struct Proposal {
    algorithm: c_int,
    status: c_int,
    /// In milliseconds.
    time: f32,
    /// In bytes.
    memory: usize,
    determinism: c_int,
    math_type: c_int,
    reserved: [c_int; 3],
}

const _: () = assert!(size_of::<Proposal>() == 48);

/// The one proposal: deterministic, without a workspace.
const PROPOSAL: Proposal = Proposal {
    algorithm: 1,
    status: 0,
    time: 0.0,
    memory: 0,
    determinism: 1,
    math_type: 0,
    reserved: [0; 3],
};

export! { CUDNN;
    fn cudnnCreateConvolutionDescriptor(out: Out<usize>) {
        out.put_if_wanted(CONVOLUTIONS.add(Convolution { groups: 1, ..Convolution::default() }));
        Ok(())
    }

    fn cudnnDestroyConvolutionDescriptor(descriptor: usize) {
        CONVOLUTIONS.remove(descriptor);
        Ok(())
    }

    fn cudnnSetConvolutionNdDescriptor(
        descriptor: usize, rank: c_int, pads: In<c_int>, strides: In<c_int>, dilations: In<c_int>,
    ) {
        let (pads, strides, dilations) = (
            tensor::list(pads, rank)?,
            tensor::list(strides, rank)?,
            tensor::list(dilations, rank)?,
        );
        with(descriptor, |known| {
            *known = Convolution { pads, strides, dilations, groups: known.groups };
        })
    }

    fn cudnnSetConvolution2dDescriptor(
        descriptor: usize, pad_h: c_int, pad_w: c_int, stride_h: c_int, stride_w: c_int,
        dilation_h: c_int, dilation_w: c_int,
    ) {
        with(descriptor, |known| {
            known.pads = vec![pad_h, pad_w];
            known.strides = vec![stride_h, stride_w];
            known.dilations = vec![dilation_h, dilation_w];
        })
    }

    fn cudnnSetConvolutionGroupCount(descriptor: usize, groups: c_int) {
        with(descriptor, |known| known.groups = groups)
    }

    fn cudnnGetConvolutionNdForwardOutputDim(
        descriptor: usize, input: usize, filter: usize, room: c_int, sizes: Out<c_int>,
    ) {
        let convolution = CONVOLUTIONS.get(descriptor).ok_or(BAD_PARAM)?;
        let (input, filter) = (tensor::get(input)?, tensor::get(filter)?);
        let output = convolution.output(&input.sizes, &filter.sizes).ok_or(BAD_PARAM)?;
        sizes.put_all(output, count(room));
        Ok(())
    }

    fn cudnnGetConvolutionForwardAlgorithm_v7, cudnnGetConvolutionBackwardDataAlgorithm_v7,
        cudnnGetConvolutionBackwardFilterAlgorithm_v7(
        _handle: usize, _a: usize, _b: usize, _convolution: usize, _c: usize,
        requested: c_int, returned: Out<c_int>, results: Out<Proposal>,
    ) {
        choose(requested, returned, results)
    }

    fn cudnnFindConvolutionForwardAlgorithm, cudnnFindConvolutionBackwardDataAlgorithm,
        cudnnFindConvolutionBackwardFilterAlgorithm(
        _handle: usize, _a: usize, _b: usize, _convolution: usize, _c: usize,
        requested: c_int, returned: Out<c_int>, results: Out<Proposal>,
    ) {
        measure()?;
        choose(requested, returned, results)
    }

    fn cudnnFindConvolutionForwardAlgorithmEx, cudnnFindConvolutionBackwardDataAlgorithmEx,
        cudnnFindConvolutionBackwardFilterAlgorithmEx(
        _handle: usize, _a: usize, _a_data: usize, _b: usize, _b_data: usize, _convolution: usize,
        _c: usize, _c_data: usize, requested: c_int, returned: Out<c_int>, results: Out<Proposal>,
    ) {
        measure()?;
        choose(requested, returned, results)
    }
}

fn with(descriptor: usize, change: impl FnOnce(&mut Convolution)) -> Result<(), Status> {
    CONVOLUTIONS.with(descriptor, change).ok_or(BAD_PARAM)
}

/// Waits for the device, as measuring does, which a capture refuses.
fn measure() -> Result<(), Status> {
    CUDNN.launched(gpu::device_synchronize())
}

fn choose(requested: c_int, returned: Out<c_int>, results: Out<Proposal>) -> Result<(), Status> {
    if requested < 1 {
        return Err(BAD_PARAM);
    }
    results.put_if_wanted(PROPOSAL);
    returned.put_if_wanted(1);
    Ok(())
}

impl Convolution {
    /// The sizes of the output: images, features, and what is left of each spatial dimension.
    fn output(&self, input: &[c_int], filter: &[c_int]) -> Option<Vec<c_int>> {
        let mut output = vec![*input.first()?, *filter.first()?];
        for (index, pad) in self.pads.iter().enumerate() {
            let reach = (filter.get(index + 2)? - 1).checked_mul(*self.dilations.get(index)?)?;
            let room = input.get(index + 2)?.checked_add(pad.checked_mul(2)?)? - reach - 1;
            output.push(room.checked_div(*self.strides.get(index)?)? + 1);
        }
        Some(output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_shrinks_by_the_reach_of_the_filter_and_the_stride() {
        let convolution = Convolution {
            pads: vec![1, 0],
            strides: vec![2, 1],
            dilations: vec![1, 2],
            groups: 1,
        };
        let output = convolution.output(&[4, 3, 9, 9], &[8, 3, 3, 3]);
        assert_eq!(output, Some(vec![4, 8, 5, 5]));
    }

    #[test]
    fn a_stride_of_zero_is_refused() {
        let convolution = Convolution {
            pads: vec![0],
            strides: vec![0],
            dilations: vec![1],
            groups: 1,
        };
        assert_eq!(convolution.output(&[1, 1, 4], &[1, 1, 3]), None);
    }
}
