//! What a diagnosis says.

use serde::{Serialize, Serializer};

use crate::{Coverage, Process};

/// All that was found, in one process or in several.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The findings, in the order in which their causes happened.
    pub findings: Vec<Finding>,
    /// What limits the diagnosis: missing functions, computed values, a trace that was cut off.
    pub notes: Vec<Note>,
    /// What was watched of a run; `None` where nothing ran, as when source is read.
    pub coverage: Option<Coverage>,
}

/// One root cause. What happened several times is one finding, which tells of the first time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The failure mode, e.g. `CG101`.
    pub id: &'static str,
    /// One line that says what happened here, short enough for a narrow terminal.
    pub title: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// The line of the user's program to look at first.
    pub location: Option<Location>,
    /// The call that was refused.
    pub call: Option<CallInfo>,
    /// The thread that made it.
    pub thread: Option<ThreadInfo>,
    /// The capture that failed.
    pub capture: Option<CaptureInfo>,
    /// Further places that explain it: where the capture began, where a stream was forked.
    pub labels: Vec<Label>,
    /// Facts that belong to it, one sentence each.
    pub notes: Vec<String>,
    /// What to change, most helpful first.
    pub help: Vec<String>,
    /// Later errors that this cause brought about.
    pub consequences: Vec<Consequence>,
    /// The whole Python stack of the cause, innermost frame first.
    pub stack: Vec<Location>,
    /// The native stack of the refused call, innermost frame first, as `file+0xoffset`.
    pub native_stack: Vec<String>,
    /// Whether it is about replays, which one line of a program makes of many graphs.
    #[serde(skip)]
    pub of_replays: bool,
    /// How often it happened, in all processes.
    pub count: usize,
    /// The processes in which it happened, by rank.
    pub processes: Vec<Process>,
}

impl Finding {
    /// Whether two findings are of the same thing: the same line failed in the same way, as in the next iteration of a
    /// loop, or in another rank.
    pub(crate) fn is_like(&self, other: &Finding) -> bool {
        let call = |it: &Finding| Some(it.call.as_ref()?.function.clone());
        let began = |it: &Finding| {
            let capture = it.capture.as_ref()?;
            Some((capture.file.clone(), capture.line))
        };
        self.id == other.id
            && self.location == other.location
            && call(self) == call(other)
            && (self.of_replays || began(self) == began(other))
    }

    /// Counts a later finding that [is like](Finding::is_like) this one.
    pub(crate) fn absorb(&mut self, later: Finding) {
        self.count += later.count;
        for process in later.processes {
            match self.processes.iter_mut().find(|it| it.pid == process.pid) {
                Some(known) => known.count += process.count,
                None => self.processes.push(process),
            }
        }
        Process::sort(&mut self.processes);
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// The recorded events leave no other explanation.
    Confirmed,
    /// The recorded events fit, and another explanation is improbable.
    Likely,
    /// The recorded events fit, among others.
    Possible,
}

/// A place in a Python file: a line, or a part of the text where that is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Location {
    /// The file as the interpreter names it.
    pub file: String,
    /// The line, counted from 1; in a notebook, in the code of all its cells.
    pub line: u32,
    /// Which part of the text, beginning on the line; `None` where only the line is known.
    #[serde(flatten, serialize_with = "columns_or_nulls")]
    pub span: Option<Span>,
    /// In a notebook: the cell.
    pub cell: Option<Cell>,
    /// The function around it.
    pub function: String,
}

/// A part of a text that begins on a known line. Columns are counted from 1, in characters (Unicode's code points).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The column of its first character.
    pub column: u32,
    /// The line on which it ends.
    pub end_line: u32,
    /// The column behind its last character.
    pub end_column: u32,
}

/// A cell of a notebook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Cell {
    /// Its number among all cells of the notebook, counted from 1.
    pub number: u32,
    /// The line in it, counted from 1.
    pub line: u32,
}

/// All fields of a span, so that readers find them whether or not they are known.
#[allow(clippy::ref_option, reason = "serde hands the field over so")]
fn columns_or_nulls<S: Serializer>(span: &Option<Span>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Columns {
        column: Option<u32>,
        end_line: Option<u32>,
        end_column: Option<u32>,
    }
    Columns {
        column: span.map(|it| it.column),
        end_line: span.map(|it| it.end_line),
        end_column: span.map(|it| it.end_column),
    }
    .serialize(serializer)
}

/// A call to CUDA and what came back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallInfo {
    /// The driver function, e.g. `cuStreamSynchronize`.
    pub function: String,
    /// The runtime function it came through, e.g. `cudaStreamSynchronize`.
    pub runtime_function: Option<String>,
    /// The library function it came through, e.g. `cublasCreate_v2`.
    pub library_function: Option<String>,
    /// The code it returned, e.g. 900.
    pub code: i32,
    /// The code's name in the driver API, e.g. `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`.
    pub name: String,
    /// Why, in the model's words.
    pub reason: Option<String>,
}

/// A thread of the watched process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ThreadInfo {
    /// The number that `gettid` returns.
    pub id: u32,
    /// Its name, Python's where it has one.
    pub name: Option<String>,
}

/// A capture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CaptureInfo {
    /// The file of the line that began it.
    pub file: Option<String>,
    /// The line that began it.
    pub line: Option<u32>,
    /// `global`, `thread_local` or `relaxed`.
    pub mode: &'static str,
    /// The origin stream, e.g. `stream 7 (non-blocking)`.
    pub stream: String,
    /// The thread that began it.
    pub thread: ThreadInfo,
}

/// A place and what it has to do with a finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Label {
    /// The place.
    pub location: Location,
    /// What happened there, as a phrase: `the capture began here`.
    pub text: String,
    /// Whether it is where the finding points or what explains it.
    pub role: LabelRole,
}

/// What a labelled place is to its finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LabelRole {
    /// The place to look at first.
    Primary,
    /// A place that explains it.
    Secondary,
}

/// An error that followed from a finding's cause.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Consequence {
    /// The failure mode it would be by itself, e.g. `CG190`, if it has one.
    pub id: Option<&'static str>,
    /// What it was: a call with its code, or an exception with its message.
    pub text: String,
    /// Where it surfaced.
    pub location: Option<Location>,
}

/// A remark about the whole of what was looked at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Note {
    /// How much it weighs.
    pub level: NoteLevel,
    /// What it says, in one or two sentences; further lines, if there are some, are to be shown as they are.
    pub text: String,
    /// Where it first applied.
    pub location: Option<Location>,
}

impl Note {
    /// A remark that limits or explains the findings.
    pub fn new(text: impl Into<String>, location: Option<Location>) -> Self {
        Self {
            level: NoteLevel::Note,
            text: text.into(),
            location,
        }
    }
}

/// How much a remark weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NoteLevel {
    /// Something could not be looked at: a file with a syntax error.
    Error,
    /// The findings are to be read with it in mind.
    Note,
}
