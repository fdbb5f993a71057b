//! The values of attributes, read from and written to the caller's arrays.
#![expect(unsafe_code, reason = "exports functions of C")]

use std::ffi::c_int;
use std::sync::Arc;

use super::descriptor::Descriptor;
use crate::ffi::Untyped;
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
    pub start: Untyped,
}

/// Reads a value; `find` finds the descriptor behind a pointer.
pub fn read(
    kind: c_int,
    count: i64,
    elements: Untyped,
    find: impl Fn(usize) -> Option<Descriptor>,
) -> Result<Value, Status> {
    if !(0..=MOST).contains(&count) {
        return Err(BAD_PARAM);
    }
    let length = usize::try_from(count).map_err(|_| BAD_PARAM)?;
    if kind == DESCRIPTOR {
        // SAFETY: the kind says that there are so many descriptors.
        let pointers = unsafe { elements.input::<usize>() }
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
    // SAFETY: the kind says how large an element is.
    let bytes = unsafe { elements.input::<u8>() }
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
        match self {
            Value::Descriptors(descriptors) if to.kind == DESCRIPTOR => {
                // SAFETY: the kind says that there is room for so many descriptors, the caller's own.
                let own = unsafe { to.start.input::<usize>() }.list(room.min(descriptors.len()));
                for (pointer, descriptor) in own.unwrap_or_default().into_iter().zip(descriptors) {
                    fill(pointer, descriptor);
                }
            }
            Value::Descriptors(_) => {}
            Value::Plain { element, bytes } => {
                // SAFETY: the kind says how large an element is.
                let start = unsafe { to.start.output() };
                start.put_all(bytes.iter().copied(), room.saturating_mul(*element));
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
        // SAFETY: there are three numbers.
        let elements = unsafe { Untyped::new(sizes.as_ptr().cast_mut().cast()) };
        let value = read(3, 3, elements, nothing).expect("the array is readable");
        assert_eq!(value.count(), 3);
        let mut back: [i64; 2] = [0; 2];
        let to = Elements {
            kind: 3,
            room: 2,
            // SAFETY: there is room for two numbers.
            start: unsafe { Untyped::new(back.as_mut_ptr().cast()) },
        };
        value.write(to, |_, _| {});
        assert_eq!(back, [4, 5]);
    }

    #[test]
    fn an_unknown_descriptor_is_refused() {
        let pointers = [7_usize];
        // SAFETY: there is one pointer.
        let elements = unsafe { Untyped::new(pointers.as_ptr().cast_mut().cast()) };
        let read = read(DESCRIPTOR, 1, elements, nothing);
        assert_eq!(read.err(), Some(BAD_PARAM));
    }

    #[test]
    fn a_senseless_count_is_refused() {
        assert!(read(3, -1, Untyped::NOTHING, nothing).is_err());
        assert!(read(3, i64::MAX, Untyped::NOTHING, nothing).is_err());
    }
}
