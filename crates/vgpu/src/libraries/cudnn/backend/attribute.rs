//! The values of attributes, read from and written to the caller's arrays.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use super::descriptor::Descriptor;
use crate::ffi::{In, Out};
use crate::libraries::cudnn::BAD_PARAM;
use crate::libraries::export::Status;

/// `CUDNN_TYPE_BACKEND_DESCRIPTOR`.
const DESCRIPTOR: c_int = 15;

/// The most elements that an attribute may have: far more than any real one has.
const MOST: i64 = 1 << 20;

/// What an attribute holds.
#[derive(Clone, Debug)]
pub enum Value {
    /// Descriptors, as they were when they were set: the caller may destroy its own.
    Descriptors(Vec<Arc<Descriptor>>),
    /// Elements of any other kind, of so many bytes each.
    Plain { element: usize, bytes: Vec<u8> },
}

/// The caller's array.
#[derive(Clone, Copy, Debug)]
pub struct Elements {
    /// `cudnnBackendAttributeType_t`.
    pub kind: c_int,
    /// For how many elements there is room.
    pub room: i64,
    /// The first, or null.
    pub start: *mut c_void,
}

/// Reads a value; `find` finds the descriptor behind a pointer.
pub fn read(
    kind: c_int,
    count: i64,
    elements: *const c_void,
    find: impl Fn(usize) -> Option<Descriptor>,
) -> Result<Value, Status> {
    if !(0..=MOST).contains(&count) {
        return Err(BAD_PARAM);
    }
    let length = usize::try_from(count).map_err(|_| BAD_PARAM)?;
    if kind == DESCRIPTOR {
        let pointers = In(elements.cast::<usize>())
            .list(length)
            .map_err(|_| BAD_PARAM)?;
        let found = pointers
            .into_iter()
            .map(|pointer| find(pointer).map(Arc::new));
        return Ok(Value::Descriptors(
            found.collect::<Option<_>>().ok_or(BAD_PARAM)?,
        ));
    }
    let element = size(kind);
    let bytes = In(elements.cast::<u8>())
        .list(length * element)
        .map_err(|_| BAD_PARAM)?;
    Ok(Value::Plain { element, bytes })
}

impl Value {
    /// No elements.
    pub fn nothing() -> Value {
        Value::Plain {
            element: 1,
            bytes: Vec::new(),
        }
    }

    /// One `int64_t`.
    pub fn number(number: i64) -> Value {
        Value::Plain {
            element: 8,
            bytes: number.to_ne_bytes().to_vec(),
        }
    }

    /// Characters.
    pub fn text(text: &str) -> Value {
        Value::Plain {
            element: 1,
            bytes: text.as_bytes().to_vec(),
        }
    }

    /// One descriptor.
    pub fn descriptor(descriptor: Descriptor) -> Value {
        Value::Descriptors(vec![Arc::new(descriptor)])
    }

    /// How many elements there are.
    pub fn count(&self) -> i64 {
        let count = match self {
            Value::Descriptors(descriptors) => descriptors.len(),
            Value::Plain { element, bytes } => bytes.len() / element,
        };
        i64::try_from(count).unwrap_or(i64::MAX)
    }

    /// The first descriptor, if that is what they are.
    pub fn first_descriptor(&self) -> Option<&Descriptor> {
        match self {
            Value::Descriptors(descriptors) => descriptors.first().map(Arc::as_ref),
            Value::Plain { .. } => None,
        }
    }

    /// Writes as many elements as there is room for. A caller that asks for descriptors hands in its own, and `fill`
    /// fills them.
    pub fn write(&self, to: Elements, fill: impl Fn(usize, &Descriptor)) {
        let room = usize::try_from(to.room).unwrap_or_default();
        if to.start.is_null() {
            return;
        }
        match self {
            Value::Descriptors(descriptors) if to.kind == DESCRIPTOR => {
                let own =
                    In(to.start.cast::<usize>().cast_const()).list(room.min(descriptors.len()));
                for (pointer, descriptor) in own.unwrap_or_default().into_iter().zip(descriptors) {
                    fill(pointer, descriptor);
                }
            }
            Value::Descriptors(_) => {}
            Value::Plain { element, bytes } => {
                for (offset, byte) in bytes.iter().take(room.saturating_mul(*element)).enumerate() {
                    Out(to.start.cast::<u8>().wrapping_add(offset)).put_if_wanted(*byte);
                }
            }
        }
    }
}

/// The bytes of an element of a `cudnnBackendAttributeType_t`.
fn size(kind: c_int) -> usize {
    match kind {
        // Handles, 64-bit numbers, doubles and pointers.
        0 | 3 | 5 | 6 => 8,
        // Truth values and characters.
        2 | 24 => 1,
        // Fractions.
        26 => 16,
        // Single-precision numbers, 32-bit numbers and enumerations.
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: usize) -> Option<Descriptor> {
        None
    }

    #[test]
    fn plain_values_come_back_as_they_were() {
        let sizes: [i64; 3] = [4, 5, 6];
        let value = read(3, 3, sizes.as_ptr().cast(), nothing).expect("the array is readable");
        assert_eq!(value.count(), 3);
        let mut back: [i64; 2] = [0; 2];
        let to = Elements {
            kind: 3,
            room: 2,
            start: back.as_mut_ptr().cast(),
        };
        value.write(to, |_, _| {});
        assert_eq!(back, [4, 5]);
    }

    #[test]
    fn an_unknown_descriptor_is_refused() {
        let pointers = [7_usize];
        let read = read(DESCRIPTOR, 1, pointers.as_ptr().cast(), nothing);
        assert_eq!(read.err(), Some(BAD_PARAM));
    }

    #[test]
    fn a_senseless_count_is_refused() {
        assert!(read(3, -1, std::ptr::null(), nothing).is_err());
        assert!(read(3, i64::MAX, std::ptr::null(), nothing).is_err());
    }
}
