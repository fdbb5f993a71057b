//! From a thread's state to its frames.

use crate::layout::{Innermost, Instruction, Layout, OWNED_BY_GENERATOR, Start};
use crate::memory::Memory;

/// The most frames that a stack is given.
pub const DEEPEST: usize = 256;

/// The most frames that are looked at: some are not a function's.
const LONGEST_WALK: usize = 4 * DEEPEST;

/// The most bytes of a line table that are hashed.
const LONGEST_TABLE: usize = 1 << 16;

/// The bits of a frame's reference to its code that say how it is counted, since 3.14.
const TAG: usize = 0b11;

/// How long an address is.
const POINTER: usize = size_of::<usize>();

/// Half an instruction's operand: `sizeof(_Py_CODEUNIT)`.
const CODE_UNIT: i32 = 2;

/// A frame of a running function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The address of its code object.
    pub code: usize,
    /// Where in the code it is, in bytes, as `PyCode_Addr2Line` counts.
    pub offset: i32,
}

/// Appends the frames of the thread with this state to `frames`, innermost first. A stack that is deeper than
/// [`DEEPEST`] loses its outermost frames.
pub fn walk(memory: &impl Memory, layout: &Layout, thread_state: usize, frames: &mut Vec<Frame>) {
    for frame in addresses(memory, layout, thread_state) {
        if frames.len() == DEEPEST {
            return;
        }
        frames.extend(running(memory, layout, frame));
    }
}

/// The addresses of the frames of the thread with this state, innermost first.
pub fn addresses(
    memory: &impl Memory,
    layout: &Layout,
    thread_state: usize,
) -> impl Iterator<Item = usize> {
    let caller = |frame: &usize| memory.pointer(*frame, layout.caller);
    std::iter::successors(innermost(memory, layout, thread_state), caller).take(LONGEST_WALK)
}

fn innermost(memory: &impl Memory, layout: &Layout, thread_state: usize) -> Option<usize> {
    match layout.innermost {
        Innermost::Direct(frame) => memory.pointer(thread_state, frame),
        Innermost::ThroughCFrame { c_frame, frame } => {
            memory.pointer(memory.pointer(thread_state, c_frame)?, frame)
        }
    }
}

/// The frame at this address; `None` if no function of the program runs in it (yet).
pub(crate) fn running(memory: &impl Memory, layout: &Layout, frame: usize) -> Option<Frame> {
    let owner: Option<u8> = match layout.owner {
        Some(owner) => {
            let value = memory.number(frame.checked_add(owner.offset)?)?;
            if owner.joins_from.is_some_and(|first| value >= first) {
                return None;
            }
            Some(value)
        }
        None => None,
    };
    let code = Some(memory.pointer(frame, layout.code)? & !TAG).filter(|code| *code != 0)?;
    let offset = match layout.instruction {
        Instruction::Index(index) => {
            let index: i32 = memory.number(frame.checked_add(index)?)?;
            index.checked_mul(CODE_UNIT)?
        }
        Instruction::Pointer {
            pointer: instruction,
            start,
            first_traceable,
        } => {
            let instruction = memory.pointer(frame, instruction)?;
            let start = first_instruction(memory, start, frame, code)?;
            let offset = i32::try_from(instruction.wrapping_sub(start).cast_signed()).ok()?;
            let first: i32 = memory.number(code.checked_add(first_traceable)?)?;
            if owner != Some(OWNED_BY_GENERATOR) && offset < first.checked_mul(CODE_UNIT)? {
                return None;
            }
            offset
        }
    };
    Some(Frame { code, offset })
}

/// The address of the first instruction of the code that a frame runs.
fn first_instruction(
    memory: &impl Memory,
    start: Start,
    frame: usize,
    code: usize,
) -> Option<usize> {
    match start {
        Start::InCode(offset) => code.checked_add(offset),
        Start::InCopy { copies, index } => {
            let array = memory.pointer(code, copies)?;
            let count: usize = memory.number(array)?;
            let index: i32 = memory.number(frame.checked_add(index)?)?;
            let index = usize::try_from(index).ok().filter(|it| *it < count)?;
            let copy = memory.pointer(array, POINTER.checked_mul(index.checked_add(1)?)?)?;
            // Another thread may have put a longer array in its place meanwhile, and have freed this one.
            (memory.pointer(code, copies) == Some(array)).then_some(copy)
        }
    }
}

