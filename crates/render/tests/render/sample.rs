//! Reports to print, and the source files that they point into.

use std::path::Path;

use cgsan_finding::{
    Basis, CallInfo, CaptureInfo, Cell, Confidence, Consequence, Finding, Label, LabelRole,
    Location, Observed, Process, Report, Span, ThreadInfo,
};

const DIRECTORY: &str = "/home/user/project";

const TRAIN: &str = r#"import torch

def step(model, x):
    y = model(x)
    loss = y.square().mean()
    if loss.item() > 1.0:
        loss = loss / loss.detach()
    return loss

graph = torch.cuda.CUDAGraph()
x = torch.randn(64, device="cuda")
model = torch.nn.Linear(64, 64, device="cuda")

with torch.cuda.graph(graph, capture_error_mode="global"):
    loss = step(model, x)
"#;

const LOADER: &str = "import queue\n\ndef pin(batches):\n    for batch in batches:\n        yield batch.pin_memory()\n";

const TABS: &str = "def f():\n\tif True:\n\t\t損失 = モデル(x).item()  # 待つ\n\t\treturn 損失\n";

const CRLF: &str = "import torch\r\n\r\nloss = (\r\n    model(x)\r\n    .item()  # wait\r\n)\r\n";

/// The code of a notebook: a cell of two lines and one of two.
const CELLS: &str =
    "import torch\ng = torch.cuda.CUDAGraph()\nwith torch.cuda.graph(g):\n    print(x.item())\n";

const ONE_LINE: &str = "with torch.cuda.graph(g): x.item()\n";

/// The text of a file, if it is one of the above.
pub fn source(file: &Path) -> Option<String> {
    match file.strip_prefix(DIRECTORY).ok()?.to_str()? {
        "train.py" => Some(TRAIN.to_owned()),
        "data/loader.py" => Some(LOADER.to_owned()),
        "tabs.py" => Some(TABS.to_owned()),
        "one.py" => Some(ONE_LINE.to_owned()),
        "long.py" => Some(long_source()),
        "crlf.py" => Some(CRLF.to_owned()),
        "cells.ipynb" => Some(CELLS.to_owned()),
        _ => None,
    }
}

fn long_source() -> String {
    let terms: Vec<String> = (0..40).map(|i| format!("x{i}.item()")).collect();
    format!("a = 1\n            total = {}\n", terms.join(" + "))
}

pub fn place(file: &str, line: u32, function: &str) -> Location {
    Location {
        file: format!("{DIRECTORY}/{file}").into(),
        line,
        span: None,
        cell: None,
        function: function.to_owned(),
    }
}

/// The first place at or behind a line that reads `part`.
fn part(file: &str, line: u32, part: &str) -> Location {
    let whole = place(file, line, "");
    let text = source(&whole.file).expect("it is one of the above");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let above: usize = lines[..line as usize - 1].iter().map(|it| it.len()).sum();
    let start = above + text[above..].find(part).expect("it is there");
    let (line, column) = line_and_column(&text[..start]);
    let (end_line, end_column) = line_and_column(&text[..start + part.len()]);
    Location {
        line,
        span: Some(Span {
            column,
            end_line,
            end_column,
            bytes: start..start + part.len(),
        }),
        ..whole
    }
}

