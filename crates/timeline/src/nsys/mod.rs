//! Exports of Nsight Systems: `nsys export --type sqlite report.nsys-rep`.
//!
//! The tables are those of NVIDIA's *SQLite Export Schema Reference*. They are made only where there is something for them, and versions
//! add columns; so a table or a column may be missing. Identifiers of threads (`globalTid`) hold the
//! process in bits 24 to 47 and the thread in those below.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, Row};
use rustc_hash::FxHashMap;

use crate::{Builder, CallKind, Error, Lack, NameId, Source, Span, Timeline, Work, WorkKind};

/// How such a file begins.
pub const MAGIC: &[u8] = b"SQLite format 3\0";

/// `NvtxPushPopRange` and `NvtxStartEndRange` of `NVTX_EVENTS.eventType`.
const RANGES: [i64; 2] = [59, 60];

/// The name of an activity's table.
const CALLS: &str = "CUPTI_ACTIVITY_KIND_RUNTIME";

/// Reads an export. The process with the most calls is read; correlations of several processes cannot be told apart.
///
/// # Errors
///
/// If it cannot be read, or is a database of something else.
pub fn read(path: &Path) -> Result<Timeline, Error> {
    let database = Database::open(path)?;
    let mut to = Builder::new(Source::Nsight);
    let Some(process) = busiest_process(&database, &mut to)? else {
        return Err(Error::NoEvents);
    };
    let mut names = FxHashMap::default();
    read_calls(&database, process, &mut names, &mut to)?;
    read_kernels(&database, process, &mut names, &mut to)?;
    read_copies(&database, process, &mut to)?;
    read_fills(&database, process, &mut to)?;
    read_whole_replays(&database, process, &mut to)?;
    read_ranges(&database, process, &mut names, &mut to)?;
    read_devices(&database, &mut to)?;
    Ok(to.finish())
}

/// A file that is only read.
struct Database(Connection);

impl Database {
    fn open(path: &Path) -> Result<Self, Error> {
        // Immutable, so that nothing is created beside it. Such a name needs its special characters escaped.
        let mut name = "file:".to_owned();
        for byte in path.as_os_str().as_bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => {
                    name.push(char::from(*byte));
                }
                byte => {
                    let _ = write!(name, "%{byte:02x}");
                }
            }
        }
        name += "?mode=ro&immutable=1";
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_URI
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(name, flags)?;
        // What the file defines is not run: views, triggers and expressions with functions that could do harm.
        connection.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")?;
        Ok(Self(connection))
    }

    /// The columns of a table; none if it is not there, or is no table.
    fn columns(&self, table: &str) -> Result<Vec<String>, Error> {
        let is_table = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        let count: i64 = self.0.query_row(is_table, [table], |row| row.get(0))?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut statement = self.0.prepare("SELECT name FROM pragma_table_info(?1)")?;
        let names = statement.query_map([table], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    /// Shows each row of a table, with these columns as numbers; `None` for what is null or missing. Nothing if there is no such
    /// table, or if it lacks a column whose name ends in `!`.
    fn rows<const N: usize>(
        &self,
        table: &str,
        columns: [&str; N],
        mut show: impl FnMut([Option<i64>; N]),
    ) -> Result<bool, Error> {
        let has = self.columns(table)?;
        let is_there = |name: &str| has.iter().any(|it| it == name);
        let needed = columns.iter().filter_map(|it| it.strip_suffix('!'));
        if has.is_empty() || !needed.into_iter().all(is_there) {
            return Ok(false);
        }
        let names = columns.map(|name| match name.trim_end_matches('!') {
            name if is_there(name) => format!("\"{name}\""),
            _ => "NULL".to_owned(),
        });
        let query = format!("SELECT {} FROM \"{table}\"", names.join(", "));
        let mut statement = self.0.prepare(&query)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            show(numbers(row));
        }
        Ok(true)
    }

    /// The id of a name by its number in `StringIds`.
    fn name(
        &self,
        number: Option<i64>,
        known: &mut FxHashMap<i64, NameId>,
        to: &mut Builder,
    ) -> NameId {
        let Some(number) = number else {
            return to.name(b"");
        };
        *known.entry(number).or_insert_with(|| {
            let query = "SELECT value FROM StringIds WHERE id = ?1";
            let text = self
                .0
                .query_row(query, [number], |row| row.get::<_, String>(0));
            to.name(text.unwrap_or_default().as_bytes())
        })
    }
}

fn numbers<const N: usize>(row: &Row<'_>) -> [Option<i64>; N] {
    std::array::from_fn(|at| row.get(at).ok())
}

impl From<rusqlite::Error> for Error {
    fn from(reason: rusqlite::Error) -> Self {
        Self::Database(reason.to_string())
    }
}

