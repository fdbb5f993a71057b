//! Threads, executors and what they wait for each other with.

use std::rc::Rc;

use super::state::event::Event;
use super::state::object::{Barrier, Channel, Flag, Own};
use super::state::threads::Started;
use super::{Cell, Interp, Kind};
use crate::interp::Args;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::TextRange;

/// Seconds that a capture takes at most; who waits for longer waits until it is told.
const LONG: i64 = 2;

/// Calls a function about threads, if it is one.
pub(super) fn call<'p>(
    interp: &mut Interp<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    let site = interp.at(range);
    let kind = match name {
        "threading.Thread" => {
            let target = args.get(1, "target").cloned().unwrap_or(Value::Unknown);
            let passed = passed(interp, args.name("args"), args.name("kwargs"));
            Kind::Library(Own::Thread(Box::new(started(target, passed, range))))
        }
        "concurrent.futures.ThreadPoolExecutor" | "multiprocessing.pool.ThreadPool" => {
            Kind::Library(Own::Executor)
        }
        "queue.Queue" | "queue.SimpleQueue" | "queue.LifoQueue" => {
            Kind::Library(Own::Queue(Value::None))
        }
        "multiprocessing.Pipe" | "socket.socketpair" => {
            let channel = match name {
                "socket.socketpair" => Channel::Socket,
                _ => Channel::Pipe,
            };
            let mut end = || interp.new_object(Kind::Library(Own::Channel(channel)), site);
            let ends = vec![end(), end()];
            return Some(interp.new_list(ends, true));
        }
        "multiprocessing.Queue" | "multiprocessing.SimpleQueue" => {
            Kind::Library(Own::Channel(Channel::Queue))
        }
        "multiprocessing.connection.Client" => Kind::Library(Own::Channel(Channel::Pipe)),
        "socket.socket" | "socket.create_connection" => {
            Kind::Library(Own::Channel(Channel::Socket))
        }
        "threading.Lock"
        | "threading.RLock"
        | "threading.Condition"
        | "threading.Semaphore"
        | "threading.BoundedSemaphore" => Kind::Library(Own::Lock),
        "threading.Event" => Kind::Library(Own::Flag(Flag::default())),
        "threading.Barrier" => Kind::Library(Own::Barrier(Barrier::default())),
        "concurrent.futures.wait" | "concurrent.futures.as_completed" => {
            interp.threads_meet();
            let futures = args.positional.first().cloned().unwrap_or(Value::Unknown);
            joins_all(interp, &futures);
            return Some(futures);
        }
        "asyncio.run" | "asyncio.create_task" | "asyncio.ensure_future" | "asyncio.wait_for" => {
            return args.positional.first().cloned();
        }
        "asyncio.gather" => {
            let results = args.positional.clone();
            return Some(interp.new_list(results, !args.open));
        }
        _ => return None,
    };
    Some(interp.new_object(kind, site))
}

fn started<'p>(target: Value<'p>, args: Args<'p>, range: TextRange) -> Started<'p> {
    Started {
        object: None,
        executor: None,
        target,
        args,
        short: false,
        range,
    }
}

/// The arguments that `args=(...)` and `kwargs={...}` stand for.
fn passed<'p>(
    interp: &Interp<'p>,
    positional: Option<&Value<'p>>,
    named: Option<&Value<'p>>,
) -> Args<'p> {
    let mut args = Args::default();
    match positional {
        Some(Value::List(list)) => {
            let list = interp.heap.list(*list).filter(|list| list.exact);
            args.open |= list.is_none();
            args.positional = list.map(|list| list.items.clone()).unwrap_or_default();
        }
        Some(Value::None) | None => {}
        Some(_) => args.open = true,
    }
    match named {
        Some(Value::Dict(cell)) => {
            if let Cell::Dict(items) = interp.heap.get(*cell) {
                args.named = items
                    .iter()
                    .map(|(name, it)| (Rc::clone(name), it.clone()))
                    .collect();
                args.named.sort_by(|a, b| a.0.cmp(&b.0));
            }
        }
        Some(Value::None) | None => {}
        Some(_) => args.open = true,
    }
    args
}

