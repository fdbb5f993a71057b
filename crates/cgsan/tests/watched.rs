//! Programs with PyTorch under `cgsan run`: what is recorded of them, however they end, and what is made of it.

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cgsan_trace::{AgentEvent, Ending, Record, Trace};
use serde_json::Value;

const CGSAN: &str = env!("CARGO_BIN_EXE_cgsan");

/// A capture that a wait breaks.
const FAILING: &str = "\
import torch
graph = torch.cuda.CUDAGraph()
x = torch.ones(4, device='cuda')
with torch.cuda.graph(graph):
    y = x + 1
    y.sum().item()
";

/// The line of it that waits.
const WAITING_LINE: u64 = 6;

/// What a program did under `cgsan run`, with its report and its traces.
struct Run {
    folder: tempfile::TempDir,
    output: Output,
    report: Value,
}

impl Run {
    /// Runs the text of a program.
    fn of(program: &str) -> Self {
        Self::with(program, &[])
    }

    fn with(program: &str, options: &[&str]) -> Self {
        let python = env::var_os("CGSAN_TEST_PYTHON")
            .expect("CGSAN_TEST_PYTHON is not set; `cargo xtask test` sets it");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        fs::write(path.join("program.py"), program).expect("a file");
        fs::create_dir(path.join("traces")).expect("a folder");
        let output = Command::new(CGSAN)
            .args([
                "run",
                "--json",
                "--output",
                "report.json",
                "--save",
                "traces",
            ])
            .args(options)
            .arg("--")
            .arg(python)
            .arg("program.py")
            .current_dir(path)
            .output()
            .expect("cgsan starts");
        let report = fs::read(path.join("report.json")).expect("a report");
        let report = serde_json::from_slice(&report).expect("JSON");
        Self {
            folder,
            output,
            report,
        }
    }

    fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    /// The ids and lines of the findings.
    fn findings(&self) -> Vec<(&str, Option<u64>)> {
        let findings = self.report["findings"].as_array().expect("a list");
        findings
            .iter()
            .map(|finding| {
                let id = finding["id"].as_str().expect("an id");
                (id, finding["location"]["line"].as_u64())
            })
            .collect()
    }

    fn notes(&self) -> String {
        self.report["notes"].to_string()
    }

    fn trace_files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path().join("traces")).expect("a folder");
        let mut paths: Vec<_> = entries
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        paths
    }

    /// The trace, where there is one.
    fn trace(&self) -> Trace {
        let files = self.trace_files();
        assert_eq!(files.len(), 1, "{}", self.stderr());
        read(&files[0])
    }
}

/// The text of a program, to go into a block.
fn indented(program: &str) -> String {
    format!("    {}\n", program.trim_end().replace('\n', "\n    "))
}

