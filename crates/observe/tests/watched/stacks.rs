//! The Python stack of a call is the one that Python shows, in every version at hand.

use cgsan_trace::{Record, StackFrame, Trace};

use crate::support::{Program, calls, pythons, stack};

/// The most frames that are recorded, less that of the function that records.
const DEEPEST: usize = 255;

/// Runs a program under each interpreter. Where it calls `here()`, the recorded stack must be the one that Python shows;
/// it must do so this many times.
fn expect(times: usize, text: &str) {
    for python in pythons() {
        let program = Program::for_python(&python.path, &format!("start()\n{text}"));
        let output = program.run();
        let (shown, errors) = (
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        );
        assert!(output.status.success(), "{}: {errors}", python.version);
        let shown: Vec<Vec<StackFrame>> = shown
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let trace = program.traces().remove(0);
        let recorded = recorded(&trace);

        assert_eq!(recorded.len(), times, "{}", python.version);
        assert_eq!(shown.len(), times, "{}", python.version);
        for (recorded, shown) in recorded.iter().zip(&shown) {
            let shown = &shown[..shown.len().min(DEEPEST)];
            assert_eq!(recorded[0].function, "here");
            assert_eq!(recorded[1..], *shown, "{}", python.version);
        }
    }
}

fn recorded(trace: &Trace) -> Vec<Vec<StackFrame>> {
    calls(trace).map(|call| stack(trace, call)).collect()
}

#[test]
fn nested_calls() {
    expect(
        2,
        "
def inner():
    here()
class Model:
    def forward(self):
        return [
            0,
            inner(),
        ]
Model().forward()
Model().forward()
",
    );
}

#[test]
fn a_stack_that_python_never_looked_at() {
    for python in pythons() {
        let program = Program::for_python(
            &python.path,
            "start()\ndef inner():\n    probe.probe_synchronize(0)\ndef outer():\n    inner()\nouter()\n",
        );
        let trace = program.trace();
        let stack: Vec<_> = recorded(&trace)[0]
            .iter()
            .map(|frame| (frame.function.clone(), frame.line))
            .collect();
        let expected = [("inner", 4), ("outer", 6), ("<module>", 7)];
        assert_eq!(stack, expected.map(|(name, line)| (name.to_owned(), line)));
    }
}

#[test]
fn one_line_after_the_other() {
    expect(
        4,
        "
here()
for _ in range(2):
    here()
(here(
))
",
    );
}

#[test]
fn generators_and_coroutines() {
    expect(
        4,
        "
def numbers():
    here()
    yield 1
    yield from more()
def more():
    here()
    yield 2
for number in numbers():
    if number == 2:
        here()
import asyncio
async def work():
    await asyncio.sleep(0)
    here()
asyncio.run(work())
",
    );
}

#[test]
fn functions_that_c_code_calls() {
    expect(
        5,
        "
import functools
sorted([1], key=lambda value: here() or 0)
list(map(lambda value: here(), [1]))
functools.partial(here)()
class Item:
    def __lt__(self, other):
        here()
        return True
    def __del__(self):
        here()
item = Item()
item < 1
del item
",
    );
}

#[test]
fn recursion_deeper_than_what_is_kept() {
    expect(
        3,
        "
sys.setrecursionlimit(3000)
def down(levels):
    if levels == 0:
        here()
    else:
        down(levels - 1)
down(5)
down(300)
down(1500)
",
    );
}

#[test]
fn code_that_is_compiled_from_strings() {
    expect(
        23,
        r#"
exec("def f():\n  here()\nf()")
exec(compile("\n\nhere()", "generated.py", "exec"))
eval("here()")
# Each code object may take the place of the one before, alike in all but the line.
for i in range(20):
    exec(compile("\n" * i + "here()", "<cell>", "exec"))
"#,
    );
}

#[test]
fn code_objects_that_come_and_go() {
    expect(
        40,
        r#"
import gc
for i in range(40):
    space = {"here": here}
    exec(compile("def f%d():\n" % i + "  0\n" * i + "  here()", "file%d.py" % i, "exec"), space)
    space["f%d" % i]()
    del space
    gc.collect()
"#,
    );
}

#[test]
fn names_outside_ascii() {
    expect(
        3,
        r#"
def modèle(): here()
def 模型(): here()
modèle()
模型()
exec(compile("here()", "\U0001f525.py", "exec"))
"#,
    );
}

