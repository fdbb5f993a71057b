//! A trace in memory, its definitions resolved.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use cgsan_model::{FunctionId, ThreadId};

use crate::format::HEADER_LENGTH;
use crate::read::{File, Header, Records};
use crate::{
    AgentEvent, CallRecord, CodeId, Entry, FrameId, Kept, NativeFrame, NativeStackId, ParseError,
    ProcessInfo, Rank, ReadError, Record, StackFrame, StringId,
};

/// Bytes of a record in a file, with its header; most are larger.
const SMALLEST_RECORD: u64 = 32;

/// What one process did, in order.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    process: ProcessInfo,
    began_ns: u64,
    entries: Vec<Entry>,
    /// The entries in which the agent reported something.
    agent_events: Vec<usize>,
    unreadable_agent_events: usize,
    unknown_records: usize,
    strings: Vec<String>,
    codes: Vec<Code>,
    frames: Vec<Frame>,
    native_stacks: Vec<Vec<NativeFrame>>,
    /// The operators of PyTorch that made calls, by entry.
    operators: BTreeMap<usize, String>,
    functions: BTreeMap<FunctionId, StringId>,
    /// The names of each thread, each with the number of entries before it.
    thread_names: BTreeMap<ThreadId, Vec<(usize, StringId)>>,
    kept: Kept,
    ending: Ending,
    part_begins: usize,
    summarized: Option<Summarized>,
    /// The code of cells of a notebook, by name.
    cells: BTreeMap<String, String>,
}

/// How a trace ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// The process ended in an orderly way, and everything it did was recorded.
    Orderly,
    /// The process was killed, aborted or left through `_exit`; everything it did until then was recorded.
    #[default]
    CutOff,
    /// Recording stopped before the process ended, for lack of disk space or through an error of cgsan.
    Stopped,
    /// The file is shorter than what was written, or damaged: what follows `offset` is lost.
    Damaged {
        /// Where in the file the first unreadable record begins, in bytes.
        offset: usize,
    },
}

/// What the oldest entries of a trace gave way to, which was to stay short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summarized {
    /// How many entries gave way.
    pub entries: u64,
    /// What was found in them: a summary as it stands in a file of summaries.
    pub summary: String,
}

#[derive(Clone, Copy, Debug)]
struct Code {
    file: StringId,
    function: StringId,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    parent: Option<FrameId>,
    code: CodeId,
    line: u32,
}

impl Trace {
    /// Reads the trace at `path`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or is not a trace that this cgsan can read. A trace that is cut off or damaged further on is
    /// no error: it is read up to there, and [`Trace::ending`] says so.
    pub fn read(path: &Path) -> Result<Trace, ReadError> {
        File::open(path)?
            .read(|file| Trace::of_records(&mut file.records, &file.header, file.bytes))
    }

    /// Reads a trace from the bytes of its file.
    ///
    /// # Errors
    ///
    /// Those of [`Trace::read`] that do not concern the file system.
    pub fn parse(bytes: &[u8]) -> Result<Trace, ParseError> {
        let header = Header::parse(bytes)?;
        let mut records = Records::new(&bytes[HEADER_LENGTH..], &header);
        Trace::of_records(&mut records, &header, bytes.len() as u64)
    }

    /// Reads a trace from its records, which are in so many bytes.
    fn of_records<R: Read>(
        records: &mut Records<R>,
        header: &Header,
        bytes: u64,
    ) -> Result<Trace, ParseError> {
        let Some(Ok(Entry {
            time_ns: began_ns,
            record: Record::Process(process),
            ..
        })) = records.next()
        else {
            return Err(ParseError::NoRecord);
        };
        let mut trace = Trace {
            process,
            began_ns,
            ..Trace::default()
        };
        // Memory that is not used costs nothing, and moving all entries to a larger place does. Without it, they are moved.
        let most = header.committed.min(bytes) / SMALLEST_RECORD;
        let _ = trace
            .entries
            .try_reserve_exact(usize::try_from(most).unwrap_or_default());
        trace.ending = trace.take_all(records, header);
        trace.name_cells();
        if trace.unknown_records > 0 {
            // These places were counted with entries that are not here.
            trace.kept.contradiction.clear();
        }
        Ok(trace)
    }