/// The process of an identifier.
fn process_of(global: i64) -> i64 {
    global >> 24 & 0xff_ffff
}

/// A time; the export's zero is the begin of the session, before which nothing is.
fn span(start: Option<i64>, end: Option<i64>) -> Option<Span> {
    let start = u64::try_from(start?).ok()?;
    let end = u64::try_from(end?).ok()?;
    Some(Span {
        start,
        end: end.max(start),
    })
}

fn unsigned<T: TryFrom<i64> + Default>(number: Option<i64>) -> T {
    number
        .and_then(|it| T::try_from(it).ok())
        .unwrap_or_default()
}

/// The process with the most calls.
fn busiest_process(database: &Database, to: &mut Builder) -> Result<Option<i64>, Error> {
    let mut counts: FxHashMap<i64, u64> = FxHashMap::default();
    database.rows(CALLS, ["globalTid!"], |[thread]| {
        let process = process_of(thread.unwrap_or(0));
        if counts.len() < 4096 || counts.contains_key(&process) {
            *counts.entry(process).or_default() += 1;
        }
    })?;
    if counts.len() > 1 {
        to.lack(Lack::Processes(counts.len() as u64 - 1));
    }
    let most = counts
        .into_iter()
        .max_by_key(|(process, count)| (*count, -process));
    Ok(most.map(|it| it.0))
}

fn read_calls(
    database: &Database,
    process: i64,
    names: &mut FxHashMap<i64, NameId>,
    to: &mut Builder,
) -> Result<(), Error> {
    let columns = ["start!", "end!", "globalTid!", "correlationId!", "nameId!"];
    database.rows(CALLS, columns, |[start, end, thread, correlation, name]| {
        let thread = thread.unwrap_or(0);
        let Some(span) = span(start, end).filter(|_| process_of(thread) == process) else {
            return;
        };
        let name = database.name(name, names, to);
        let Some(kind) = CallKind::of(to.text(name)) else {
            return;
        };
        let thread = (unsigned(Some(process)), unsigned(Some(thread & 0xff_ffff)));
        to.call(span, name, kind, thread, unsigned(correlation));
    })?;
    Ok(())
}

/// Where and when work was done, and by which call: the columns that the tables of work share.
const OF_WORK: [&str; 6] = [
    "start!",
    "end!",
    "deviceId",
    "streamId!",
    "correlationId!",
    "globalPid",
];

/// Shows each piece of work of a process in a table, as far as the shared columns have it, with two columns more.
fn read_work(
    database: &Database,
    table: &str,
    process: i64,
    more: [&str; 2],
    mut show: impl FnMut(Unnamed, [Option<i64>; 2]),
) -> Result<bool, Error> {
    let [start, end, device, stream, correlation, owner] = OF_WORK;
    let [one, two] = more;
    let columns = [start, end, device, stream, correlation, owner, one, two];
    database.rows(table, columns, |row| {
        let [start, end, device, stream, correlation, owner, one, two] = row;
        let is_other = owner.is_some_and(|it| process_of(it) != process);
        if let Some(span) = span(start, end).filter(|_| !is_other) {
            let work = Unnamed {
                span,
                call: correlation.and_then(|it| u32::try_from(it).ok()),
                stream: unsigned(stream),
                device: unsigned(device),
            };
            show(work, [one, two]);
        }
    })
}

/// Work whose name and kind are not known yet.
struct Unnamed {
    span: Span,
    call: Option<u32>,
    stream: u32,
    device: u16,
}

impl Unnamed {
    fn named(self, name: NameId, kind: WorkKind, bytes: u64) -> Work {
        Work {
            span: self.span,
            bytes,
            name,
            call: self.call,
            stream: self.stream,
            device: self.device,
            kind,
        }
    }
}

fn read_kernels(
    database: &Database,
    process: i64,
    names: &mut FxHashMap<i64, NameId>,
    to: &mut Builder,
) -> Result<(), Error> {
    let table = "CUPTI_ACTIVITY_KIND_KERNEL";
    let more = ["demangledName!", "graphId"];
    read_work(database, table, process, more, |work, [name, graph]| {
        let name = database.name(name, names, to);
        let graph = graph.and_then(|it| u32::try_from(it).ok());
        to.work(
            work.named(name, WorkKind::Kernel, 0),
            graph.filter(|it| *it != 0),
        );
    })?;
    Ok(())
}

