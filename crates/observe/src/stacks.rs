//! Python stacks, each frame written once.

use cgsan_model::ThreadId;
use cgsan_trace::{CodeId, FrameId, Record, StringId};
use rustc_hash::FxHashMap;

use crate::python::{Fingerprint, Frame, Reader};
use crate::strings::Strings;
use crate::thread;
use crate::writer::Writer;

/// How many places in code are kept at hand; a program that makes code without end starts over.
const MOST_PLACES: usize = 1 << 18;

/// Folders of code that is not the program's own: packages, the standard library, the agent.
const OF_OTHERS: [&str; 4] = [
    "/site-packages/",
    "/dist-packages/",
    "/lib/python3.",
    "/agent/cgsan_agent/",
];

/// The Python stacks that the trace defines.
pub struct Stacks {
    reader: Option<&'static Reader>,
    /// The folder of the agent, whose frames are not the program's.
    agent: Option<&'static str>,
    /// The stack being read, innermost frame first; kept to be used again.
    frames: Vec<Frame>,
    places: FxHashMap<Place, Known>,
    codes: FxHashMap<(StringId, StringId, u32), CodeId>,
    ids: FxHashMap<(Option<FrameId>, CodeId, u32), FrameId>,
    /// The only thread whose stacks are read, once the interpreter is about to be taken apart by it.
    only: Option<ThreadId>,
}

/// A place in code, called from somewhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    code: usize,
    offset: i32,
    caller: Option<FrameId>,
}

/// What a place was when it was last seen.
struct Known {
    /// Its frame; that of its caller where it is the agent's.
    id: Option<FrameId>,
    compiled_from_string: bool,
    /// The code object may have been freed since, and another one made at its address.
    fingerprint: Fingerprint,
}

impl Stacks {
    /// No stacks yet. Without a reader there will be none. Frames of code in the folder `agent` are left out of them, so that a
    /// stack is the same whether the agent stands between the program and PyTorch or not.
    pub fn new(reader: Option<&'static Reader>, agent: &'static str) -> Stacks {
        Stacks {
            reader,
            agent: Some(agent).filter(|folder| !folder.is_empty()),
            frames: Vec::new(),
            places: FxHashMap::default(),
            codes: FxHashMap::default(),
            ids: FxHashMap::default(),
            only: None,
        }
    }

    /// From here on, reads the stacks of the calling thread alone, which takes the interpreter apart: it frees the states
    /// of the others at a moment that they cannot see coming.
    pub fn only_of_this_thread(&mut self) {
        self.only = Some(thread::current_thread());
    }

    /// The calling thread's stack, defining what is new of it; `None` if it has no Python frame.
    pub fn take(&mut self, writer: &mut Writer, strings: &mut Strings) -> Option<FrameId> {
        let reader = self.reader?;
        if self
            .only
            .is_some_and(|only| only != thread::current_thread())
        {
            return None;
        }
        let mut frames = std::mem::take(&mut self.frames);
        reader.read(&mut frames);
        let innermost = frames.iter().rev().fold(None, |caller, frame| {
            self.intern(writer, strings, reader, *frame, caller)
                .or(caller)
        });
        self.frames = frames;
        innermost
    }

    /// The calling thread's innermost line outside packages, as `file:line`; that of code without a file if there is no
    /// other.
    pub fn own_line(&self) -> Option<String> {
        let reader = self.reader?;
        let mut frames = Vec::new();
        reader.read(&mut frames);
        let mut without_file = None;
        for frame in frames {
            let file = reader.code_text(frame)?.file;
            let place = || format!("{file}:{}", reader.line(frame));
            if file.starts_with('<') {
                without_file.get_or_insert_with(place);
            } else if !OF_OTHERS.iter().any(|folder| file.contains(folder)) {
                return Some(place());
            }
        }
        without_file
    }

    fn intern(
        &mut self,
        writer: &mut Writer,
        strings: &mut Strings,
        reader: &Reader,
        frame: Frame,
        caller: Option<FrameId>,
    ) -> Option<FrameId> {
        let place = Place {
            code: frame.code,
            offset: frame.offset,
            caller,
        };
        if let Some(known) = self.places.get(&place) {
            let now = reader.fingerprint(frame, known.compiled_from_string);
            if now == Some(known.fingerprint) {
                return known.id;
            }
        }

        let text = reader.code_text(frame)?;
        let compiled_from_string = text.file.starts_with('<');
        let fingerprint = reader.fingerprint(frame, compiled_from_string)?;
        let id = if self.is_agent(&text.file) {
            caller
        } else {
            let file = strings.intern(writer, &text.file);
            let function = strings.intern(writer, &text.function);
            let code = self.code(writer, file, function, text.first_line);
            Some(self.frame(writer, caller, code, reader.line(frame)))
        };
        if self.places.len() >= MOST_PLACES {
            self.places.clear();
        }
        self.places.insert(
            place,
            Known {
                id,
                compiled_from_string,
                fingerprint,
            },
        );
        id
    }

    fn is_agent(&self, file: &str) -> bool {
        let below = self.agent.and_then(|folder| file.strip_prefix(folder));
        below.is_some_and(|rest| rest.starts_with('/'))
    }

    fn code(
        &mut self,
        writer: &mut Writer,
        file: StringId,
        function: StringId,
        first_line: u32,
    ) -> CodeId {
        let next = CodeId(next_id(self.codes.len()));
        *self
            .codes
            .entry((file, function, first_line))
            .or_insert_with(|| {
                writer.append(Record::Code {
                    id: next,
                    file,
                    function,
                    first_line,
                });
                next
            })
    }

    fn frame(
        &mut self,
        writer: &mut Writer,
        parent: Option<FrameId>,
        code: CodeId,
        line: u32,
    ) -> FrameId {
        let next = FrameId(next_id(self.ids.len()));
        *self.ids.entry((parent, code, line)).or_insert_with(|| {
            writer.append(Record::Frame {
                id: next,
                parent,
                code,
                line,
            });
            next
        })
    }
}

/// The id after so many others. Four thousand million definitions do not fit into memory.
fn next_id(defined: usize) -> u32 {
    u32::try_from(defined).unwrap_or(u32::MAX)
}