    /// Adds records up to the end, and says how they end.
    fn take_all<R: Read>(&mut self, records: &mut Records<R>, header: &Header) -> Ending {
        let mut ended = false;
        loop {
            let offset = records.offset();
            let Some(read) = records.next() else {
                return match (records.at_end(), header.stopped, ended) {
                    (false, ..) => Ending::Damaged { offset },
                    (true, true, _) => Ending::Stopped,
                    (true, false, true) => Ending::Orderly,
                    (true, false, false) => Ending::CutOff,
                };
            };
            let Ok(entry) = read else {
                self.unknown_records += 1;
                continue;
            };
            if self.kept.take(&entry.record) {
                continue;
            }
            ended = entry.record == Record::End;
            if self.take(entry).is_none() {
                return Ending::Damaged { offset };
            }
        }
    }

    /// The process that the trace is of.
    pub fn process(&self) -> &ProcessInfo {
        &self.process
    }

    /// When recording began, in nanoseconds of `CLOCK_MONOTONIC`, at the time of day that [`ProcessInfo::started`] has.
    pub fn began_ns(&self) -> u64 {
        self.began_ns
    }

    /// Whether a call to a real GPU was seen only on its way to the CUDA runtime, and not by CUPTI, which sees those of all
    /// libraries: it reports replays and their order, and nothing about captures. Refusals are left to CUPTI; the function that
    /// one came through may be named by [`Trace::name_caller`].
    pub fn is_aside(&self, call: &CallRecord) -> bool {
        !self.process.virtual_gpu && call.runtime.is_some() && call.result.is_success()
    }

    /// What happened, in order. Definitions and the names of threads are not among it: they are resolved.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Leaves the entries out that `is_kept`, given their indexes, does not want. Those before the index `begins` only lead up to
    /// the part of the program that the others are of.
    pub fn narrow(&mut self, begins: usize, is_kept: impl Fn(usize) -> bool) {
        let mut places = Vec::with_capacity(self.entries.len() + 1);
        let mut kept = 0;
        for index in 0..self.entries.len() {
            places.push(kept);
            kept += usize::from(is_kept(index));
        }
        places.push(kept);
        let place = |index: usize| places.get(index).copied().unwrap_or(kept);
        let mut index = 0;
        self.entries.retain(|_| {
            index += 1;
            is_kept(index - 1)
        });
        self.agent_events.retain(|index| is_kept(*index));
        for event in &mut self.agent_events {
            *event = place(*event);
        }
        self.operators = std::mem::take(&mut self.operators)
            .into_iter()
            .filter(|(index, _)| is_kept(*index))
            .map(|(index, name)| (place(index), name))
            .collect();
        for (before, _) in self.thread_names.values_mut().flatten() {
            *before = place(*before);
        }
        self.kept.contradiction.clear();
        self.part_begins = place(begins);
    }

    /// What the oldest entries gave way to; `None` if all are here.
    pub fn summarized(&self) -> Option<&Summarized> {
        self.summarized.as_ref()
    }

    /// How many entries only lead up to the part of the program that the trace was narrowed to, or to those that did not give way;
    /// 0 in a whole trace.
    pub fn part_begins(&self) -> usize {
        self.part_begins
    }

    /// How the trace ends.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// Whether the process ended in an orderly way and everything was recorded.
    pub fn complete(&self) -> bool {
        self.ending == Ending::Orderly
    }

    /// What the agent reported, each with the index of its entry, in order.
    pub fn agent_events(&self) -> impl DoubleEndedIterator<Item = (usize, &AgentEvent)> {
        let indexes = self.agent_events.iter();
        indexes.filter_map(|index| Some((*index, self.agent_event(*index)?)))
    }

    /// What the agent reported in the entry of this index.
    pub fn agent_event(&self, entry: usize) -> Option<&AgentEvent> {
        match &self.entries.get(entry)?.record {
            Record::Agent { event, .. } => Some(event),
            _ => None,
        }
    }

