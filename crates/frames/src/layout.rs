//! Where CPython keeps what a stack is made of.
//!
//! Offsets in bytes on x86-64, taken with `offsetof` from the headers that each version installs; a version keeps them
//! in all its patch releases. A free-threaded build lays its objects out differently and is not among them.

/// The layout of one version of CPython.
#[derive(Debug)]
pub struct Layout {
    /// Major and minor version.
    pub version: (u8, u8),
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
    /// How long `PyASCIIObject` is: where the characters of an ASCII string begin.
    pub ascii_header: usize,
    /// How long `PyCompactUnicodeObject` is: where the characters of any other string begin.
    pub compact_header: usize,
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
    /// In an object of its own.
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
        /// In the code object: the first instruction.
        code_start: usize,
        /// In the code object: the index of the first instruction that belongs to the function's own text, an `int`.
        /// Before it, the frame is still being set up.
        first_traceable: usize,
    },
}

/// Who a frame belongs to, as far as it matters.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// In the frame: the owner, a byte.
    pub offset: usize,
    /// The value for a frame that only joins the interpreter to C code and runs no function.
    pub c_stack: Option<u8>,
}

/// `FRAME_OWNED_BY_GENERATOR`, in every version that has owners.
pub const OWNED_BY_GENERATOR: u8 = 1;

/// The layouts that are known: CPython 3.10 (`cpython/frameobject.h`, `cpython/code.h`), 3.11 to 3.13
/// (`internal/pycore_frame.h`, `cpython/code.h`, `cpython/pystate.h`), all (`cpython/unicodeobject.h`,
/// `internal/pycore_runtime.h`, `internal/pycore_interp.h`).
pub const LAYOUTS: [Layout; 4] = [
    Layout {
        version: (3, 10),
        innermost: Innermost::Direct(24),
        caller: 24,
        code: 32,
        instruction: Instruction::Index(96),
        owner: None,
        file: 104,
        // 3.10 has no qualified name in its code objects.
        function: 112,
        first_line: 40,
        line_table: 120,
        table: Table::Deltas,
        ascii_header: 48,
        compact_header: 72,
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
        },
    },
    Layout {
        version: (3, 11),
        innermost: Innermost::ThroughCFrame {
            c_frame: 56,
            frame: 8,
        },
        caller: 48,
        code: 32,
        instruction: Instruction::Pointer {
            pointer: 56,
            code_start: 184,
            first_traceable: 168,
        },
        owner: Some(Owner {
            offset: 69,
            c_stack: None,
        }),
        file: 112,
        function: 128,
        first_line: 72,
        line_table: 136,
        table: Table::Locations,
        ascii_header: 48,
        compact_header: 72,
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
        },
    },
    Layout {
        version: (3, 12),
        innermost: Innermost::ThroughCFrame {
            c_frame: 56,
            frame: 0,
        },
        caller: 8,
        code: 0,
        instruction: Instruction::Pointer {
            pointer: 56,
            code_start: 192,
            first_traceable: 176,
        },
        owner: Some(Owner {
            offset: 70,
            c_stack: Some(3),
        }),
        file: 112,
        function: 128,
        first_line: 68,
        line_table: 136,
        table: Table::Locations,
        ascii_header: 40,
        compact_header: 56,
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
        },
    },
    Layout {
        version: (3, 13),
        innermost: Innermost::Direct(72),
        caller: 8,
        code: 0,
        instruction: Instruction::Pointer {
            pointer: 56,
            code_start: 200,
            first_traceable: 184,
        },
        owner: Some(Owner {
            offset: 70,
            c_stack: Some(3),
        }),
        file: 112,
        function: 128,
        first_line: 68,
        line_table: 136,
        table: Table::Locations,
        ascii_header: 40,
        compact_header: 56,
        runtime: Runtime {
            interpreters: 632,
            next_interpreter: 7264,
            threads: 7344,
            next_thread: 8,
            pthread: 152,
            id: Some(160),
            gil: Gil::Pointed {
                pointer: 16,
                holder: 8,
                locked: 16,
            },
        },
    },
];

impl Layout {
    /// The layout of the interpreter that describes itself so (`Py_GetVersion`), e.g. `3.11.7 (main, …) [GCC 12.2.0]`.
    pub fn of(description: &str) -> Option<&'static Layout> {
        if description.contains("free-threading") {
            return None;
        }
        let mut numbers = description.split('.');
        let version = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        LAYOUTS.iter().find(|layout| layout.version == version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_known_or_it_is_not() {
        let version = |description| Layout::of(description).map(|layout| layout.version);
        assert_eq!(
            version("3.11.7 (main, May  9 2026) [GCC 12.2.0]"),
            Some((3, 11))
        );
        assert_eq!(version("3.13.0 (main)"), Some((3, 13)));
        assert_eq!(
            version("3.13.0 experimental free-threading build (main)"),
            None
        );
        assert_eq!(version("3.9.18 (main)"), None);
        assert_eq!(version("3.14.0rc1 (main)"), None);
        assert_eq!(version(""), None);
    }
}
