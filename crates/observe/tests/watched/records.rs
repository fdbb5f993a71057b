//! What is recorded of a call, a thread and an event.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use cgsan_trace::{Ending, Record};

use crate::support::{Program, calls};

#[test]
fn a_call_has_its_names_and_its_thread() {
    let trace = Program::new(
        "
start()
probe.probe_thread_name('Hauptfaden'.encode())
probe.probe_synchronize(0)
",
    )
    .trace();
    assert_eq!(trace.ending(), Ending::Orderly);
    let call = calls(&trace).next().unwrap();
    assert_eq!(trace.string(call.function), "cuProbe");
    assert_eq!(
        call.runtime.map(|name| trace.string(name)),
        Some("cudaProbe")
    );
    assert_eq!(
        call.library.map(|name| trace.string(name)),
        Some("probe_synchronize")
    );
    assert_eq!(call.native, None);
    let thread = trace.entries()[0].thread;
    assert_eq!(thread.0, trace.process().pid);
    assert_eq!(trace.thread_name(thread), Some("Hauptfaden"));
}

#[test]
fn a_refused_call_has_a_native_stack() {
    let trace = Program::new("start()\nprobe.probe_synchronize(1)\n").trace();
    let call = calls(&trace).next().unwrap();
    let modules: Vec<_> = trace
        .native_stack(call.native.unwrap())
        .iter()
        .filter_map(|frame| Some(trace.string(frame.module?)))
        .collect();
    let position = |part| modules.iter().position(|module| module.contains(part));
    assert_eq!(position("libprobe.so"), Some(0));
    assert!(position("ffi") < position("python"), "{modules:?}");
}

#[test]
fn a_kernel_has_its_name() {
    let trace = Program::new("start()\nprobe.probe_launch(3)\n").trace();
    assert_eq!(calls(&trace).count(), 3);
    let name = trace.function_name(cgsan_model::FunctionId(1));
    assert_eq!(name, Some("_Z6kernelv"));
}

#[test]
fn limits_are_recorded_once() {
    let trace = Program::new("start()\nfor _ in range(3):\n    probe.probe_limits()\n").trace();
    let records: Vec<_> = trace.entries().iter().map(|entry| &entry.record).collect();
    assert!(
        matches!(
            records[..],
            [
                Record::Missing { stack: Some(_), .. },
                Record::ComputedValueRead { stack: Some(_) }
            ]
        ),
        "{records:?}"
    );
}

#[test]
fn a_line_that_keeps_reading_what_was_not_computed_is_named_while_it_runs() {
    let program = Program::new(
        r#"
start()
def done():
    probe.probe_limits()
for step in range(900):
    done()
for step in range(900):
    done()
print("named nothing", file=sys.stderr, flush=True)
while True:
    done()
"#,
    );
    let mut running = program
        .command()
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut lines = BufReader::new(running.stderr.take().expect("a pipe")).lines();
    let mut next = || lines.next().expect("a line").expect("text");
    assert_eq!(next(), "named nothing");
    let named = next();
    running.kill().expect("it can be stopped");
    running.wait().expect("it ends");
    assert!(named.contains("program.py:5 has read"), "{named}");
    assert!(named.contains("--no-values"), "{named}");
    assert_eq!(lines.count(), 0);
}

#[test]
fn an_event_of_the_agent_has_a_stack() {
    let trace = Program::new(
        r#"
start()
probe.probe_agent_event(b'{"event": "autograd", "nodes": []}')
probe.probe_agent_event(b'nonsense')
"#,
    )
    .trace();
    assert_eq!(trace.agent_events().count(), 1);
    assert_eq!(trace.unreadable_agent_events(), 1);
    let Record::Agent {
        stack: Some(stack), ..
    } = trace.entries()[0].record
    else {
        panic!("no stack");
    };
    assert_eq!(trace.stack(stack)[0].line, 4);
}

#[test]
fn nothing_is_recorded_before_the_start_nor_twice() {
    let trace = Program::new(
        "
probe.probe_synchronize(0)
assert start() == 0
assert start() == 1
probe.probe_synchronize(0)
",
    )
    .trace();
    assert_eq!(calls(&trace).count(), 1);
}

#[test]
fn recording_can_be_off() {
    let program = Program::new(
        "
config = {'run_directory': os.environ['RUN'], 'record': False}
assert probe.probe_start(json.dumps(config).encode()) == 0
probe.probe_synchronize(1)
",
    );
    assert!(program.run().status.success());
    assert!(program.traces().is_empty());
}
