//! How many calls a second of processor time the model answers, as programs grow. Run with `cargo bench -p cgsan-model`,
//! and `-- 1000 100000` for just these numbers of objects.

use std::time::Duration;

use cgsan_model::{
    Call, CaptureMode, Device, EventId, FunctionId, GraphId, Model, NodeKind, Restricted, Stream,
    ThreadId,
};

const THREAD: ThreadId = ThreadId(1);

fn main() {
    println!("million calls a second of processor time\n");
    println!(
        "| objects | {} |",
        PROGRAMS.map(|(name, _)| name).join(" | ")
    );
    println!("|---|{}", "---|".repeat(PROGRAMS.len()));
    let wanted: Vec<u64> = std::env::args()
        .filter_map(|word| word.parse().ok())
        .collect();
    let all = vec![10, 100, 1_000, 10_000, 100_000, 1_000_000];
    for objects in if wanted.is_empty() { all } else { wanted } {
        let rates = PROGRAMS.map(|(_, program)| format!("{:.1}", rate(&program(objects))));
        println!("| {objects} | {} |", rates.join(" | "));
    }
}

/// The programs, by what they have many of.
type Program = (&'static str, fn(u64) -> Vec<Call>);
const PROGRAMS: [Program; 5] = [
    ("streams and events, no capture", eager),
    ("nodes of one capture", capture),
    ("streams of one capture", fork_and_join),
    ("captures, one broken by each refusal", broken_one_by_one),
    ("captures, each refusal repeated", refused_again),
];

/// Run a program again and again, as a training loop would, until a second has passed. Returns millions of calls a
/// second.
fn rate(program: &[Call]) -> f64 {
    let mut model = Model::new();
    let mut calls = 0_u32;
    let begun = cpu_time();
    let mut busy = Duration::ZERO;
    while busy < Duration::from_secs(1) {
        let repetitions = 1 + 100_000 / program.len();
        for call in (0..repetitions).flat_map(|_| program) {
            let _ = std::hint::black_box(model.call(THREAD, call));
            calls = calls.saturating_add(1);
        }
        busy = cpu_time().saturating_sub(begun);
    }
    f64::from(calls) / busy.as_secs_f64() / 1e6
}

/// The time this process has spent on a processor, so that a busy machine changes little.
fn cpu_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanoseconds.expect("Linux tells the time on the processor"))
}

/// Work on many streams, with an event recorded and waited for between each two.
fn eager(streams: u64) -> Vec<Call> {
    let mut program: Vec<Call> = (1..=streams).map(create_stream).collect();
    for stream in 1..=streams {
        program.push(kernel(stream));
        program.push(record(stream, stream));
        program.push(wait(stream % streams + 1, stream));
    }
    program
}

/// One capture of many kernels, with the questions that an allocator asks in between.
fn capture(nodes: u64) -> Vec<Call> {
    let mut program = vec![create_stream(1), begin(1)];
    for _ in 0..nodes {
        program.push(kernel(1));
        program.push(Call::StreamGetCaptureInfo { stream: created(1) });
    }
    program.push(end(1));
    program
}

/// One capture that forks to many streams, each of which is joined.
fn fork_and_join(streams: u64) -> Vec<Call> {
    let mut program: Vec<Call> = (1..=streams + 1).map(create_stream).collect();
    program.push(begin(1));
    for stream in 2..=streams + 1 {
        program.push(record(1, 1));
        program.push(wait(stream, 1));
        program.push(kernel(stream));
        program.push(record(2, stream));
        program.push(wait(1, 2));
        program.push(kernel(1));
    }
    program.push(end(1));
    program
}

/// Many captures at once, each broken by a call of its own.
fn broken_one_by_one(captures: u64) -> Vec<Call> {
    let mut program: Vec<Call> = (1..=captures).map(create_stream).collect();
    program.extend((1..=captures).map(begin));
    program.extend((1..=captures).map(|stream| Call::StreamQuery {
        stream: created(stream),
    }));
    program.extend((1..=captures).map(end));
    program
}

/// Many broken captures at once, and an unsafe call refused again and again.
fn refused_again(captures: u64) -> Vec<Call> {
    let mut program: Vec<Call> = (1..=captures).map(create_stream).collect();
    program.extend((1..=captures).map(begin));
    program.extend((1..=captures).map(|_| Call::Restricted(Restricted::Malloc)));
    program.extend((1..=captures).map(end));
    program
}

fn create_stream(stream: u64) -> Call {
    Call::StreamCreate {
        stream: created(stream),
        device: Device(0),
        non_blocking: true,
        priority: 0,
    }
}

fn begin(stream: u64) -> Call {
    Call::StreamBeginCapture {
        stream: created(stream),
        mode: CaptureMode::Global,
    }
}

fn end(stream: u64) -> Call {
    Call::StreamEndCapture {
        stream: created(stream),
        graph: GraphId(handle(stream)),
    }
}

fn record(event: u64, stream: u64) -> Call {
    Call::EventRecord {
        event: EventId(handle(event)),
        stream: created(stream),
        external: false,
    }
}

fn wait(stream: u64, event: u64) -> Call {
    Call::StreamWaitEvent {
        stream: created(stream),
        event: EventId(handle(event)),
        external: false,
    }
}

fn kernel(stream: u64) -> Call {
    Call::Work {
        stream: created(stream),
        node: NodeKind::Kernel {
            function: FunctionId(1),
            grid: [1; 3],
            block: [128, 1, 1],
            shared: 0,
        },
    }
}

fn created(stream: u64) -> Stream {
    Stream::Created(handle(stream))
}

/// Handles are addresses, spaced like objects of a few hundred bytes.
fn handle(number: u64) -> u64 {
    0x5500_0000_0000 + number * 0x300
}
