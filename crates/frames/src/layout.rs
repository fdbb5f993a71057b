//! Where CPython keeps what a stack is made of.
//!
//! Offsets in bytes on x86-64. From 3.13 on the interpreter publishes them (see [`crate::published`]). Those of older
//! versions were taken with `offsetof` from the headers that each version installs; a version keeps them in all its patch
//! releases.

use crate::memory::Memory;
use crate::published;

/// The layout of an interpreter.
#[derive(Clone, Debug)]
pub struct Layout {
    /// From the thread's state to its innermost frame.
    pub innermost: Innermost,
    /// In a frame: the frame that called it.
    pub caller: usize,
    /// In a frame: the code object that it runs.
    pub code: usize,
    /// In a frame: where in the code it is.
    pub instruction: Instruction,
    /// In a frame: whether it is a real one.
    pub owner: Option<Owner>,
    /// In a frame: its variables, and after them the values that it works with.
    pub values: usize,
    /// In a code object: the file's name.
    pub file: usize,
    /// In a code object: the function's qualified name.
    pub function: usize,
    /// In a code object: the first line, an `int`.
    pub first_line: usize,
    /// In a code object: the line table, a `bytes`.
    pub line_table: usize,
    /// What the line table is like.
    pub table: Table,
    /// What a `str` is like.
    pub text: Text,
    /// What a `bytes` is like.
    pub bytes: Bytes,
    /// What the keys of a `dict` are like.
    pub keys: Keys,
    /// In a code object: the names of all variables, a `tuple`, in the order in which frames have their values.
    pub variables: Option<usize>,
    /// How the threads are found.
    pub runtime: Runtime,
}

/// What a line table is like.
#[derive(Clone, Copy, Debug)]
pub enum Table {
    /// Pairs of differences (`co_linetable` of 3.10).
    Deltas,
    /// Locations (`co_linetable` from 3.11 on).
    Locations,
}

/// What a `str` is like.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The number of characters.
    pub length: usize,
    /// The bits that say how the characters are kept, an `unsigned int`.
    pub state: usize,
    /// Which of these bits is the lowest of the width of a character. Free-threaded builds from 3.14 on keep a whole byte
    /// before it.
    pub width_bit: u32,
    /// How long `PyASCIIObject` is: where the characters of an ASCII string begin.
    pub ascii_header: usize,
    /// How long `PyCompactUnicodeObject` is: where the characters of any other string begin.
    pub compact_header: usize,
}

/// What a `bytes` is like.
#[derive(Clone, Copy, Debug)]
pub struct Bytes {
    /// How many bytes it has.
    pub length: usize,
    /// The bytes.
    pub start: usize,
}

/// What the keys of a `dict` are like.
#[derive(Clone, Copy, Debug)]
pub enum Keys {
    /// They begin with their number (3.10).
    Sized,
    /// They have the logarithms of their sizes (from 3.11 on).
    Logarithms,
}

/// From `_PyRuntime` to the states of threads.
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// In `_PyRuntime`: the first interpreter.
    pub interpreters: usize,
    /// In an interpreter: the next one.
    pub next_interpreter: usize,
    /// In an interpreter: the state of its newest thread.
    pub threads: usize,
    /// In a state: that of the next thread.
    pub next_thread: usize,
    /// In a state: what `pthread_self` returns.
    pub pthread: usize,
    /// In a state: what `gettid` returns.
    pub id: Option<usize>,
    /// Where the interpreter's lock is.
    pub gil: Gil,
    /// How the end of a thread is told.
    pub end: End,
}

/// How the end of a thread is told to those that join it.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// A lock is released, to which the thread's state has a weak reference, at this offset.
    Lock(usize),
    /// An event happens.
    Event,
}

/// Where the interpreter's lock is.
#[derive(Clone, Copy, Debug)]
pub enum Gil {
    /// In `_PyRuntime`: the state of its last holder, and whether it is held, an `int`.
    InRuntime {
        /// The state.
        holder: usize,
        /// Whether it is held.
        locked: usize,
    },
    /// In an object of its own. A free-threaded build has it too, and takes it only once the lock is turned on.
    Pointed {
        /// In an interpreter: the object.
        pointer: usize,
        /// In the object: the state of its last holder.
        holder: usize,
        /// In the object: whether it is held, an `int`.
        locked: usize,
    },
}

/// How a thread's state leads to its innermost frame.
#[derive(Clone, Copy, Debug)]
pub enum Innermost {
    /// The state points to the frame.
    Direct(usize),
    /// The state points to a `_PyCFrame`, which points to the frame.
    ThroughCFrame {
        /// In the state: the `_PyCFrame`.
        c_frame: usize,
        /// In the `_PyCFrame`: the frame.
        frame: usize,
    },
}

/// How a frame says where in its code it is.
#[derive(Clone, Copy, Debug)]
pub enum Instruction {
    /// By the index of the instruction, an `int`.
    Index(usize),
    /// By a pointer into the code.
    Pointer {
        /// In the frame: the pointer.
        pointer: usize,
        /// Where the first instruction is.
        start: Start,
        /// In the code object: the index of the first instruction that belongs to the function's own text, an `int`.
        /// Before it, the frame is still being set up.
        first_traceable: usize,
    },
}

/// Where the first instruction of a frame's code is.
#[derive(Clone, Copy, Debug)]
pub enum Start {
    /// In the code object, at this offset.
    InCode(usize),
    /// In the thread's own copy of the instructions, as free-threaded builds have it since 3.14.
    InCopy {
        /// In the code object: the array of copies, which begins with their number.
        copies: usize,
        /// In the frame: which copy it runs, an `int`.
        index: usize,
    },
}

