//! Exports of Nsight Systems: `nsys export --type sqlite report.nsys-rep`.
//!
//! The tables are those of NVIDIA's *`SQLite` Export Schema Reference*. They are made only where there is something for them, and versions
//! add columns; so a table or a column may be missing. Identifiers of threads (`globalTid`) hold the
//! process in bits 24 to 47 and the thread in those below.

mod database;
#[cfg(test)]
mod tests;

use std::path::Path;

use rustc_hash::FxHashMap;

use self::database::{Database, numbers, text};
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
    database.query(query, |row| {
        let [start, end, thread] = numbers(row);
        let thread = thread.unwrap_or(0);
        if let Some(span) = span(start, end).filter(|_| process_of(thread) == process) {
            let name = to.name(text(row, 3));
            let thread = to.thread(unsigned(Some(process)), unsigned(Some(thread & 0xff_ffff)));
            to.range(span, name, thread);
        }
    })
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
    database.query("SELECT id, name FROM TARGET_INFO_GPU LIMIT 64", |row| {
        let [number] = numbers(row);
        let name = String::from_utf8_lossy(text(row, 1));
        to.device(unsigned(number), name.chars().take(100).collect());
    })
}
