//! Descriptors of tensors and filters: their shapes, as they were set.

use std::ffi::c_int;

use super::{BAD_PARAM, CUDNN, count};
use crate::ffi::{In, Out};
use crate::libraries::export::{Status, export};
use crate::libraries::object::Objects;

/// The shape of a tensor, or of a filter, which has no strides of its own.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    /// `cudnnDataType_t`.
    pub data_type: c_int,
    /// `cudnnTensorFormat_t`, of a filter.
    pub format: c_int,
    /// Sizes, outermost first.
    pub sizes: Vec<c_int>,
    /// Strides in elements, of a tensor.
    pub strides: Vec<c_int>,
}

static SHAPES: Objects<Shape> = Objects::new();

export! { CUDNN;
    fn cudnnCreateTensorDescriptor, cudnnCreateFilterDescriptor(out: Out<usize>) {
        out.put_if_wanted(SHAPES.add(Shape::default()));
        Ok(())
    }

    fn cudnnDestroyTensorDescriptor, cudnnDestroyFilterDescriptor(descriptor: usize) {
        SHAPES.remove(descriptor);
        Ok(())
    }

    fn cudnnSetTensorNdDescriptor(
        descriptor: usize, data_type: c_int, rank: c_int, sizes: In<c_int>, strides: In<c_int>,
    ) {
        set(descriptor, Shape {
            data_type,
            format: 0,
            sizes: list(sizes, rank)?,
            strides: list(strides, rank)?,
        })
    }

    fn cudnnSetTensor4dDescriptor(
        descriptor: usize, format: c_int, data_type: c_int, n: c_int, c: c_int, h: c_int, w: c_int,
    ) {
        set(descriptor, Shape::packed(data_type, format, &[n, c, h, w]))
    }

    fn cudnnSetTensor4dDescriptorEx(
        descriptor: usize, data_type: c_int, n: c_int, c: c_int, h: c_int, w: c_int,
        n_stride: c_int, c_stride: c_int, h_stride: c_int, w_stride: c_int,
    ) {
        set(descriptor, Shape {
            data_type,
            format: 0,
            sizes: vec![n, c, h, w],
            strides: vec![n_stride, c_stride, h_stride, w_stride],
        })
    }

    fn cudnnGetTensorNdDescriptor(
        descriptor: usize, room: c_int, data_type: Out<c_int>, rank: Out<c_int>,
        sizes: Out<c_int>, strides: Out<c_int>,
    ) {
        let shape = get(descriptor)?;
        data_type.put_if_wanted(shape.data_type);
        rank.put_if_wanted(shape.rank());
        sizes.put_all(shape.sizes, count(room));
        strides.put_all(shape.strides, count(room));
        Ok(())
    }

    fn cudnnSetFilterNdDescriptor(
        descriptor: usize, data_type: c_int, format: c_int, rank: c_int, sizes: In<c_int>,
    ) {
        set(descriptor, Shape::packed(data_type, format, &list(sizes, rank)?))
    }

    fn cudnnSetFilter4dDescriptor(
        descriptor: usize, data_type: c_int, format: c_int, k: c_int, c: c_int, h: c_int, w: c_int,
    ) {
        set(descriptor, Shape::packed(data_type, format, &[k, c, h, w]))
    }

    fn cudnnGetFilterNdDescriptor(
        descriptor: usize, room: c_int, data_type: Out<c_int>, format: Out<c_int>, rank: Out<c_int>,
        sizes: Out<c_int>,
    ) {
        let shape = get(descriptor)?;
        data_type.put_if_wanted(shape.data_type);
        format.put_if_wanted(shape.format);
        rank.put_if_wanted(shape.rank());
        sizes.put_all(shape.sizes, count(room));
        Ok(())
    }
}

impl Shape {
    /// A shape without gaps.
    pub fn packed(data_type: c_int, format: c_int, sizes: &[c_int]) -> Shape {
        let mut strides = vec![1; sizes.len()];
        for index in (1..sizes.len()).rev() {
            strides[index - 1] = sizes[index].saturating_mul(strides[index]);
        }
        Shape {
            data_type,
            format,
            sizes: sizes.to_vec(),
            strides,
        }
    }

    fn rank(&self) -> c_int {
        c_int::try_from(self.sizes.len()).unwrap_or(c_int::MAX)
    }
}

/// Sets a shape.
pub fn set(descriptor: usize, shape: Shape) -> Result<(), Status> {
    SHAPES
        .with(descriptor, |known| *known = shape)
        .ok_or(BAD_PARAM)
}

/// A shape, as it was set.
pub fn get(descriptor: usize) -> Result<Shape, Status> {
    SHAPES.get(descriptor).ok_or(BAD_PARAM)
}

/// A list of so many numbers.
pub fn list(numbers: In<c_int>, length: c_int) -> Result<Vec<c_int>, Status> {
    numbers.list(count(length)).map_err(|_| BAD_PARAM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packed_shape_has_the_innermost_dimension_next_to_itself() {
        assert_eq!(Shape::packed(0, 0, &[2, 3, 4]).strides, [12, 4, 1]);
    }
}