/// Who a frame belongs to, as far as it matters.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// In the frame: the owner, a byte.
    pub offset: usize,
    /// The first value for a frame that only joins the interpreter to C code and runs no function.
    pub joins_from: Option<u8>,
}

/// `FRAME_OWNED_BY_GENERATOR`, in every version that has owners.
pub const OWNED_BY_GENERATOR: u8 = 1;

/// Beginnings of objects, in 3.10 to 3.12.
const BYTES: Bytes = Bytes {
    length: 16,
    start: 32,
};

const fn text(ascii_header: usize, compact_header: usize) -> Text {
    Text {
        length: 16,
        state: 32,
        width_bit: 2,
        ascii_header,
        compact_header,
    }
}

/// The layouts of versions that do not publish them: CPython 3.10 (`cpython/frameobject.h`, `cpython/code.h`), 3.11 and 3.12
/// (`internal/pycore_frame.h`, `cpython/code.h`, `cpython/pystate.h`), all (`cpython/unicodeobject.h`,
/// `internal/pycore_runtime.h`, `internal/pycore_interp.h`).
pub const LAYOUTS: [((u8, u8), Layout); 3] = [
    (
        (3, 10),
        Layout {
            innermost: Innermost::Direct(24),
            caller: 24,
            code: 32,
            instruction: Instruction::Index(96),
            owner: None,
            values: 352,
            file: 104,
            // 3.10 has no qualified name in its code objects.
            function: 112,
            first_line: 40,
            line_table: 120,
            table: Table::Deltas,
            text: text(48, 72),
            bytes: BYTES,
            keys: Keys::Sized,
            variables: None,
            runtime: Runtime {
                interpreters: 32,
                next_interpreter: 0,
                threads: 8,
                next_thread: 8,
                pthread: 176,
                id: None,
                gil: Gil::InRuntime {
                    holder: 360,
                    locked: 368,
                },
                end: End::Lock(208),
            },
        },
    ),
    (
        (3, 11),
        Layout {
            innermost: Innermost::ThroughCFrame {
                c_frame: 56,
                frame: 8,
            },
            caller: 48,
            code: 32,
            instruction: Instruction::Pointer {
                pointer: 56,
                start: Start::InCode(184),
                first_traceable: 168,
            },
            owner: Some(Owner {
                offset: 69,
                joins_from: None,
            }),
            values: 72,
            file: 112,
            function: 128,
            first_line: 72,
            line_table: 136,
            table: Table::Locations,
            text: text(48, 72),
            bytes: BYTES,
            keys: Keys::Logarithms,
            variables: Some(96),
            runtime: Runtime {
                interpreters: 40,
                next_interpreter: 0,
                threads: 16,
                next_thread: 8,
                pthread: 152,
                id: Some(160),
                gil: Gil::InRuntime {
                    holder: 368,
                    locked: 376,
                },
                end: End::Lock(192),
            },
        },
    ),
    (
        (3, 12),
        Layout {
            innermost: Innermost::ThroughCFrame {
                c_frame: 56,
                frame: 0,
            },
            caller: 8,
            code: 0,
            instruction: Instruction::Pointer {
                pointer: 56,
                start: Start::InCode(192),
                first_traceable: 176,
            },
            owner: Some(Owner {
                offset: 70,
                joins_from: Some(3),
            }),
            values: 72,
            file: 112,
            function: 128,
            first_line: 68,
            line_table: 136,
            table: Table::Locations,
            text: text(40, 56),
            bytes: BYTES,
            keys: Keys::Logarithms,
            variables: Some(96),
            runtime: Runtime {
                interpreters: 40,
                next_interpreter: 0,
                threads: 72,
                next_thread: 8,
                pthread: 136,
                id: Some(144),
                gil: Gil::Pointed {
                    pointer: 384,
                    holder: 8,
                    locked: 16,
                },
                end: End::Lock(176),
            },
        },
    ),
];

impl Layout {
    /// The layout of the interpreter whose `_PyRuntime` is at the address `runtime`, of this major and minor version;
    /// `None` for one that is not known.
    ///
    /// What an interpreter publishes says its version as well, so that an unreadable `version` matters to older ones alone.
    pub fn of(memory: &impl Memory, runtime: usize, version: Option<(u8, u8)>) -> Option<Layout> {
        if published::is_at(memory, runtime) {
            return published::layout(memory, runtime);
        }
        let known = LAYOUTS
            .into_iter()
            .find(|(known, _)| Some(*known) == version);
        known.map(|(_, layout)| layout)
    }

    /// How long the beginning of every object is; its type is the last in it.
    pub fn head(&self) -> usize {
        self.bytes.length
    }
}

/// The major and minor version at the beginning of a text such as `3.11.7 (main, …) [GCC 12.2.0]`.
pub fn version(text: &str) -> Option<(u8, u8)> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Memory for Nothing {
        fn bytes(&self, _address: usize, _buffer: &mut [u8]) -> Option<()> {
            None
        }
    }

    #[test]
    fn a_version_is_known_or_it_is_not() {
        let known = |description| Layout::of(&Nothing, 0x1000, version(description)).is_some();
        assert!(known("3.11.7 (main, May  9 2026) [GCC 12.2.0]"));
        assert!(known("3.12"));
        for unknown in ["3.9.18 (main)", "3.13.0 (main)", "3.16.0a1 (main)", "3", ""] {
            assert!(!known(unknown), "{unknown}");
        }
    }
}
