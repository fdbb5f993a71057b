//! The data types of NCCL, and what reductions do with them.

use std::ffi::c_int;

use super::small_float::SmallFloat;

/// `ncclDataType_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
    Int8,
    Uint8,
    Int32,
    Uint32,
    Int64,
    Uint64,
    Float16,
    Float32,
    Float64,
    Bfloat16,
    Float8e4m3,
    Float8e5m2,
}

use DataType::{
    Bfloat16, Float8e4m3, Float8e5m2, Float16, Float32, Float64, Int8, Int32, Int64, Uint8, Uint32,
    Uint64,
};

impl DataType {
    const ALL: [DataType; 12] = [
        Int8, Uint8, Int32, Uint32, Int64, Uint64, Float16, Float32, Float64, Bfloat16, Float8e4m3,
        Float8e5m2,
    ];

    /// The type of this number.
    pub fn of(number: c_int) -> Option<DataType> {
        DataType::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// The bytes of an element.
    pub fn size(self) -> usize {
        match self {
            Int8 | Uint8 | Float8e4m3 | Float8e5m2 => 1,
            Float16 | Bfloat16 => 2,
            Int32 | Uint32 | Float32 => 4,
            Int64 | Uint64 | Float64 => 8,
        }
    }

    /// Whether it is one of floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(
            self,
            Float16 | Float32 | Float64 | Bfloat16 | Float8e4m3 | Float8e5m2
        )
    }
}

/// How two elements become one, and what is done to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    Sum,
    Product,
    Maximum,
    Minimum,
    Average,
}

/// Reduces the elements of several buffers of one size.
pub fn reduce(data: DataType, reduction: Reduction, buffers: &[Vec<u8>]) -> Vec<u8> {
    let mut buffers = buffers.iter();
    let mut result = buffers.next().cloned().unwrap_or_default();
    let count = buffers.len() + 1;
    let size = data.size();
    for (index, element) in result.chunks_exact_mut(size).enumerate() {
        let at = index * size..(index + 1) * size;
        let others = buffers.clone().map(|buffer| &buffer[at.clone()]);
        let reduced = Number::read(data, element).reduced(reduction, others, data, count);
        reduced.write(data, element);
    }
    result
}

/// Multiplies the elements of a buffer by a number of the same type.
pub fn scale(data: DataType, factor: &[u8], buffer: &mut [u8]) {
    let factor = Number::read(data, factor);
    for element in buffer.chunks_exact_mut(data.size()) {
        let scaled = Number::read(data, element).combined(Reduction::Product, factor);
        scaled.write(data, element);
    }
}

/// An element in a type that is wide enough to compute with.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number {
    Signed(i64),
    Unsigned(u64),
    Single(f32),
    Double(f64),
}

use Number::{Double, Signed, Single, Unsigned};

