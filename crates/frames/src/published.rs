//! Where an interpreter says its objects are kept, at the beginning of `_PyRuntime` (`_Py_DebugOffsets`, from CPython 3.13 on).
//!
//! It says so for the build at hand, free-threaded or not, with Python's debugging or without. What it says is not trusted:
//! an offset that does not lie in its object makes the whole layout unknown.

use crate::layout::{
    Bytes, End, Gil, Innermost, Instruction, Keys, Layout, Owner, Runtime, Start, Table, Text,
};
use crate::memory::Memory;

/// What the offsets begin with.
const COOKIE: [u8; 8] = *b"xdebugpy";

/// How many words of the offsets are read; the rest is about other objects.
const WORDS: usize = 96;

/// The largest object that is believed: the state of an interpreter, by far.
const LARGEST: u64 = 1 << 24;

/// In the offsets, by words: the version, as `PY_VERSION_HEX`.
const VERSION: usize = 1;

/// Whether the build is free-threaded.
const FREE_THREADED: usize = 2;

/// The part about `_PyRuntime`, as all parts an object's size and then the offsets in it.
const RUNTIME: usize = 3;

/// The part about an interpreter's state.
const INTERPRETER: usize = 6;

/// The lowest kind of release whose offsets stay as they are: a candidate (`PY_RELEASE_LEVEL_GAMMA`).
const CANDIDATE: u64 = 0xc;

/// `FRAME_OWNED_BY_CSTACK` of 3.13 and `FRAME_OWNED_BY_INTERPRETER` since.
const JOINS_FROM: u8 = 3;

/// Where the other parts are in one version, in words.
struct Parts {
    minor: u8,
    /// In the part about an interpreter's state: its lock.
    gil: usize,
    thread: usize,
    /// In the part about a thread's state: what `pthread_self` returns; after it, what `gettid` does.
    pthread: usize,
    frame: usize,
    code: usize,
    bytes: usize,
    text: usize,
    /// What asks a thread to run a script, where a version has it and it is known.
    debugger: Option<usize>,
    /// Whether free-threaded builds give each thread a copy of the instructions, and a byte to what a `str` begins its
    /// state with.
    has_copies: bool,
}

/// The versions whose offsets are known (`internal/pycore_runtime.h` of 3.13, `internal/pycore_debug_offsets.h` since).
const PARTS: [Parts; 3] = [
    Parts {
        minor: 13,
        gil: 8,
        thread: 19,
        pthread: 5,
        frame: 28,
        code: 34,
        bytes: 64,
        text: 67,
        debugger: None,
        has_copies: false,
    },
    Parts {
        minor: 14,
        gil: 9,
        thread: 22,
        pthread: 5,
        frame: 31,
        code: 39,
        bytes: 74,
        text: 77,
        debugger: Some(89),
        has_copies: true,
    },
    Parts {
        minor: 15,
        gil: 9,
        thread: 22,
        pthread: 8,
        frame: 39,
        code: 47,
        bytes: 86,
        text: 89,
        debugger: None,
        has_copies: true,
    },
];

/// Whether an interpreter publishes its layout at this address.
pub fn is_at(memory: &impl Memory, runtime: usize) -> bool {
    memory.number(runtime) == Some(COOKIE)
}