#[test]
fn threads() {
    expect(
        3,
        "
import threading
def work():
    here()
for _ in range(2):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
here()
",
    );
}

#[test]
fn threads_at_once() {
    for python in pythons() {
        // Without the GIL, each runs a copy of the instructions of its own, made while the others' stacks are read.
        let program = Program::for_python(
            &python.path,
            "
start()
import threading
threads = 8
ready = threading.Barrier(threads)
def work():
    ready.wait()
    for i in range(50):
        space = {'probe': probe}
        exec('def inner():\\n  probe.probe_synchronize(0)\\ndef outer():\\n  inner()', space)
        for _ in range(4):
            again()
            space['outer']()
def again():
    probe.probe_synchronize(0)
started = [threading.Thread(target=work) for _ in range(threads)]
for thread in started:
    thread.start()
for thread in started:
    thread.join()
",
        );
        let stacks = recorded(&program.trace());
        assert_eq!(stacks.len(), 8 * 50 * 4 * 2, "{}", python.version);
        for stack in stacks {
            let lines: Vec<_> = stack
                .iter()
                .map(|frame| (frame.function.as_str(), frame.line))
                .collect();
            let expected: [&[_]; 2] = [
                &[("again", 16), ("work", 13)],
                &[("inner", 2), ("outer", 4), ("work", 14)],
            ];
            let is_one = expected.iter().any(|it| lines.starts_with(it));
            assert!(is_one, "{}: {lines:?}", python.version);
        }
    }
}

#[test]
fn names_that_are_not_text_and_names_that_are_too_long() {
    for python in pythons() {
        let program = Program::for_python(
            &python.path,
            r#"start()
exec(compile("probe.probe_synchronize(0)", "a\udcffb" + "c" * 5000, "exec"))
"#,
        );
        let file = recorded(&program.trace())[0][0].file.clone();
        assert!(file.starts_with("a\\xffbccc"));
        // The byte counts as the one character that Python has in its place.
        assert_eq!(file.chars().count(), 4096 + 3);
    }
}

#[test]
fn a_thread_that_python_does_not_know() {
    for python in pythons() {
        let trace =
            Program::for_python(&python.path, "start()\nprobe.probe_foreign_thread()\n").trace();
        assert_eq!(recorded(&trace), [vec![]]);
        let name = trace.thread_name(trace.entries()[0].thread);
        assert_eq!(name, Some("pt_autograd_0"));
    }
}

#[test]
fn a_call_while_the_interpreter_goes_away() {
    for python in pythons() {
        let program = Program::for_python(
            &python.path,
            "
start()
class Last:
    def __del__(self, probe=probe):
        probe.probe_synchronize(0)
sys.last = Last()
import threading, time
def forever():
    while True:
        probe.probe_synchronize(0)
threading.Thread(target=forever, daemon=True).start()
import atexit
atexit.register(probe.probe_python_ends)
time.sleep(0.1)
",
        );
        let trace = program.trace();
        assert!(trace.complete());
        assert!(calls(&trace).count() > 10);
    }
}

#[test]
fn once_python_ends_only_the_thread_that_ends_it_has_stacks() {
    let trace = Program::new(
        "
start()
import threading
def elsewhere():
    thread = threading.Thread(target=probe.probe_synchronize, args=(0,))
    thread.start()
    thread.join()
elsewhere()
probe.probe_python_ends()
elsewhere()
probe.probe_synchronize(0)
",
    )
    .trace();
    let has_stack: Vec<bool> = recorded(&trace).iter().map(|it| !it.is_empty()).collect();
    assert_eq!(has_stack, [true, false, true]);
}

#[test]
fn an_interpreter_that_cannot_be_checked_gets_no_stacks() {
    // The program starts recording from a thread that has no Python frame.
    let trace = Program::new(
        "
config = json.dumps({'run_directory': os.environ['RUN']}).encode()
import threading
probe.probe_start_elsewhere(config)
probe.probe_synchronize(0)
",
    )
    .trace();
    let notes: Vec<_> = trace
        .entries()
        .iter()
        .filter_map(|entry| match &entry.record {
            Record::Note { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(
        notes,
        [
            "Python stacks are not recorded: recording was not started from Python, so how its frames are laid out could not be checked"
        ]
    );
    assert_eq!(recorded(&trace), [vec![]]);
}