    /// The place of the process in a distributed job, as it was known last; `None` if it is part of none.
    pub fn rank(&self) -> Option<Rank> {
        let reported = self
            .agent_events()
            .rev()
            .find_map(|(_, event)| match event {
                AgentEvent::Rank(rank) => Some(*rank),
                _ => None,
            });
        let at_start = self.process.rank.map(|rank| Rank {
            rank,
            local_rank: None,
            world_size: None,
        });
        reported.or(at_start)
    }

    /// The processes that this one forked.
    pub fn children(&self) -> impl Iterator<Item = u32> {
        self.entries.iter().filter_map(|entry| match entry.record {
            Record::Fork { child } => Some(child),
            _ => None,
        })
    }

    /// Whether the process used CUDA, as [`Record::is_of_cuda`] tells.
    pub fn uses_cuda(&self) -> bool {
        self.entries.iter().any(|entry| entry.record.is_of_cuda())
    }

    /// How many reports of the agent could not be understood; they are not among the entries.
    pub fn unreadable_agent_events(&self) -> usize {
        self.unreadable_agent_events
    }

    /// How many records have something in them that only a newer cgsan knows; they are not among the entries.
    pub fn unknown_records(&self) -> usize {
        self.unknown_records
    }

    /// The string behind an id; empty if the trace does not define it.
    pub fn string(&self, id: StringId) -> &str {
        at(&self.strings, id.0).map_or("", String::as_str)
    }

    /// A Python stack, innermost frame first; without the frames that the trace does not define.
    pub fn stack(&self, innermost: FrameId) -> Vec<StackFrame> {
        // A parent is always older than its child (`take` sees to it), so this ends.
        std::iter::successors(Some(innermost), |id| at(&self.frames, id.0)?.parent)
            .map_while(|id| self.resolved(id))
            .collect()
    }

    /// A frame of a Python stack as it is kept: the frame that called it, what tells its function from others, and the line.
    pub fn frame(&self, id: FrameId) -> Option<(Option<FrameId>, CodeId, u32)> {
        let frame = at(&self.frames, id.0)?;
        Some((frame.parent, frame.code, frame.line))
    }

    /// The file and the qualified name of a function; empty if the trace does not define it.
    pub fn code(&self, id: CodeId) -> (&str, &str) {
        at(&self.codes, id.0).map_or(("", ""), |code| {
            (self.string(code.file), self.string(code.function))
        })
    }

    /// One frame of a Python stack, resolved.
    pub fn resolved(&self, id: FrameId) -> Option<StackFrame> {
        let frame = at(&self.frames, id.0)?;
        let (file, function) = self.code(frame.code);
        Some(StackFrame {
            file: file.to_owned(),
            function: function.to_owned(),
            line: frame.line,
        })
    }

    /// A native stack, innermost frame first; empty if the trace does not define it.
    pub fn native_stack(&self, id: NativeStackId) -> &[NativeFrame] {
        at(&self.native_stacks, id.0).map_or(&[], Vec::as_slice)
    }

    /// The native stacks.
    pub fn native_stacks(&self) -> impl Iterator<Item = &[NativeFrame]> {
        self.native_stacks.iter().map(Vec::as_slice)
    }

    /// What was found out after the run.
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// The same, to add to it.
    pub fn kept_mut(&mut self) -> &mut Kept {
        &mut self.kept
    }

    /// The name of a kernel, mangled, as the program names it.
    pub fn function_name(&self, id: FunctionId) -> Option<&str> {
        self.functions.get(&id).map(|name| self.string(*name))
    }

    /// The last name that a thread had.
    pub fn thread_name(&self, thread: ThreadId) -> Option<&str> {
        self.thread_name_at(thread, usize::MAX)
    }

    /// The name that a thread had when it made the entry of this index, or else its next one: threads are often named
    /// a moment after they start, and their numbers are used again after they end.
    pub fn thread_name_at(&self, thread: ThreadId, entry: usize) -> Option<&str> {
        let names = self.thread_names.get(&thread)?;
        let earlier = names.partition_point(|(before, _)| *before <= entry);
        let (_, name) = names.get(earlier.saturating_sub(1))?;
        Some(self.string(*name))
    }

