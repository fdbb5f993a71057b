//! What an operator is given and gives back, as the agent reads it: numbers and lists as they are, tensors as tuples.
#![expect(unsafe_code, reason = "takes over references that C++ returned")]

use std::cell::Cell;

use cgsan_observe::{Given, GivenObject, GivenTensor};

use crate::ffi::python::{Object, Python};

/// Takes the interpreter for the calling thread and keeps it in a place; whether there is one.
pub fn enter(place: &Cell<Option<Python>>) -> bool {
    let entered = place.take().or_else(Python::enter);
    let is_there = entered.is_some();
    place.set(entered);
    is_there
}

/// What an operator is given, or gives back.
#[derive(Default)]
pub struct Values(pub Vec<Given>);

impl Values {
    /// They themselves, with the references that they hold.
    pub fn into_inner(mut self) -> Vec<Given> {
        std::mem::take(&mut self.0)
    }

    /// A list of them, less tensors.
    pub fn plain(&self, python: &Python) -> Object {
        let plain = |it: &Given| match it {
            Given::Tensor(_) | Given::List(_) | Given::Object(_) => python.none(),
            _ => value(python, it),
        };
        python.list(self.0.iter().map(plain).collect::<Vec<_>>())
    }

    /// A list of them.
    pub fn described(&self, python: &Python) -> Object {
        list(python, &self.0)
    }
}

impl Drop for Values {
    fn drop(&mut self) {
        self.0.drain(..).for_each(release);
    }
}

/// Gives back references that values hold.
fn release(value: Given) {
    match value {
        // SAFETY: it is an owned reference, which is handed over to be dropped.
        Given::Object(object) => drop(unsafe { Object::owned(object.into_raw()) }),
        Given::List(values) => values.into_iter().for_each(release),
        _ => {}
    }
}

/// A reference that C++ returned; `None` where it returned none.
pub fn owned(python: &Python, object: Option<GivenObject>) -> Object {
    // SAFETY: it is an owned reference, which is handed over.
    let object = object.and_then(|it| unsafe { Object::owned(it.into_raw()) });
    object.unwrap_or_else(|| python.none())
}

fn list(python: &Python, values: &[Given]) -> Object {
    python.list(
        values
            .iter()
            .map(|it| value(python, it))
            .collect::<Vec<_>>(),
    )
}

fn value(python: &Python, value: &Given) -> Object {
    match value {
        Given::Absent => python.none(),
        Given::Bool(value) => python.boolean(*value),
        Given::Integer(value) => python.integer(*value),
        Given::Float(value) => python.float(*value),
        Given::Tensor(given) => tensor(python, given),
        Given::List(given) => list(python, given),
        Given::Complex([real, imaginary]) => python.complex(*real, *imaginary),
        Given::Text(text) => python.text(text),
        Given::Other(word) => python.tuple([python.unsigned(*word as u64)]),
        Given::Object(object) => {
            // SAFETY: the object lives as long as the value that holds a reference to it.
            let same = unsafe { python.object_at(object.address()) };
            same.unwrap_or_else(|| python.none())
        }
    }
}

/// A tensor: the address and the bytes of its storage, where in it the tensor begins, its dtype, sizes and strides, whether it is on
/// the GPU, and what it held if it is a number of the host's.
fn tensor(python: &Python, tensor: &GivenTensor) -> Object {
    let (sizes, strides) = tensor.shape.split_at(tensor.shape.len() / 2);
    let integers = |values: &[i64]| {
        python.tuple(
            values
                .iter()
                .map(|it| python.integer(*it))
                .collect::<Vec<_>>(),
        )
    };
    python.tuple([
        python.unsigned(tensor.address as u64),
        python.unsigned(tensor.bytes as u64),
        python.unsigned(tensor.offset as u64),
        python.integer(tensor.dtype.into()),
        integers(sizes),
        integers(strides),
        python.boolean(tensor.on_gpu),
        tensor
            .held
            .map_or_else(|| python.none(), |held| python.bytes(&held)),
    ])
}
