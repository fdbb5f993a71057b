//! One event of a trace.

use super::scan::{self, Member, Stop};
use crate::{Builder, CallKind, Span, Work, WorkKind};

/// The fields of an event that matter, as they stand in the file; empty where they are missing. Profilers write them in any order.
#[derive(Clone, Copy, Debug, Default)]
struct Fields<'a> {
    phase: &'a [u8],
    category: &'a [u8],
    name: &'a [u8],
    process: &'a [u8],
    thread: &'a [u8],
    begin: &'a [u8],
    duration: &'a [u8],
    arguments: &'a [u8],
}

/// What the arguments of an event say.
#[derive(Clone, Copy, Debug, Default)]
struct Arguments {
    correlation: Option<u32>,
    device: Option<u16>,
    stream: Option<u32>,
    graph: Option<u32>,
    bytes: u64,
}

/// Reads the event that `bytes` begin with into a builder; gives its length.
pub(super) fn read(bytes: &[u8], to: &mut Builder) -> Result<usize, Stop> {
    let (fields, length) = fields(bytes)?;
    if scan::unquoted(fields.phase) == b"X" {
        keep(fields, to);
    }
    Ok(length)
}

fn fields(bytes: &[u8]) -> Result<(Fields<'_>, usize), Stop> {
    let mut fields = Fields::default();
    let mut at = 1;
    loop {
        let (key, begin, end) = match scan::member(bytes, at)? {
            Member::Value(key, begin, end) => (key, begin, end),
            Member::End(end) => return Ok((fields, end)),
        };
        at = end;
        let value = &bytes[begin..end];
        match key {
            b"ph" => fields.phase = value,
            b"cat" => fields.category = value,
            b"name" => fields.name = value,
            b"pid" => fields.process = value,
            b"tid" => fields.thread = value,
            b"ts" => fields.begin = value,
            b"dur" => fields.duration = value,
            b"args" => fields.arguments = value,
            _ => {}
        }
    }
}

fn keep(fields: Fields<'_>, to: &mut Builder) {
    match scan::unquoted(fields.category) {
        b"kernel" => work(fields, |_| WorkKind::Kernel, to),
        b"gpu_memcpy" => work(fields, copied, to),
        b"gpu_memset" => work(fields, |_| WorkKind::Fill, to),
        b"cuda_runtime" | b"cuda_driver" => call(fields, to),
        b"user_annotation" => on_host(fields, to, Builder::range),
        b"cpu_op" => on_host(fields, to, Builder::operator),
        b"python_function" => on_host(fields, to, Builder::frame),
        _ => {}
    }
}

/// What is copied to what, by the name that Kineto gives a copy: `Memcpy DtoH (Device -> Pageable)`.
fn copied(name: &str) -> WorkKind {
    if name.contains("-> Pageable") {
        WorkKind::ToPageable
    } else if name.contains("DtoH") {
        WorkKind::ToHost
    } else if name.contains("HtoD") {
        WorkKind::FromHost
    } else {
        WorkKind::Copy
    }
}

fn span(fields: Fields<'_>) -> Option<Span> {
    let begin = scan::nanoseconds(fields.begin)?;
    Some(Span::new(
        begin,
        scan::nanoseconds(fields.duration).unwrap_or(0),
    ))
}

/// The numbers of the process and of the thread.
fn thread(fields: Fields<'_>) -> (u64, u64) {
    let number = |value| scan::integer(value).unwrap_or(0);
    (number(fields.process), number(fields.thread))
}

fn name(fields: Fields<'_>, to: &mut Builder) -> crate::NameId {
    let raw = scan::unquoted(fields.name);
    if scan::has_escapes(raw)
        && let Ok(text) = serde_json::from_slice::<String>(fields.name)
    {
        return to.name(text.as_bytes());
    }
    to.name(raw)
}

fn work(fields: Fields<'_>, kind: impl Fn(&str) -> WorkKind, to: &mut Builder) {
    let Some(span) = span(fields) else { return };
    let arguments = arguments(fields.arguments);
    let (device, stream) = thread(fields);
    let name = name(fields, to);
    let work = Work {
        span,
        bytes: arguments.bytes,
        name,
        call: arguments.correlation,
        stream: arguments
            .stream
            .or_else(|| u32::try_from(stream).ok())
            .unwrap_or(0),
        device: arguments
            .device
            .or_else(|| u16::try_from(device).ok())
            .unwrap_or(0),
        kind: kind(to.text(name)),
    };
    to.work(work, arguments.graph);
}

fn call(fields: Fields<'_>, to: &mut Builder) {
    let function = std::str::from_utf8(scan::unquoted(fields.name));
    let Some(kind) = function.ok().and_then(CallKind::of) else {
        return;
    };
    let Some(span) = span(fields) else { return };
    let correlation = arguments(fields.arguments).correlation.unwrap_or(0);
    let name = name(fields, to);
    to.call(span, name, kind, thread(fields), correlation);
}

fn on_host(
    fields: Fields<'_>,
    to: &mut Builder,
    keep: impl Fn(&mut Builder, Span, crate::NameId, crate::ThreadId),
) {
    let Some(span) = span(fields) else { return };
    let (process, thread) = thread(fields);
    let thread = to.thread(process, thread);
    let name = name(fields, to);
    keep(to, span, name, thread);
}

/// What the arguments say; nothing if they are malformed, since their end was found already.
fn arguments(bytes: &[u8]) -> Arguments {
    let mut arguments = Arguments::default();
    if bytes.first() != Some(&b'{') {
        return arguments;
    }
    let mut at = 1;
    while let Ok(Member::Value(key, begin, end)) = scan::member(bytes, at) {
        at = end;
        let number = || scan::integer(&bytes[begin..end]);
        let short = || number().and_then(|it| u32::try_from(it).ok());
        match key {
            b"correlation" => arguments.correlation = short(),
            b"device" => arguments.device = number().and_then(|it| u16::try_from(it).ok()),
            b"stream" => arguments.stream = short(),
            // 0 stands for work that no graph did.
            b"graph id" => arguments.graph = short().filter(|it| *it != 0),
            b"bytes" => arguments.bytes = number().unwrap_or(0),
            _ => {}
        }
    }
    arguments
}