/// The layout that is published at this address; `None` if the version is not known or an offset makes no sense.
pub fn layout(memory: &impl Memory, runtime: usize) -> Option<Layout> {
    let words: [u64; WORDS] = memory.number(runtime)?;
    let offsets = Offsets(&words);
    let parts = parts(&words)?;
    let is_free_threaded = words[FREE_THREADED] != 0;
    let has_copies = parts.has_copies && is_free_threaded;

    let code_start = offsets.get(parts.code, 9)?;
    let (start, behind_first_traceable) = if has_copies {
        let copies = offsets.get(parts.code, 10)?;
        let index = offsets.get(parts.frame, 7)?;
        (Start::InCopy { copies, index }, copies)
    } else {
        (Start::InCode(code_start), code_start)
    };
    let ascii_header = offsets.get(parts.text, 3)?;
    let gil = offsets.get(INTERPRETER, parts.gil + 1)?;
    let in_gil = |field| offsets.get(INTERPRETER, field)?.checked_sub(gil);

    Some(Layout {
        innermost: Innermost::Direct(offsets.get(parts.thread, 4)?),
        caller: offsets.get(parts.frame, 1)?,
        code: offsets.get(parts.frame, 2)?,
        instruction: Instruction::Pointer {
            pointer: offsets.get(parts.frame, 3)?,
            start,
            // Not published. An `int`, and a pointer after it (`cpython/code.h`).
            first_traceable: behind_first_traceable.checked_sub(16)?,
        },
        owner: Some(Owner {
            offset: offsets.get(parts.frame, 5)?,
            joins_from: Some(JOINS_FROM),
        }),
        values: offsets.get(parts.frame, 4)?,
        file: offsets.get(parts.code, 1)?,
        function: offsets.get(parts.code, 3)?,
        first_line: offsets.get(parts.code, 5)?,
        line_table: offsets.get(parts.code, 4)?,
        table: Table::Locations,
        text: Text {
            length: offsets.get(parts.text, 2)?,
            state: offsets.get(parts.text, 1)?,
            width_bit: if has_copies { 8 } else { 2 },
            ascii_header,
            // Published since 3.15 alone. Another form of the text, by its length and a pointer (`cpython/unicodeobject.h`).
            compact_header: ascii_header.checked_add(16)?,
        },
        bytes: Bytes {
            length: offsets.get(parts.bytes, 1)?,
            start: offsets.get(parts.bytes, 2)?,
        },
        keys: Keys::Logarithms,
        variables: Some(offsets.get(parts.code, 7)?),
        runtime: Runtime {
            interpreters: offsets.get(RUNTIME, 2)?,
            next_interpreter: offsets.get(INTERPRETER, 2)?,
            threads: offsets.get(INTERPRETER, 3)?,
            next_thread: offsets.get(parts.thread, 2)?,
            pthread: offsets.get(parts.thread, parts.pthread)?,
            id: Some(offsets.get(parts.thread, parts.pthread + 1)?),
            gil: Gil::Pointed {
                pointer: offsets.get(INTERPRETER, parts.gil)?,
                locked: in_gil(parts.gil + 3)?,
                holder: in_gil(parts.gil + 4)?,
            },
            end: End::Event,
        },
    })
}

/// Where the parts are in the version that these words are of.
fn parts(words: &[u64; WORDS]) -> Option<&'static Parts> {
    let [major, minor, _, release] = u32::try_from(words[VERSION]).ok()?.to_be_bytes();
    if major != 3 || u64::from(release >> 4) < CANDIDATE {
        return None;
    }
    PARTS.iter().find(|parts| parts.minor == minor)
}

/// How a thread is asked to run a script: offsets in its state, in what it has for that, and in the state of its interpreter.
pub struct Debugger {
    pub breaker: usize,
    pub support: usize,
    pub enabled: usize,
    pub pending: usize,
    pub path: usize,
    pub longest: usize,
}

/// How that is published at this address; `None` if it is not, or not known.
pub fn debugger(memory: &impl Memory, runtime: usize) -> Option<Debugger> {
    if !is_at(memory, runtime) {
        return None;
    }
    let words: [u64; WORDS] = memory.number(runtime)?;
    let parts = parts(&words)?;
    let first = parts.debugger?;
    let field = |index: usize| usize::try_from(*words.get(first + index)?).ok();
    let within = |index: usize, part: usize| {
        let size = usize::try_from(*words.get(part)?).ok()?;
        field(index).filter(|offset| *offset < size)
    };
    Some(Debugger {
        breaker: within(0, parts.thread)?,
        support: within(1, parts.thread)?,
        enabled: within(2, INTERPRETER)?,
        pending: field(3)?,
        path: field(4)?,
        longest: field(5)?,
    })
}

/// What is published, in words.
struct Offsets<'a>(&'a [u64; WORDS]);

impl Offsets<'_> {
    /// An offset in the object that a part is about; `None` where it does not lie in it.
    fn get(&self, part: usize, field: usize) -> Option<usize> {
        let size = *self.0.get(part)?;
        let offset = *self.0.get(part + field)?;
        let fits = size <= LARGEST && offset <= size;
        usize::try_from(offset).ok().filter(|_| fits)
    }
}
