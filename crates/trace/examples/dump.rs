//! Prints a trace record by record: `cargo run -p cgsan-trace --example dump -- run.cgsan`.

use std::path::Path;
use std::process::ExitCode;

use cgsan_trace::{FrameId, Record, Trace};

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: dump TRACE");
        return ExitCode::FAILURE;
    };
    let trace = match Trace::read(Path::new(&path)) {
        Ok(trace) => trace,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    for (position, entry) in trace.entries().iter().enumerate() {
        let thread = entry.thread.0;
        let (text, stack) = match &entry.record {
            Record::Call(call) => (
                format!(
                    "{} {:?} = {}",
                    trace.string(call.function),
                    call.call,
                    call.result.0
                ),
                call.stack,
            ),
            Record::OperatorBegin(it) => (
                format!("begin {} {:?}", trace.string(it.name), it.arguments),
                it.stack,
            ),
            Record::Operator { operator, results } => (
                format!(
                    "whole {} {:?} -> {results:?}",
                    trace.string(operator.name),
                    operator.arguments
                ),
                operator.stack,
            ),
            other => (format!("{other:?}"), None),
        };
        println!("{position} [{thread}] {text}{}", place(&trace, stack));
    }
    ExitCode::SUCCESS
}

/// The innermost frame that is not PyTorch's.
fn place(trace: &Trace, stack: Option<FrameId>) -> String {
    let frames = stack.map(|stack| trace.stack(stack)).unwrap_or_default();
    let outside = frames.iter().find(|frame| !frame.file.contains("/torch/"));
    outside.map_or_else(String::new, |frame| {
        let file = frame.file.rsplit('/').next().unwrap_or_default();
        format!("  @{file}:{}", frame.line)
    })
}