/// A hash of the `bytes` object at `address`.
pub fn hash_of_bytes(memory: &impl Memory, layout: &Layout, address: usize) -> Option<u64> {
    let length: usize = memory.number(address.checked_add(layout.bytes.length)?)?;
    let start = address.checked_add(layout.bytes.start)?;
    // FNV-1a, eight bytes at a time; the rest is covered by a last, overlapping step.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ length as u64;
    let mut step = |value: u64| {
        hash = (hash ^ value)
            .wrapping_mul(0x0000_0100_0000_01b3)
            .rotate_left(23);
    };
    let length = length.min(LONGEST_TABLE);
    if length < 8 {
        let mut bytes = [0; 8];
        memory.bytes(start, &mut bytes[..length])?;
        step(u64::from_ne_bytes(bytes));
    } else {
        for offset in (0..length - 7).step_by(8).chain([length - 8]) {
            step(memory.number(start.checked_add(offset)?)?);
        }
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::layout::{LAYOUTS, Owner};

    /// Memory with these words and nothing else.
    struct Words(HashMap<usize, u64>);

    impl Memory for Words {
        fn bytes(&self, address: usize, buffer: &mut [u8]) -> Option<()> {
            let word = self.0.get(&(address / 8 * 8))?.to_ne_bytes();
            let (_, rest) = word.split_at(address % 8);
            buffer.copy_from_slice(rest.get(..buffer.len())?);
            Some(())
        }
    }

    const STATE: usize = 0x1000;
    const C_FRAME: usize = 0x2000;
    const CODE: usize = 0x10_0000;

    /// A thread of CPython 3.12 with as many frames, each the caller of the one before; the last one's caller is `end`.
    fn stack(frames: usize, end: usize) -> Words {
        let address = |frame: usize| 0x4000 + frame * 0x100;
        let mut words = HashMap::from([
            (STATE + 56, C_FRAME as u64),
            (C_FRAME, address(0) as u64),
            (CODE + 176, 0),
        ]);
        for frame in 0..frames {
            let caller = if frame + 1 == frames {
                end
            } else {
                address(frame + 1)
            };
            let instruction = CODE + 192 + 2 * frame;
            words.extend([
                (address(frame), CODE as u64),
                (address(frame) + 8, caller as u64),
                (address(frame) + 56, instruction as u64),
                (address(frame) + 64, 0),
            ]);
        }
        Words(words)
    }

    fn read(memory: &Words) -> Vec<Frame> {
        let mut frames = Vec::new();
        walk(memory, &LAYOUTS[2].1, STATE, &mut frames);
        frames
    }

    #[test]
    fn frames_come_innermost_first() {
        let expected = [0, 2, 4].map(|offset| Frame { code: CODE, offset });
        assert_eq!(read(&stack(3, 0)), expected);
    }

    #[test]
    fn a_circle_of_frames_ends() {
        assert_eq!(read(&stack(3, 0x4000)).len(), DEEPEST);
    }

    #[test]
    fn a_circle_of_frames_that_run_nothing_ends() {
        let mut memory = stack(1, 0x4000);
        let Some(Owner { offset, joins_from }) = LAYOUTS[2].1.owner else {
            panic!("3.12 has owners");
        };
        let owner = u64::from(joins_from.unwrap()) << (offset % 8 * 8);
        memory.0.insert(0x4000 + 64, owner);
        assert_eq!(read(&memory), []);
    }

    #[test]
    fn a_stack_that_leads_out_of_memory_ends() {
        assert_eq!(read(&stack(2, usize::MAX - 4)).len(), 2);
        assert_eq!(read(&Words(HashMap::new())), []);
    }
}