/// Where a text ends.
fn line_and_column(text: &str) -> (u32, u32) {
    let (_, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let number = |count| u32::try_from(count).expect("it is small") + 1;
    (
        number(text.matches('\n').count()),
        number(last.chars().count()),
    )
}

fn label(location: Location, role: LabelRole, text: &str) -> Label {
    Label {
        location,
        text: text.to_owned(),
        role,
    }
}

fn thread(id: u32, name: &str) -> ThreadInfo {
    ThreadInfo {
        id,
        name: Some(name.to_owned()),
    }
}

fn refused(function: &str, runtime: &str, library: Option<&str>) -> CallInfo {
    CallInfo {
        function: function.to_owned(),
        runtime_function: Some(runtime.to_owned()),
        library_function: library.map(str::to_owned),
        code: 900,
        name: "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED".to_owned(),
        reason: None,
    }
}

fn capture(line: u32) -> CaptureInfo {
    CaptureInfo {
        file: Some(format!("{DIRECTORY}/train.py")),
        line: Some(line),
        mode: "global",
        stream: "stream 7 (non-blocking)".to_owned(),
        thread: thread(4711, "MainThread"),
    }
}

fn consequence(id: Option<&'static str>, text: &str, location: Option<Location>) -> Consequence {
    Consequence {
        id,
        text: text.to_owned(),
        location,
    }
}

fn finding(id: &'static str, title: &str) -> Finding {
    seen(id, title, observed())
}

/// A finding with what was recorded.
fn seen(id: &'static str, title: &str, observed: Observed) -> Finding {
    Finding {
        id,
        title: title.to_owned(),
        confidence: Confidence::Confirmed,
        location: None,
        labels: Vec::new(),
        notes: Vec::new(),
        help: Vec::new(),
        basis: Basis::Run(Box::new(observed)),
    }
}

/// Recorded once, in one process.
fn observed() -> Observed {
    Observed {
        count: 1,
        processes: vec![process(4711, None)],
        ..Observed::default()
    }
}

/// What was recorded of the only finding of a report.
pub fn recorded(report: &mut Report) -> &mut Observed {
    let recorded = report.findings[0].observed_mut();
    recorded.expect("the program ran")
}

/// A process, of a job of two if it has a rank.
fn process(pid: u32, rank: Option<u32>) -> Process {
    Process {
        pid,
        command: vec!["python".to_owned(), "train.py".to_owned()],
        rank,
        local_rank: rank,
        world_size: rank.map(|_| 2),
        host: None,
        started: 0,
        count: 1,
    }
}

fn report(finding: Finding) -> Report {
    Report {
        findings: vec![finding],
        left_out: Vec::new(),
        ranks: Vec::new(),
        notes: Vec::new(),
        coverage: None,
        memory: None,
        graphs: None,
    }
}

pub fn host_sync() -> Report {
    let observed = Observed {
        call: Some(refused(
            "cuStreamSynchronize",
            "cudaStreamSynchronize",
            None,
        )),
        thread: Some(thread(4711, "MainThread")),
        capture: Some(capture(14)),
        consequences: vec![consequence(
            Some("CG190"),
            "`cuStreamEndCapture` returned 901 (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)",
            Some(place("train.py", 14, "<module>")),
        )],
        stack: vec![
            place("train.py", 6, "step"),
            place("train.py", 15, "<module>"),
        ],
        ..observed()
    };
    report(Finding {
        location: Some(place("train.py", 6, "step")),
        labels: vec![
            label(
                place("train.py", 6, "step"),
                LabelRole::Primary,
                "this waits for the GPU",
            ),
            label(
                place("train.py", 14, "<module>"),
                LabelRole::Secondary,
                "the capture began here, in mode `global`",
            ),
            label(
                place("train.py", 15, "<module>"),
                LabelRole::Secondary,
                "called from here",
            ),
        ],
        notes: vec![
            "a capture records work and does not run it, so the value that `.item()` reads does not exist yet"
                .to_owned(),
        ],
        help: vec![
            "read the value after the replay: keep `loss` and call `loss.item()` behind `graph.replay()`"
                .to_owned(),
            "or decide on the device with `torch.where`".to_owned(),
        ],
        ..seen("CG101", "`.item()` waits for the GPU inside a capture", observed)
    })
}

pub fn other_thread() -> Report {
    let mut refused = refused("cuMemHostAlloc", "cudaHostAlloc", None);
    refused.reason =
        Some("the call is unsafe, and another thread is capturing in mode `global`".to_owned());
    let observed = Observed {
        call: Some(refused),
        thread: Some(thread(4720, "Thread-1 (pin)")),
        capture: Some(capture(14)),
        consequences: vec![consequence(
            Some("CG190"),
            "`cuStreamEndCapture` returned 901 (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)",
            Some(place("train.py", 14, "<module>")),
        )],
        stack: vec![
            place("data/loader.py", 5, "pin"),
            Location {
                file: "/usr/lib/python3.11/site-packages/torch/utils/data/_utils/pin_memory.py"
                    .into(),
                line: 58,
                span: None,
                cell: None,
                function: "do_one_step".to_owned(),
            },
        ],
        native_stack: vec![
            "libtorch_cuda.so+0x1f2e3d4".to_owned(),
            "libc10.so+0x51".to_owned(),
        ],
        ..observed()
    };
    report(Finding {
        location: Some(place("data/loader.py", 5, "pin")),
        labels: vec![
            label(
                place("data/loader.py", 5, "pin"),
                LabelRole::Primary,
                "allocates pinned memory while another thread captures",
            ),
            label(
                place("train.py", 14, "<module>"),
                LabelRole::Secondary,
                "the capture began here",
            ),
        ],
        help: vec!["capture with `capture_error_mode=\"thread_local\"`".to_owned()],
        ..seen(
            "CG112",
            "a pinned allocation on another thread ended the capture",
            observed,
        )
    })
}

pub fn without_source() -> Report {
    let gone = Location {
        file: "<string>".into(),
        line: 3,
        span: None,
        cell: None,
        function: "<module>".to_owned(),
    };
    let observed = Observed {
        call: Some(refused("cuMemFree_v2", "cudaFree", Some("cublasCreate_v2"))),
        capture: Some(capture(14)),
        ..observed()
    };
    report(Finding {
        location: Some(gone.clone()),
        labels: vec![
            label(
                gone,
                LabelRole::Primary,
                "cuBLAS makes its handle here, on first use",
            ),
            label(
                place("gone.py", 14, "<module>"),
                LabelRole::Secondary,
                "the capture began here",
            ),
        ],
        ..seen("CG120", "cuBLAS was first used inside a capture", observed)
    })
}

pub fn tabs_and_wide_characters() -> Report {
    report(Finding {
        labels: vec![
            label(
                place("tabs.py", 3, "f"),
                LabelRole::Primary,
                "this waits for the GPU",
            ),
            label(
                place("tabs.py", 1, "f"),
                LabelRole::Secondary,
                "called from here",
            ),
        ],
        ..finding("CG101", "`.item()` waits for the GPU inside a capture")
    })
}

pub fn long_line() -> Report {
    report(Finding {
        labels: vec![label(
            place("long.py", 2, "<module>"),
            LabelRole::Primary,
            "this waits for the GPU, and the explanation of it is longer than what is left of the line",
        )],
        ..finding("CG101", "`.item()` waits for the GPU inside a capture")
    })
}

pub fn two_labels_on_one_line() -> Report {
    report(Finding {
        labels: vec![
            label(
                place("one.py", 1, "<module>"),
                LabelRole::Secondary,
                "the capture began here, in mode `global`",
            ),
            label(
                place("one.py", 1, "<module>"),
                LabelRole::Primary,
                "this waits for the GPU",
            ),
        ],
        ..finding("CG101", "`.item()` waits for the GPU inside a capture")
    })
}

pub fn no_location() -> Report {
    let observed = Observed {
        call: Some(refused(
            "cuEventQuery",
            "cudaEventQuery",
            Some("ncclAllReduce"),
        )),
        thread: Some(thread(4800, "pt_nccl_watchdg")),
        ..observed()
    };
    report(Finding {
        ..seen(
            "CG114",
            "the NCCL watchdog queried an event during a capture",
            observed,
        )
    })
}

pub fn many_consequences() -> Report {
    let mut report = host_sync();
    recorded(&mut report).consequences = (1..=12)
        .map(|line| {
            consequence(
                Some("CG190"),
                "`cuLaunchKernel` returned 901 (CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)",
                Some(place("train.py", line, "step")),
            )
        })
        .collect();
    report
}

/// The same in two ranks of a job, and several times.
pub fn of_ranks() -> Report {
    let mut report = host_sync();
    let recorded = recorded(&mut report);
    recorded.processes = vec![process(4711, Some(0)), process(4712, Some(1))];
    recorded.count = 2;
    report
}

/// In one rank of the second machine of a job, in a loop.
pub fn of_a_rank_elsewhere() -> Report {
    let mut report = host_sync();
    let elsewhere = Process {
        local_rank: Some(1),
        world_size: Some(16),
        count: 12,
        ..process(4712, Some(9))
    };
    let recorded = recorded(&mut report);
    recorded.processes = vec![elsewhere];
    recorded.count = 12;
    report
}

/// With the parts of the lines that it is about.
pub fn parts() -> Report {
    let mut report = host_sync();
    let finding = &mut report.findings[0];
    finding.labels[0].location = part("train.py", 6, "loss.item()");
    finding.labels[1].location = part("train.py", 14, "torch.cuda.graph(graph,");
    finding.labels[2].location = part("train.py", 15, "step(model, x)");
    report
}

pub fn two_parts_of_one_line() -> Report {
    let mut report = two_labels_on_one_line();
    let labels = &mut report.findings[0].labels;
    labels[0].location = part("one.py", 1, "torch.cuda.graph(g)");
    labels[1].location = part("one.py", 1, "x.item()");
    report
}

pub fn a_part_among_tabs_and_wide_characters() -> Report {
    let mut report = tabs_and_wide_characters();
    report.findings[0].labels[0].location = part("tabs.py", 3, "モデル(x).item()");
    report
}

pub fn a_part_of_a_long_line() -> Report {
    let mut report = long_line();
    report.findings[0].labels[0].location = part("long.py", 2, "x30.item()");
    report
}

pub fn several_lines() -> Report {
    report(Finding {
        location: Some(part("crlf.py", 4, "model(x)\r\n    .item()")),
        ..finding("CG101", "`.item()` reads a value from the device")
    })
}

pub fn in_a_notebook() -> Report {
    let in_cell = |part: Location| Location {
        cell: Some(Cell {
            number: 3,
            line: part.line - 2,
        }),
        ..part
    };
    let first = Location {
        cell: Some(Cell { number: 2, line: 2 }),
        ..part("cells.ipynb", 2, "torch.cuda.CUDAGraph()")
    };
    report(Finding {
        location: Some(in_cell(part("cells.ipynb", 4, "x.item()"))),
        labels: vec![
            label(
                in_cell(part("cells.ipynb", 3, "torch.cuda.graph(g)")),
                LabelRole::Secondary,
                "the capture began here",
            ),
            label(first, LabelRole::Secondary, "the graph was made here"),
        ],
        ..finding("CG303", "each graph gets a memory pool of its own")
    })
}

/// Each of the above.
pub fn all() -> Vec<Report> {
    vec![
        parts(),
        two_parts_of_one_line(),
        a_part_among_tabs_and_wide_characters(),
        a_part_of_a_long_line(),
        several_lines(),
        in_a_notebook(),
        host_sync(),
        of_ranks(),
        of_a_rank_elsewhere(),
        other_thread(),
        without_source(),
        tabs_and_wide_characters(),
        long_line(),
        two_labels_on_one_line(),
        no_location(),
        many_consequences(),
    ]
}
