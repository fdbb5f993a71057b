//! The variables of a frame, and the values that it works with.

use crate::layout::Layout;
use crate::memory::Memory;
use crate::objects::{raw_type_of, type_name};
use crate::{text, walk};

/// The most variables and values of a frame that are read.
const MOST: usize = 256;

/// The bits of a reference that are no part of its address, from CPython 3.14 on.
const TAG: usize = 0b11;

const POINTER: usize = size_of::<usize>();

/// A frame with what it holds.
#[derive(Clone, Debug)]
pub struct Held {
    /// The frame.
    pub frame: walk::Frame,
    /// Its variables: their names, and the addresses of what they hold.
    pub variables: Vec<(String, usize)>,
    /// What it works with: addresses of objects, of which some may be old.
    pub values: Vec<usize>,
}

/// The frames of the thread with this state, innermost first, with what each holds; none where a version does not keep the names of
/// all variables in one place (3.10).
pub fn held(memory: &impl Memory, layout: &Layout, thread_state: usize) -> Vec<Held> {
    let mut inner = None;
    let frames = walk::addresses(memory, layout, thread_state).take(walk::DEEPEST);
    frames
        .filter_map(|address| {
            // The frame that it called may lie right behind it.
            let end = inner.replace(address).filter(|it| *it > address);
            of_frame(memory, layout, address, end.unwrap_or(usize::MAX))
        })
        .collect()
}

fn of_frame(memory: &impl Memory, layout: &Layout, address: usize, end: usize) -> Option<Held> {
    let frame = walk::running(memory, layout, address)?;
    let names = memory.pointer(frame.code, layout.variables?)?;
    let count: usize = memory.number(names.checked_add(layout.head())?)?;
    let is_tuple = raw_type_of(memory, layout, names)
        .and_then(|it| type_name(memory, layout, it))
        .is_some_and(|it| it == "tuple");
    if !is_tuple || count > MOST {
        return None;
    }
    let value = |index: usize| -> Option<usize> {
        let at = layout.values.checked_add(index.checked_mul(POINTER)?)?;
        let at = address.checked_add(at).filter(|it| *it < end)?;
        let reference: usize = memory.number(at)?;
        Some(reference & !TAG).filter(|it| *it != 0)
    };
    let name = |index: usize| {
        let first = names.checked_add(layout.head() + POINTER)?;
        let name: usize = memory.number(first.checked_add(index.checked_mul(POINTER)?)?)?;
        text::read(memory, layout, name)
    };
    Some(Held {
        frame,
        variables: (0..count)
            .filter_map(|index| Some((name(index)?, value(index)?)))
            .collect(),
        values: (count..MOST).filter_map(value).collect(),
    })
}
