//! Numbers, texts, lists. A number takes as many groups of seven bits as it needs, the lowest first.

use super::{Input, Unread, Wire};

impl Wire for u64 {
    fn write(&self, out: &mut Vec<u8>) {
        let mut rest = *self;
        while rest >= 0x80 {
            out.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        out.push((rest & 0x7f) as u8);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = input.byte()?;
            let group = u64::from(byte & 0x7f);
            if group.leading_zeros() < shift {
                return Err(Unread::Damaged);
            }
            value |= group << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Unread::Damaged)
    }
}

impl Wire for u32 {
    fn write(&self, out: &mut Vec<u8>) {
        u64::from(*self).write(out);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        u32::try_from(u64::read(input)?).map_err(|_| Unread::Damaged)
    }
}

/// The sign is the lowest bit, so that small negative numbers are short.
impl Wire for i64 {
    fn write(&self, out: &mut Vec<u8>) {
        ((self << 1) ^ (self >> 63)).cast_unsigned().write(out);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        let folded = u64::read(input)?;
        Ok((folded >> 1).cast_signed() ^ -(folded & 1).cast_signed())
    }
}

impl Wire for i32 {
    fn write(&self, out: &mut Vec<u8>) {
        i64::from(*self).write(out);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        i32::try_from(i64::read(input)?).map_err(|_| Unread::Damaged)
    }
}

impl Wire for bool {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        match input.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Unread::Damaged),
        }
    }
}

impl Wire for u8 {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        input.byte()
    }
}

/// All its bits, those of a value that is not a number included.
impl Wire for f64 {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        let bytes = input.bytes(size_of::<f64>())?;
        let bytes = bytes.try_into().map_err(|_| Unread::Damaged)?;
        Ok(f64::from_le_bytes(bytes))
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        Ok((A::read(input)?, B::read(input)?))
    }
}

impl Wire for String {
    fn write(&self, out: &mut Vec<u8>) {
        write_length(self.len(), out);
        out.extend_from_slice(self.as_bytes());
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        let bytes = input.block()?.rest();
        let text = str::from_utf8(bytes).map_err(|_| Unread::Damaged)?;
        Ok(text.to_owned())
    }
}

/// At the end of what may grow, a field that is not there yet is `None`.
impl<T: Wire> Wire for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        if input.is_empty() || !bool::read(input)? {
            return Ok(None);
        }
        T::read(input).map(Some)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        write_length(self.len(), out);
        for value in self {
            value.write(out);
        }
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        input.list(T::read)
    }
}

/// A grid or a block: as many numbers as the type says.
impl<const N: usize> Wire for [u32; N] {
    fn write(&self, out: &mut Vec<u8>) {
        for number in self {
            number.write(out);
        }
    }

    fn read(input: &mut Input<'_>) -> Result<Self, Unread> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = u32::read(input)?;
        }
        Ok(numbers)
    }
}

/// Appends what `write` appends, with its length before it.
pub(crate) fn write_block(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    let end = out.len();
    // The length is known only now; there is no second buffer, because calls to CUDA are written here.
    write_length(end - start, out);
    let length_of_length = out.len() - end;
    out[start..].rotate_right(length_of_length);
}

fn write_length(length: usize, out: &mut Vec<u8>) {
    (length as u64).write(out);
}
