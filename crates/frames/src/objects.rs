//! What objects say of themselves: their type, its name and those that it derives from.

use crate::layout::Layout;
use crate::memory::Memory;

/// How long an address is.
const POINTER: usize = size_of::<usize>();

/// In a type object: its flags, and the type that it derives from first. All supported versions keep them here, since types of
/// extension modules are compiled with these offsets (`cpython/object.h`).
const FLAGS: usize = 168;
const BASE: usize = 256;

/// `Py_TPFLAGS_TYPE_SUBCLASS`: instances are types.
const OF_TYPES: u64 = 1 << 31;

/// How far a type is followed to what it derives from.
const DEEPEST: usize = 16;

/// The longest name of a type that is read.
const LONGEST_NAME: usize = 128;

/// How many types of types there may be, up to `type`, which is its own.
const OF_THEMSELVES: usize = 4;

/// The type of an object; `None` where none lies.
pub fn type_of(memory: &impl Memory, layout: &Layout, object: usize) -> Option<usize> {
    let found = raw_type_of(memory, layout, object)?;
    let mut of_type = raw_type_of(memory, layout, found)?;
    for _ in 0..OF_THEMSELVES {
        let flags: u64 = memory.number(of_type.checked_add(FLAGS)?)?;
        if flags & OF_TYPES == 0 {
            return None;
        }
        let above = raw_type_of(memory, layout, of_type)?;
        if above == of_type {
            return Some(found);
        }
        of_type = above;
    }
    None
}

/// What lies where an object has its type.
pub(crate) fn raw_type_of(memory: &impl Memory, layout: &Layout, object: usize) -> Option<usize> {
    memory.pointer(object, layout.head().checked_sub(POINTER)?)
}

/// The name of a type: without its module if it was made by Python, with it if it was made by C.
pub fn type_name(memory: &impl Memory, layout: &Layout, of_type: usize) -> Option<String> {
    // A type is an object with a length; then comes its name.
    let name = memory.pointer(of_type, layout.head().checked_add(POINTER)?)?;
    let mut bytes = Vec::new();
    while bytes.len() < LONGEST_NAME {
        let byte: u8 = memory.number(name.checked_add(bytes.len())?)?;
        if byte == 0 {
            return String::from_utf8(bytes).ok();
        }
        bytes.push(byte);
    }
    None
}

/// The names of a type and of those that it derives from by its first base, nearest first.
pub fn lineage(memory: &impl Memory, layout: &Layout, of_type: usize) -> Vec<String> {
    let base = |of_type: &usize| memory.pointer(*of_type, BASE);
    let types = std::iter::successors(Some(of_type), base).take(DEEPEST);
    types
        .map_while(|it| type_name(memory, layout, it))
        .collect()
}