impl Number {
    fn read(data: DataType, bytes: &[u8]) -> Number {
        fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
            std::array::from_fn(|index| bytes.get(index).copied().unwrap_or(0))
        }
        match data {
            Int8 => Signed(i8::from_le_bytes(array(bytes)).into()),
            Int32 => Signed(i32::from_le_bytes(array(bytes)).into()),
            Int64 => Signed(i64::from_le_bytes(array(bytes))),
            Uint8 => Unsigned(u8::from_le_bytes(array(bytes)).into()),
            Uint32 => Unsigned(u32::from_le_bytes(array(bytes)).into()),
            Uint64 => Unsigned(u64::from_le_bytes(array(bytes))),
            Float32 => Single(f32::from_le_bytes(array(bytes))),
            Float64 => Double(f64::from_le_bytes(array(bytes))),
            Float16 | Bfloat16 | Float8e4m3 | Float8e5m2 => {
                Single(small(data).decode(u16::from_le_bytes(array(bytes))))
            }
        }
    }

    /// Writes the element; an integer is cut to its width, as arithmetic of that width does.
    fn write(self, data: DataType, to: &mut [u8]) {
        let bytes = match self {
            Signed(number) => number.to_le_bytes(),
            Unsigned(number) => number.to_le_bytes(),
            Double(number) => number.to_le_bytes(),
            Single(number) => {
                let bits = match data {
                    Float32 => number.to_bits(),
                    _ => small(data).encode(number).into(),
                };
                u64::from(bits).to_le_bytes()
            }
        };
        to.copy_from_slice(&bytes[..to.len()]);
    }

    fn reduced<'a>(
        self,
        reduction: Reduction,
        others: impl Iterator<Item = &'a [u8]>,
        data: DataType,
        count: usize,
    ) -> Number {
        let combined = others.fold(self, |number, other| {
            number.combined(reduction, Number::read(data, other))
        });
        match reduction {
            Reduction::Average => combined.divided(count),
            _ => combined,
        }
    }

    /// Two elements of one type as one.
    fn combined(self, reduction: Reduction, other: Number) -> Number {
        use Reduction::{Average, Maximum, Minimum, Product, Sum};
        macro_rules! of {
            ($kind:ident, $one:ident, $other:ident, $sum:expr, $product:expr) => {
                $kind(match reduction {
                    Sum | Average => $sum,
                    Product => $product,
                    Maximum => $one.max($other),
                    Minimum => $one.min($other),
                })
            };
        }
        match (self, other) {
            (Signed(a), Signed(b)) => of!(Signed, a, b, a.wrapping_add(b), a.wrapping_mul(b)),
            (Unsigned(a), Unsigned(b)) => of!(Unsigned, a, b, a.wrapping_add(b), a.wrapping_mul(b)),
            (Single(a), Single(b)) => of!(Single, a, b, a + b, a * b),
            (Double(a), Double(b)) => of!(Double, a, b, a + b, a * b),
            // Both are read as the same type.
            _ => self,
        }
    }

    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_wrap,
        reason = "a number of ranks is small"
    )]
    fn divided(self, count: usize) -> Number {
        match self {
            Signed(number) => Signed(number / count as i64),
            Unsigned(number) => Unsigned(number / count as u64),
            Single(number) => Single(number / count as f32),
            Double(number) => Double(number / count as f64),
        }
    }
}

/// The format of a type of floating-point numbers that the host has none of.
fn small(data: DataType) -> SmallFloat {
    match data {
        Float16 => SmallFloat::FLOAT16,
        Bfloat16 => SmallFloat::BFLOAT16,
        Float8e4m3 => SmallFloat::E4M3,
        _ => SmallFloat::E5M2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(numbers: &[f32]) -> Vec<u8> {
        numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect()
    }

    #[test]
    fn each_element_is_reduced_by_itself() {
        let buffers = [floats(&[1.0, 8.0]), floats(&[3.0, -2.0])];
        for (reduction, expected) in [
            (Reduction::Sum, [4.0, 6.0]),
            (Reduction::Product, [3.0, -16.0]),
            (Reduction::Maximum, [3.0, 8.0]),
            (Reduction::Minimum, [1.0, -2.0]),
            (Reduction::Average, [2.0, 3.0]),
        ] {
            assert_eq!(reduce(Float32, reduction, &buffers), floats(&expected));
        }
    }

    #[test]
    fn integers_wrap_at_their_width() {
        let buffers = [vec![0x7f, 0xff], vec![1, 2]];
        assert_eq!(reduce(Int8, Reduction::Sum, &buffers), [0x80, 1]);
        assert_eq!(reduce(Uint8, Reduction::Maximum, &buffers), [0x7f, 0xff]);
        assert_eq!(reduce(Int8, Reduction::Maximum, &buffers), [0x7f, 2]);
    }

    #[test]
    fn small_floats_are_computed_with() {
        // 1.5 and 2.0.
        let halves = [vec![0x00, 0x3e], vec![0x00, 0x40]];
        assert_eq!(reduce(Float16, Reduction::Sum, &halves), [0x00, 0x43]);
        let brains = [vec![0xc0, 0x3f], vec![0x00, 0x40]];
        assert_eq!(reduce(Bfloat16, Reduction::Sum, &brains), [0x60, 0x40]);
    }

    #[test]
    fn a_factor_scales_each_element() {
        let mut buffer = floats(&[2.0, 6.0]);
        scale(Float32, &0.5_f32.to_le_bytes(), &mut buffer);
        assert_eq!(buffer, floats(&[1.0, 3.0]));
    }

    #[test]
    fn the_numbers_of_types_are_those_of_the_header() {
        assert_eq!(DataType::of(7), Some(Float32));
        assert_eq!(DataType::of(9), Some(Bfloat16));
        assert_eq!(DataType::of(12), None);
        assert_eq!(DataType::of(-1), None);
    }
}