    /// Says by which functions a recorded call was made, as its native stack shows. Names that are there stay.
    pub fn name_caller(&mut self, entry: usize, runtime: Option<&str>, library: Option<&str>) {
        let mut add = |name: &str| {
            self.strings.push(name.to_owned());
            u32::try_from(self.strings.len() - 1).ok().map(StringId)
        };
        let Some(Entry {
            record: Record::Call(call),
            ..
        }) = self.entries.get_mut(entry)
        else {
            return;
        };
        call.runtime = call.runtime.or_else(|| runtime.and_then(&mut add));
        call.library = call.library.or_else(|| library.and_then(&mut add));
    }

    /// The code of the cells of a notebook, by the name that takes the place of a file's: `In [3]`.
    pub fn cells(&self) -> impl Iterator<Item = (&str, &str)> {
        let cells = self.cells.iter();
        cells.map(|(name, code)| (name.as_str(), code.as_str()))
    }

    /// Gives cells of a notebook the names that a person knows them by, wherever the files stand that the kernel made up for them.
    fn name_cells(&mut self) {
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for index in &self.agent_events {
            if let Some(Record::Agent {
                event: AgentEvent::Cell { file, number, code },
                ..
            }) = self.entries.get(*index).map(|it| &it.record)
            {
                let name = format!("In [{number}]");
                self.cells.insert(name.clone(), code.clone());
                names.insert(file.clone(), name);
            }
        }
        if names.is_empty() {
            return;
        }
        let mut rename = |text: &mut String| {
            if let Some(name) = names.get(text) {
                text.clone_from(name);
            }
        };
        self.strings.iter_mut().for_each(&mut rename);
        for index in &self.agent_events {
            if let Some(entry) = self.entries.get_mut(*index) {
                entry.record.change_texts(&mut rename);
            }
        }
    }

    /// The operator of PyTorch (`_local_scalar_dense`) that made a recorded call, if it was found out.
    pub fn operator(&self, entry: usize) -> Option<&str> {
        self.operators.get(&entry).map(String::as_str)
    }

    /// Says by which operator of PyTorch a recorded call was made, as its native stack shows.
    pub fn name_operator(&mut self, entry: usize, operator: String) {
        self.operators.insert(entry, operator);
    }

    /// Adds a record; `None` if it contradicts those before it.
    fn take(&mut self, entry: Entry) -> Option<()> {
        match entry.record {
            Record::Process(_) => return None,
            Record::String { id, text } => define(&mut self.strings, id.0, text)?,
            Record::Code {
                id, file, function, ..
            } => define(&mut self.codes, id.0, Code { file, function })?,
            Record::Frame {
                id,
                parent,
                code,
                line,
            } => {
                if parent.is_some_and(|parent| parent >= id) {
                    return None;
                }
                define(&mut self.frames, id.0, Frame { parent, code, line })?;
            }
            Record::NativeStack { id, frames } => define(&mut self.native_stacks, id.0, frames)?,
            Record::Function { id, name } => {
                self.functions.insert(id, name);
            }
            Record::ThreadName { name } => {
                let names = self.thread_names.entry(entry.thread).or_default();
                names.push((self.entries.len(), name));
            }
            Record::Agent { .. } => {
                self.agent_events.push(self.entries.len());
                self.entries.push(entry);
            }
            Record::UnreadableAgentEvent => self.unreadable_agent_events += 1,
            Record::Summarized { entries, summary } => {
                self.part_begins = self.entries.len();
                self.summarized = Some(Summarized { entries, summary });
            }
            _ if entry.record.is_entry() => self.entries.push(entry),
            // Those that are kept were taken over before.
            _ => {}
        }
        Some(())
    }
}

/// Adds a definition; ids are given out in order, so any other id means damage.
fn define<T>(definitions: &mut Vec<T>, id: u32, value: T) -> Option<()> {
    (definitions.len() == id as usize).then(|| definitions.push(value))
}

fn at<T>(definitions: &[T], id: u32) -> Option<&T> {
    definitions.get(id as usize)
}