/// Calls a method of a thread, an executor, or what threads wait with, if it is one.
pub(super) fn method<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    kind: &Kind<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    match kind {
        // A stream waits for it, and not the host.
        Kind::Library(Own::Event(_)) if is_meeting(name) => interp.emit(Event::ThreadsMeet),
        _ if is_meeting(name) => interp.threads_meet(),
        _ => {}
    }
    Some(match (kind, name) {
        (Kind::Library(Own::Thread(thread)), "start") => {
            let object = Some(cell);
            let thread = Started::clone(thread);
            interp.start_thread(Started {
                object,
                range,
                ..thread
            });
            Value::None
        }
        (Kind::Instance(_), "start") if interp.is_thread(cell) => {
            let run = interp.attribute(&Value::Object(cell), "run", range);
            let object = Some(cell);
            let thread = started(run, Args::default(), range);
            interp.start_thread(Started { object, ..thread });
            Value::None
        }
        (Kind::Library(Own::Thread(_)) | Kind::Instance(_), "join") if interp.is_thread(cell) => {
            interp.join_thread(cell);
            Value::None
        }
        (Kind::Library(Own::Executor), _) => executor(interp, cell, name, args, range),
        (Kind::Library(Own::Future(result)), "result" | "get") => {
            interp.join_thread(cell);
            result.clone()
        }
        (Kind::Library(Own::Future(_)), "exception" | "wait") => {
            interp.join_thread(cell);
            Value::Unknown
        }
        (Kind::Library(Own::Queue(held)), _) => queue(interp, cell, held, name, args, range)?,
        (Kind::Library(Own::Channel(channel)), _) => message(interp, *channel, name, args, range),
        (Kind::Library(Own::Lock), "wait" | "wait_for" | "acquire") => {
            // Who releases it when is not followed.
            if interp.is_thread_beside() {
                interp.thread_stops();
            }
            Value::Bool(None)
        }
        (Kind::Library(Own::Flag(flag)), _) => self::flag(interp, cell, *flag, name, args)?,
        (Kind::Library(Own::Barrier(barrier)), "wait") => {
            barrier_wait(interp, cell, Barrier::clone(barrier));
            Value::number()
        }
        _ => return None,
    })
}

/// A method of a pipe, of a queue between processes or of a socket.
fn message<'p>(
    interp: &mut Interp<'p>,
    channel: Channel,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let what = match (channel, name) {
        (Channel::Pipe, "send" | "send_bytes" | "recv" | "recv_bytes" | "recv_bytes_into") => {
            "pipe"
        }
        (Channel::Queue, "get" | "get_nowait" | "put" | "put_nowait") => "queue between processes",
        (
            Channel::Socket,
            "send" | "sendall" | "sendto" | "recv" | "recv_into" | "recvfrom" | "recvfrom_into",
        ) => "socket",
        _ => return interp.call_unknown(args),
    };
    let what = format!("`{name}` of a {what}");
    interp.emit(Event::Message { what: &what, range });
    interp.call_unknown(args)
}

/// Whether a method of that name waits for something that another thread does.
fn is_meeting(name: &str) -> bool {
    matches!(
        name,
        "acquire"
            | "exception"
            | "get"
            | "join"
            | "recv"
            | "result"
            | "shutdown"
            | "wait"
            | "wait_for"
    )
}

fn executor<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Value<'p> {
    let mut passed = args.clone();
    if passed.positional.is_empty() || matches!(name, "shutdown" | "close" | "join") {
        if matches!(name, "shutdown" | "join") {
            interp.join_executor(cell);
        }
        return Value::None;
    }
    let target = passed.positional.remove(0);
    match name {
        "submit" => submit(interp, cell, target, passed, range),
        _ => Value::Unknown,
    }
}

/// `executor.submit(...)`: a future.
fn submit<'p>(
    interp: &mut Interp<'p>,
    executor: CellId,
    target: Value<'p>,
    args: Args<'p>,
    range: TextRange,
) -> Value<'p> {
    for value in args.positional.clone() {
        interp.emit(Event::Handed {
            by: executor,
            value: &value,
            range,
        });
    }
    let site = interp.at(range);
    let future = interp.new_object(Kind::Library(Own::Future(Value::Unknown)), site);
    let Value::Object(cell) = future else {
        return future;
    };
    let task = started(target, args, range);
    let result = interp.start_thread(Started {
        object: Some(cell),
        executor: Some(executor),
        ..task
    });
    if let Some(Kind::Library(Own::Future(held))) =
        interp.heap.object_mut(cell).map(|it| &mut it.kind)
    {
        *held = result;
    }
    future
}

/// Notes that all futures of a list have their results.
fn joins_all<'p>(interp: &mut Interp<'p>, futures: &Value<'p>) {
    let items = match futures {
        Value::List(list) => interp.heap.list(*list).map(|list| list.items.clone()),
        Value::Dict(_) | Value::Unknown => {
            interp.join_all_tasks();
            None
        }
        _ => None,
    };
    for item in items.into_iter().flatten() {
        match item {
            Value::Object(future) => interp.join_thread(future),
            _ => interp.join_all_tasks(),
        }
    }
}

