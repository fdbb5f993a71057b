//! What computes values: functions of Python.

use std::sync::{Arc, Mutex, PoisonError};

use super::beneath;
use super::interpreter::unless_ended;
use crate::ffi::python::{Object, Python};
use crate::memory::table;
use crate::values::computing::computing;
use crate::values::size;

/// What computes values: an object of Python's that is called.
#[derive(Clone, Debug)]
pub struct Computation {
    function: Arc<Kept>,
    /// The memory of the GPU that it uses, as far as that is known: where blocks start, and their bytes.
    memory: Arc<[(u64, u64)]>,
    /// How many bytes more it needs for a moment.
    beside: u64,
    /// What it draws random numbers from this time.
    source: Option<Arc<Kept>>,
    /// The numbers that the operator was given this time, where others may have been given to the one that it was prepared for.
    numbers: Option<Arc<[f64]>>,
}

/// A reference that is given back where the interpreter is at hand: work is dropped under locks that others hold who have the interpreter.
#[derive(Debug)]
struct Kept(Option<Object>);

/// References to be given back.
static GIVEN_UP: Mutex<Vec<Object>> = Mutex::new(Vec::new());

impl Drop for Kept {
    fn drop(&mut self) {
        let mut given_up = GIVEN_UP.lock().unwrap_or_else(PoisonError::into_inner);
        given_up.extend(self.0.take());
    }
}

impl Computation {
    /// An object that can be called without arguments, or with the results of an operator, with what that draws from, and with the
    /// numbers that it is given; the memory of the GPU that it uses, and how many bytes it needs beside that.
    pub fn new(function: Object, memory: Vec<(u64, u64)>, beside: u64) -> Computation {
        Computation {
            function: Arc::new(Kept(Some(function))),
            memory: memory.into(),
            beside,
            source: None,
            numbers: None,
        }
    }

    /// The same with these numbers.
    pub fn with_numbers(self, numbers: Option<Arc<[f64]>>) -> Computation {
        Computation { numbers, ..self }
    }

    /// The same that draws from this.
    pub fn drawing_from(&self, source: Option<Object>) -> Computation {
        Computation {
            source: source.map(|it| Arc::new(Kept(Some(it)))),
            ..self.clone()
        }
    }

    /// Whether the memory is still there that it uses.
    pub fn has_its_memory(&self) -> bool {
        let mut ranges = self.memory.iter();
        let table = table::lock();
        ranges.all(|(start, bytes)| table.has_for_work(*start, start.saturating_add(*bytes)))
    }

    /// Computes values when it is their turn, unless the interpreter has ended.
    pub fn run(&self) {
        unless_ended(|| {
            computing(|| {
                beneath::in_turn(|python| self.call(python, None));
            });
        });
    }

    /// Computes values, with the results of the operator if they may get other memory. Returns what the function returns.
    pub fn call(&self, python: &Python, results: Option<Object>) -> Option<Object> {
        let function = self.function.0.as_ref()?;
        if !size::has_room(&self.memory, self.beside) {
            return None;
        }
        let or_none = |it: Option<Object>| it.unwrap_or_else(|| python.none());
        let arguments = if self.source.is_none() && self.numbers.is_none() {
            results.into_iter().collect()
        } else {
            let source = self.source.as_ref().and_then(|it| it.0.as_ref());
            let numbers = self.numbers.as_ref().map(|numbers| {
                let numbers = numbers.iter().map(|it| python.float(*it));
                python.list(numbers.collect::<Vec<_>>())
            });
            let source = source.map(|it| python.same(it));
            vec![or_none(results), or_none(source), or_none(numbers)]
        };
        beneath::at_once(|| python.call_as_it_is(function, arguments))
    }
}

/// Gives back references to what computes no more.
pub fn tidy(_: &Python) {
    let given_up = {
        let mut given_up = GIVEN_UP.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *given_up)
    };
    drop(given_up);
}