fn read_copies(database: &Database, process: i64, to: &mut Builder) -> Result<(), Error> {
    // `CUpti_ActivityMemcpyKind`, and `CUpti_ActivityMemoryKind` as Nsight Systems counts it: 0 is pageable.
    const TO_DEVICE: i64 = 1;
    const TO_HOST: i64 = 2;
    const PAGEABLE: i64 = 0;
    let table = "CUPTI_ACTIVITY_KIND_MEMCPY";
    let names = [
        ("Memcpy HtoD", WorkKind::FromHost),
        ("Memcpy DtoH (Device -> Pageable)", WorkKind::ToPageable),
        ("Memcpy DtoH", WorkKind::ToHost),
        ("Memcpy DtoD", WorkKind::Copy),
    ];
    let names = names.map(|(name, kind)| (to.name(name.as_bytes()), kind));
    let [from_host, to_pageable, to_host, on_device] = names;
    let more = ["copyKind!", "dstKind"];
    read_work(database, table, process, more, |work, [kind, target]| {
        let (name, kind) = match kind {
            Some(TO_DEVICE) => from_host,
            Some(TO_HOST) if target == Some(PAGEABLE) => to_pageable,
            Some(TO_HOST) => to_host,
            _ => on_device,
        };
        to.work(work.named(name, kind, 0), None);
    })?;
    Ok(())
}

fn read_fills(database: &Database, process: i64, to: &mut Builder) -> Result<(), Error> {
    let name = to.name(b"Memset");
    let table = "CUPTI_ACTIVITY_KIND_MEMSET";
    let more = ["bytes", "value"];
    read_work(database, table, process, more, |work, [bytes, _]| {
        to.work(work.named(name, WorkKind::Fill, unsigned(bytes)), None);
    })?;
    Ok(())
}

/// Replays as wholes, which is what `--cuda-graph-trace=graph` records.
fn read_whole_replays(database: &Database, process: i64, to: &mut Builder) -> Result<(), Error> {
    let table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
    let mut any = false;
    let more = ["graphId", "graphExecId"];
    read_work(
        database,
        table,
        process,
        more,
        |work, [graph, executable]| {
            any = true;
            let number = executable.or(graph).unwrap_or(0);
            let name = to.name(format!("graph {number}").as_bytes());
            to.work(
                work.named(name, WorkKind::Graph, 0),
                u32::try_from(number).ok(),
            );
        },
    )?;
    if any {
        to.lack(Lack::Nodes);
    }
    Ok(())
}

fn read_ranges(
    database: &Database,
    process: i64,
    names: &mut FxHashMap<i64, NameId>,
    to: &mut Builder,
) -> Result<(), Error> {
    let columns = ["start!", "end!", "eventType!", "globalTid!", "textId!"];
    let is_range = |kind: Option<i64>| kind.is_some_and(|it| RANGES.contains(&it));
    // Names that the program made on the spot stand in the row, as text.
    let mut unnamed = false;
    database.rows(
        "NVTX_EVENTS",
        columns,
        |[start, end, kind, thread, name]| {
            let thread = thread.unwrap_or(0);
            let is_ours = is_range(kind) && process_of(thread) == process;
            let Some(span) = span(start, end).filter(|_| is_ours) else {
                return;
            };
            if name.is_none() {
                unnamed = true;
                return;
            }
            let name = database.name(name, names, to);
            let thread = to.thread(unsigned(Some(process)), unsigned(Some(thread & 0xff_ffff)));
            to.range(span, name, thread);
        },
    )?;
    if unnamed {
        read_named_on_the_spot(database, process, to)?;
    }
    Ok(())
}

/// Ranges whose names stand in their rows.
fn read_named_on_the_spot(
    database: &Database,
    process: i64,
    to: &mut Builder,
) -> Result<(), Error> {
    if !database
        .columns("NVTX_EVENTS")?
        .iter()
        .any(|it| it == "text")
    {
        return Ok(());
    }
    let query = "SELECT start, \"end\", globalTid, text FROM NVTX_EVENTS \
                 WHERE eventType IN (59, 60) AND textId IS NULL AND text IS NOT NULL";
    let mut statement = database.0.prepare(query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let [start, end, thread] = numbers(row);
        let thread = thread.unwrap_or(0);
        let text = row.get_ref(3)?.as_bytes().unwrap_or_default();
        if let Some(span) = span(start, end).filter(|_| process_of(thread) == process) {
            let name = to.name(text);
            let thread = to.thread(unsigned(Some(process)), unsigned(Some(thread & 0xff_ffff)));
            to.range(span, name, thread);
        }
    }
    Ok(())
}

fn read_devices(database: &Database, to: &mut Builder) -> Result<(), Error> {
    let table = "TARGET_INFO_GPU";
    let has = database.columns(table)?;
    if !["id", "name"]
        .iter()
        .all(|it| has.iter().any(|has| has == it))
    {
        return Ok(());
    }
    let query = "SELECT id, name FROM TARGET_INFO_GPU LIMIT 64";
    let mut statement = database.0.prepare(query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let name = row.get_ref(1)?.as_bytes().unwrap_or_default();
        let name: String = String::from_utf8_lossy(name).chars().take(100).collect();
        to.device(unsigned(row.get(0).ok()), name);
    }
    Ok(())
}