fn queue<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    held: &Value<'p>,
    name: &str,
    args: &Args<'p>,
    range: TextRange,
) -> Option<Value<'p>> {
    match name {
        "put" | "put_nowait" => {
            let value = args.get(0, "item").cloned().unwrap_or(Value::Unknown);
            interp.emit(Event::Handed {
                by: cell,
                value: &value,
                range,
            });
            // `None` in a queue is something, too.
            let value = match value {
                Value::None => Value::Unknown,
                other => other,
            };
            let joined = interp.heap.join(held.clone(), value);
            if let Some(Kind::Library(Own::Queue(held))) =
                interp.heap.object_mut(cell).map(|it| &mut it.kind)
            {
                *held = joined;
            }
            Some(Value::None)
        }
        // All that was put in it was taken out.
        "join" if !interp.is_in_thread() && !interp.is_thread_beside() => {
            if let Some(Kind::Library(Own::Queue(held))) =
                interp.heap.object_mut(cell).map(|it| &mut it.kind)
            {
                *held = Value::None;
            }
            Some(Value::None)
        }
        "get" | "get_nowait" => {
            if matches!(held, Value::None) && interp.is_thread_beside() {
                interp.thread_stops();
            }
            Some(held.clone())
        }
        _ => None,
    }
}

fn flag<'p>(
    interp: &mut Interp<'p>,
    cell: CellId,
    mut flag: Flag,
    name: &str,
    args: &Args<'p>,
) -> Option<Value<'p>> {
    let is_beside = interp.is_thread_beside();
    let capture = interp.graph_capture();
    let result = match name {
        "wait" if is_beside => {
            let seconds = args.get(0, "timeout").map(Value::as_integer);
            let until_told = seconds.is_none_or(|it| it.is_some_and(|it| it >= LONG));
            if !flag.set && until_told {
                interp.thread_stops();
            }
            if flag.set && flag.released_in.is_some() {
                interp.thread_is_released();
            }
            Value::Bool(flag.set.then_some(true))
        }
        "wait" if interp.is_in_thread() => {
            if let Some(id) = capture {
                flag.awaited_in = Some(id);
                interp.library.threads.waiting.push(id);
            }
            Value::Bool(Some(true))
        }
        "wait" => {
            flag.awaited |= capture.is_none();
            let waiting = flag
                .set_in
                .filter(|it| interp.library.threads.waiting.contains(it));
            if waiting.is_some() && capture.is_none() {
                interp.is_beside(waiting);
            }
            Value::Bool(Some(true))
        }
        "set" if is_beside => {
            if flag.awaited {
                interp.thread_is_this_far();
            }
            Value::None
        }
        "set" => {
            flag.set = true;
            if interp.is_in_thread() {
                flag.set_in = capture;
            } else {
                flag.released_in = capture;
            }
            if !interp.is_in_thread() && flag.awaited_in.is_some() {
                interp.is_beside(None);
            }
            Value::None
        }
        "clear" => {
            flag.set = false;
            Value::None
        }
        "is_set" => return Some(Value::Bool(None)),
        _ => return None,
    };
    if let Some(Kind::Library(Own::Flag(it))) = interp.heap.object_mut(cell).map(|it| &mut it.kind)
    {
        *it = flag;
    }
    Some(result)
}

fn barrier_wait(interp: &mut Interp<'_>, cell: CellId, mut barrier: Barrier) {
    let capture = interp.graph_capture();
    if interp.is_thread_beside() {
        barrier.by_thread += 1;
        if barrier.by_thread > barrier.by_program {
            interp.thread_stops();
        } else if barrier.by_thread <= barrier.before_capture {
            interp.thread_is_this_far();
        } else {
            interp.thread_is_released();
        }
    } else if interp.is_in_thread() {
        interp.library.threads.waiting.extend(capture);
        barrier.passed_in.push(capture);
    } else {
        let passed_in = barrier.passed_in.get(barrier.by_program).copied().flatten();
        barrier.by_program += 1;
        if capture.is_none() {
            barrier.before_capture = barrier.by_program;
            let comes_back = barrier.passed_in.get(barrier.by_program);
            interp.is_beside(passed_in.filter(|id| comes_back == Some(&Some(*id))));
        }
    }
    if let Some(Kind::Library(Own::Barrier(it))) =
        interp.heap.object_mut(cell).map(|it| &mut it.kind)
    {
        *it = barrier;
    }
}
