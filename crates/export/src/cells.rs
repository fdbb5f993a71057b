//! The cells of a row.

use cgsan_finding::Process;
use cgsan_trace::Trace;

use crate::column::{Column, Kind};
use crate::lines::Line;

/// What stands in a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell<'a> {
    Null,
    Text(&'a str),
    Number(i64),
    Truth(bool),
}

/// A number as a cell; the largest there is stands for those that are larger.
pub(crate) fn number<'a>(number: impl TryInto<i64>) -> Cell<'a> {
    Cell::Number(number.try_into().unwrap_or(i64::MAX))
}

/// What may be missing, as a cell.
pub(crate) fn maybe<'a, T>(value: Option<T>, cell: impl FnOnce(T) -> Cell<'a>) -> Cell<'a> {
    value.map_or(Cell::Null, cell)
}

/// Whose row it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner<'a> {
    /// What a person named.
    pub(crate) run: &'a str,
    /// The number of the process in the export; `None` if it is not in it.
    pub(crate) number: Option<usize>,
    pub(crate) process: &'a Process,
}

/// The columns that say whose a row is, which every table begins with.
pub(crate) const OWNER: [Column; 5] = [
    text(
        "run",
        "the file or folder that the trace was found at, as it was given",
    ),
    integer(
        "process",
        "the number of the process in this export, from 0; with `--partitioned`, a number that it has in all exports",
    ),
    integer("rank", "its rank in the distributed job"),
    text("host", "the name of its machine"),
    integer("pid", "its process id"),
];

/// Which of the columns has the number of the process.
pub(crate) const NUMBER: usize = 1;

impl<'a> Owner<'a> {
    /// The cells of [`OWNER`].
    pub(crate) fn cells(&self) -> [Cell<'a>; OWNER.len()] {
        [
            Cell::Text(self.run),
            maybe(self.number, number),
            maybe(self.process.rank, number),
            maybe(self.process.host.as_deref(), Cell::Text),
            number(self.process.pid),
        ]
    }
}

/// The columns of a line of the program.
pub(crate) const LINE: [Column; 3] = [
    text("file", "the file of the line of the program"),
    integer("line", "the line, counted from 1"),
    text("in_function", "the Python function around it"),
];

/// The cells of [`LINE`].
pub(crate) fn line(line: Option<&Line>) -> [Cell<'_>; LINE.len()] {
    [
        maybe(line, |it| Cell::Text(&it.file)),
        maybe(line, |it| number(it.location.line)),
        maybe(line, |it| Cell::Text(&it.location.function)),
    ]
}

/// When recording began in a process, and how its clock becomes a time of day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    began_ns: u64,
    started_ns: u64,
}

impl Clock {
    /// That of the process of a trace.
    pub(crate) fn of(trace: &Trace) -> Clock {
        let process = trace.process();
        let started_ns = process.started.saturating_mul(1_000_000_000);
        let rest = process.started_ns.unwrap_or_default();
        Clock {
            began_ns: trace.began_ns(),
            started_ns: started_ns.saturating_add(u64::from(rest)),
        }
    }

    /// When recording began.
    pub(crate) fn started(self) -> Cell<'static> {
        number(self.started_ns)
    }

    /// A moment, as nanoseconds since the Unix epoch.
    pub(crate) fn time(self, time_ns: u64) -> Cell<'static> {
        number(self.unix_ns(time_ns))
    }

    /// The same as a number.
    pub(crate) fn unix_ns(self, time_ns: u64) -> u64 {
        let since = time_ns.saturating_sub(self.began_ns);
        self.started_ns.saturating_add(since)
    }
}

/// A column of texts.
pub(crate) const fn text(name: &'static str, what: &'static str) -> Column {
    column(name, Kind::Text, what)
}

/// A column of numbers.
pub(crate) const fn integer(name: &'static str, what: &'static str) -> Column {
    column(name, Kind::Number, what)
}

/// A column of truth values.
pub(crate) const fn truth(name: &'static str, what: &'static str) -> Column {
    column(name, Kind::Truth, what)
}

/// A column of times of day.
pub(crate) const fn time(name: &'static str, what: &'static str) -> Column {
    column(name, Kind::Time, what)
}

const fn column(name: &'static str, kind: Kind, what: &'static str) -> Column {
    Column { name, kind, what }
}