fn read(path: &Path) -> Trace {
    Trace::read(path).expect("a trace")
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_failing_capture_is_explained_and_its_traceback_stays_as_it_is() {
    let run = Run::of(FAILING);
    assert_eq!(run.output.status.code(), Some(1));
    assert_eq!(
        run.findings(),
        [("CG101", Some(WAITING_LINE))],
        "{}",
        run.report
    );
    let stderr = run.stderr();
    assert!(stderr.contains("line 6, in <module>"), "{stderr}");
    assert!(!stderr.contains("cgsan_agent"), "{stderr}");
    assert_eq!(run.report["exit"], 1);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn nothing_is_printed_when_a_graph_and_its_output_outlive_the_modules() {
    // Python empties modules in the reverse order of their import, the agent's before `os`.
    let run = Run::of(
        "\
import os, threading, torch
graph = torch.cuda.CUDAGraph()
x = torch.ones(4, device='cuda')
with torch.cuda.graph(graph):
    y = x + 1
graph.replay()
os.kept = graph, y, os
class Late:
    def __del__(self, thread=threading.Thread(target=print)):
        thread.start
        thread.run
        thread._set_native_id
os.late = Late()
",
    );
    assert_eq!(run.output.status.code(), Some(0));
    let stderr = run.stderr();
    assert!(!stderr.contains("Exception ignored"), "{stderr}");
    assert!(!stderr.contains("cgsan_agent"), "{stderr}");
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn exceptions_that_pass_through_the_agent_show_no_frame_of_it() {
    let launch = "\
import torch, triton, triton.language as tl
@triton.jit
def kernel(x):
    tl.store(x, missing)
kernel[(1,)](torch.ones(4, device='cuda'))
";
    let graphed = "\
import torch
class Net(torch.nn.Linear):
    def forward(self, x):
        y = super().forward(x)
        if torch.cuda.is_current_stream_capturing() or not self.training:
            raise ValueError('by the program')
        return y
class Late(torch.nn.Linear):
    def forward(self, x):
        if not self.training:
            raise ValueError('by the program')
        return super().forward(x)
x = torch.ones(2, 4, device='cuda', requires_grad=True)
try:
    torch.cuda.make_graphed_callables(Net(4, 4).cuda(), (x,))
except ValueError:
    torch.cuda.make_graphed_callables(Late(4, 4).cuda(), (x,)).eval()(x)
";
    for (program, option, error) in [
        (launch, "--virtual", "missing is not defined"),
        (graphed, "--verify", "ValueError: by the program"),
    ] {
        let stderr = Run::with(program, &[option]).stderr();
        assert!(stderr.contains(error), "{stderr}");
        assert!(!stderr.contains("cgsan_agent"), "{stderr}");
        assert!(!stderr.contains("library/cgsan"), "{stderr}");
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn the_agent_reports_the_exception_that_ended_the_capture_and_the_one_that_ended_the_program() {
    let run = Run::of(FAILING);
    let trace = run.trace();
    let exceptions: Vec<_> = trace
        .agent_events()
        .filter_map(|(_, event)| match event {
            AgentEvent::Exception {
                type_name,
                message,
                traceback,
                uncaught,
            } => Some((type_name.as_str(), message, traceback, *uncaught)),
            _ => None,
        })
        .collect();
    let [
        (in_flight, message, traceback, false),
        (uncaught, _, _, true),
    ] = exceptions[..]
    else {
        panic!("{exceptions:?}");
    };
    assert_eq!([in_flight, uncaught], ["torch.AcceleratorError"; 2]);
    assert!(
        message.contains("operation not permitted when stream is capturing"),
        "{message}"
    );
    assert_eq!(
        traceback.last().map(|frame| u64::from(frame.line)),
        Some(WAITING_LINE)
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_failing_backward_pass_is_recorded_with_its_autograd_graph() {
    let program = "\
import torch
model = torch.nn.Linear(4, 4).cuda()
x = torch.ones(2, 4, device='cuda')
class Wait(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1
    @staticmethod
    def backward(ctx, grad):
        grad.sum().item()
        return grad
for _ in range(2):
    model(x).sum().backward()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    Wait.apply(model(x)).sum().backward()
";
    let run = Run::of(program);
    let trace = run.trace();
    let nodes = trace.agent_events().find_map(|(_, event)| match event {
        AgentEvent::Autograd { nodes } => Some(nodes),
        _ => None,
    });
    let nodes = nodes.expect("the graph");
    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names[..2], ["SumBackward0", "WaitBackward"]);
    assert!(nodes[0].sequence.is_some());
    let leaves = nodes.iter().filter(|node| node.name == "AccumulateGrad");
    let mut variables: Vec<_> = leaves.filter_map(|node| node.variable.as_deref()).collect();
    variables.sort_unstable();
    assert_eq!(variables, ["model.bias", "model.weight"]);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn threads_have_their_python_names() {
    let program = "\
import torch, threading
def work():
    torch.ones(4, device='cuda').sum().item()
thread = threading.Thread(target=work, name='the worker')
thread.start()
thread.join()
torch.ones(4, device='cuda')
";
    let trace = Run::of(program).trace();
    let callers = trace
        .entries()
        .iter()
        .filter(|entry| matches!(entry.record, Record::Call(_)));
    let mut names: Vec<_> = callers
        .filter_map(|entry| trace.thread_name(entry.thread))
        .collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, ["MainThread", "the worker"]);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn threads_that_ran_before_pytorch_have_their_python_names_too() {
    let program = "\
import threading
imported = threading.Event()
def work():
    imported.wait()
    torch.ones(4, device='cuda').sum().item()
thread = threading.Thread(target=work, name='the early one')
thread.start()
import torch
imported.set()
thread.join()
";
    let trace = Run::of(program).trace();
    let caller = trace
        .entries()
        .iter()
        .find(|entry| matches!(entry.record, Record::Call(_)));
    let caller = caller.map(|entry| entry.thread).expect("a call");
    assert_eq!(trace.thread_name(caller), Some("the early one"));
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn nothing_is_lost_however_the_program_ends() {
    let ends = [
        ("os._exit(5)", Some(5), None),
        ("os.kill(os.getpid(), 9)", None, Some(9)),
        ("os.abort()", None, Some(6)),
    ];
    for (end, code, signal) in ends {
        let body = indented(FAILING);
        let run = Run::of(&format!(
            "import os\ntry:\n{body}except Exception:\n    {end}\n"
        ));
        assert_eq!(
            (run.output.status.code(), run.output.status.signal()),
            (code, signal),
            "{end}"
        );
        assert_eq!(
            run.findings(),
            [("CG101", Some(WAITING_LINE + 2))],
            "{end}: {}",
            run.report
        );
        assert_eq!(run.trace().ending(), Ending::CutOff);
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn each_process_has_its_trace_and_what_they_have_in_common_is_said_once() {
    let program = format!(
        "\
import os, subprocess, sys
program = {FAILING:?}
if len(sys.argv) == 1:
    for rank in '01':
        subprocess.run([sys.executable, __file__, 'child'], env=dict(os.environ, RANK=rank))
else:
    exec(compile(program, 'program.txt', 'exec'))
"
    );
    let run = Run::of(&program);
    assert_eq!(run.output.status.code(), Some(0));
    assert_eq!(run.trace_files().len(), 2);
    assert_eq!(run.findings().len(), 1, "{}", run.report);
    let finding = &run.report["findings"][0];
    assert_eq!(finding["count"], 2);
    assert_eq!(finding["processes"][0]["rank"], 0);
    assert_eq!(finding["processes"][1]["rank"], 1);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_fork_without_exec_is_survived() {
    let program = "\
import os, torch
child = os.fork()
if child == 0:
    torch.ones(4, device='cuda').sum().item()
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
torch.ones(4, device='cuda').sum().item()
";
    let run = Run::of(program);
    assert_eq!(run.stdout(), "7\n", "{}", run.stderr());
    assert_eq!(run.output.status.code(), Some(0));
    assert_eq!(run.trace_files().len(), 2);
    assert_eq!(run.findings(), []);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn strict_makes_a_swallowed_failure_count() {
    let body = indented(FAILING);
    let program = format!("try:\n{body}except Exception:\n    print('swallowed')\n");
    for (options, status) in [(&[][..], 0), (&["--strict"], 1)] {
        let run = Run::with(&program, options);
        assert_eq!(run.output.status.code(), Some(status));
        assert_eq!(run.stdout(), "swallowed\n");
        assert_eq!(run.findings(), [("CG101", Some(WAITING_LINE + 1))]);
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_saved_trace_shows_the_same_findings_again() {
    let run = Run::of(FAILING);
    let trace = &run.trace_files()[0];
    let show = |options: &[&str]| {
        let output = Command::new(CGSAN)
            .arg("report")
            .args(options)
            .arg(trace)
            .output()
            .expect("cgsan starts");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    let (status, json) = show(&["--json"]);
    assert_eq!(status, Some(0));
    let again: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(again["findings"], run.report["findings"]);
    let folder = run.folder.path().to_str().expect("a plain name");
    let (status, text) = show(&[
        "--strict",
        "--color",
        "never",
        "--width",
        "80",
        "--sources",
        folder,
    ]);
    assert_eq!(status, Some(1));
    assert!(text.contains("error[CG101]"), "{text}");
    assert!(
        text.contains("y.sum().item()"),
        "the source is found from another folder: {text}"
    );
    let bytes = fs::read(trace).expect("the trace");
    fs::write(trace, &bytes[..bytes.len() / 2]).expect("a file");
    let (status, text) = show(&[]);
    assert_eq!(
        status,
        Some(0),
        "a trace is readable up to where it was cut: {text}"
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn native_stacks_have_the_names_of_functions() {
    let run = Run::of(FAILING);
    let stack = run.report["findings"][0]["native_stack"].to_string();
    assert!(
        stack.contains("c10::cuda") || stack.contains("at::"),
        "{stack}"
    );
    assert!(stack.contains("libtorch"), "{stack}");
    // The names are kept: where the trace is read, there need be no PyTorch.
    let trace = run.trace();
    let kept = &trace.kept().native_names;
    assert!(kept.values().any(|name| name.contains("at::")), "{kept:?}");
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_cgsan_within_the_program_has_its_own_gpu_and_its_own_report() {
    let program = format!(
        "\
import subprocess, sys
inner = ['{CGSAN}', 'run', '--virtual', '--output', 'inner.txt', '--', sys.executable, '-c']
subprocess.run([*inner, 'import torch; print(torch.cuda.mem_get_info()[1] >> 30)'])
"
    );
    let run = Run::with(&program, &["--gpu-memory", "24GB"]);
    assert_eq!(run.stdout(), "79\n", "{}", run.stderr());
    assert!(
        run.notes().contains("a cgsan of its own"),
        "{}",
        run.notes()
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn the_gpu_has_the_memory_that_was_asked_for() {
    let program = "\
import torch
print(torch.cuda.mem_get_info()[1])
torch.empty(3 << 30, dtype=torch.uint8, device='cuda')
";
    let run = Run::with(program, &["--gpu-memory", "2GB"]);
    assert_eq!(run.stdout(), format!("{}\n", 2u64 << 30));
    assert!(
        run.stderr().contains("torch.OutOfMemoryError"),
        "{}",
        run.stderr()
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn nvidias_libraries_are_found_under_their_names() {
    let program = "\
import ctypes, torch
count = ctypes.c_int()
for name in 'libcudart.so.12', 'libcudart.so.13':
    print(ctypes.CDLL(name).cudaGetDeviceCount(ctypes.byref(count)), count.value)
print('libcudart.so' in open('/proc/self/maps').read())
";
    let run = Run::of(program);
    assert_eq!(run.stdout(), "0 1\n0 1\nFalse\n", "{}", run.stderr());
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_pytorch_that_makes_no_call_is_told() {
    let run = Run::of("import torch\nprint(torch.ones(2).sum().item())\n");
    assert_eq!(run.stdout(), "2.0\n");
    assert!(
        run.notes().contains("no call to CUDA was made"),
        "{}",
        run.notes()
    );
}
