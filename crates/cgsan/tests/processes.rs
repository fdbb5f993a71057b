//! Programs of several processes under `cgsan run`: one trace a process, one report, every finding with its ranks.

use std::env;
use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

/// What a program of several processes did under `cgsan run`, and the report.
struct Run {
    folder: tempfile::TempDir,
    output: Output,
}

impl Run {
    /// Runs `program.py` with this text, by the words in `how` after the interpreter.
    fn of(program: &str, how: &[&str]) -> Run {
        let python = env::var_os("CGSAN_TEST_PYTHON")
            .expect("CGSAN_TEST_PYTHON is not set; `cargo xtask test` sets it");
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("program.py"), program).expect("a file");
        fs::create_dir(folder.path().join("traces")).expect("a folder");
        let output = Command::new("timeout")
            .args(["--kill-after=5", "120", env!("CARGO_BIN_EXE_cgsan")])
            .args(["run", "--virtual", "--output", "report.txt"])
            .args(["--save", "traces", "--"])
            .arg(python)
            .args(how)
            .current_dir(folder.path())
            .env_remove("RANK")
            .output()
            .expect("`timeout` starts");
        Run { folder, output }
    }

    /// With two ranks of `torchrun`.
    fn of_two_ranks(program: &str) -> Run {
        let torchrun = ["-m", "torch.distributed.run", "--standalone"];
        let mut how = torchrun.to_vec();
        how.extend(["--nproc-per-node", "2", "program.py"]);
        Run::of(program, &how)
    }

    fn report(&self) -> String {
        fs::read_to_string(self.folder.path().join("report.txt")).expect("a report")
    }

    /// The report that the kept traces give, as JSON.
    fn json(&self) -> Value {
        let mut traces: Vec<_> = fs::read_dir(self.folder.path().join("traces"))
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        traces.sort();
        let output = Command::new(env!("CARGO_BIN_EXE_cgsan"))
            .args(["report", "--json"])
            .args(traces)
            .output()
            .expect("cgsan starts");
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    fn stdout(&self) -> String {
        let text = String::from_utf8_lossy(&self.output.stdout);
        text.trim_end().to_owned()
    }

    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }
}

/// The words of a report, without its lines.
fn stated(report: &str) -> String {
    report.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Ranks that fail in a loop, and one that fails once more.
const RANKS: &str = "\
import torch, torch.distributed as dist
dist.init_process_group('gloo')
rank = dist.get_rank()
x = torch.ones(4, device='cuda')
for step in range(3):
    try:
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            (x + 1).sum().item()
    except RuntimeError:
        pass
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        if rank == 1:
            torch.cuda.synchronize()
except RuntimeError:
    print('rank', rank)
dist.barrier()
dist.destroy_process_group()
";

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn ranks_share_one_report() {
    let run = Run::of_two_ranks(RANKS);
    assert_eq!(run.output.status.code(), Some(0), "{}", run.stderr());
    assert_eq!(run.stdout(), "rank 1");
    insta::assert_snapshot!(run.report());
    let json = run.json();
    let processes = json["findings"][0]["processes"].as_array();
    let told: Vec<_> = processes
        .expect("a list")
        .iter()
        .map(|it| ["rank", "local_rank", "world_size", "count"].map(|name| it[name].as_u64()))
        .collect();
    let of = |rank| [Some(rank), Some(rank), Some(2), Some(3)];
    assert_eq!(told, [of(0), of(1)]);
    assert_eq!(json["findings"][0]["count"], 6);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn ranks_that_ask_for_more_gpus_end_in_a_clear_statement() {
    let run = Run::of_two_ranks(
        "\
import os, torch
torch.cuda.set_device(2 * int(os.environ['LOCAL_RANK']))
",
    );
    assert_eq!(run.output.status.code(), Some(1), "{}", run.stderr());
    let report = run.report();
    assert!(
        run.stderr().contains("ChildFailedError"),
        "{}",
        run.stderr()
    );
    assert!(
        stated(&report).contains("in rank 1: the program asked for a GPU that does not exist"),
        "{report}"
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn nccl_works_with_one_rank() {
    let program = "\
import torch, torch.distributed as dist
dist.init_process_group('nccl')
x = torch.ones(4, device='cuda')
dist.all_reduce(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(x)
graph.replay()
torch.cuda.synchronize()
graph.reset()
dist.destroy_process_group()
print('done')
";
    let one = [
        "-m",
        "torch.distributed.run",
        "--nproc-per-node",
        "1",
        "program.py",
    ];
    let run = Run::of(program, &one);
    assert_eq!(run.output.status.code(), Some(0), "{}", run.stderr());
    assert_eq!(run.stdout(), "done");
    let report = run.report();
    assert!(
        report.starts_with("cgsan: no findings (1 capture, 1 replay"),
        "{report}"
    );
}

/// Processes that `multiprocessing` starts; the argument is how.
const WORKERS: &str = "\
import multiprocessing, sys, torch
def work(number):
    x = torch.ones(4, device='cuda')
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        y = x + 1
        if number > 0:
            y.cpu()
if __name__ == '__main__':
    context = multiprocessing.get_context(sys.argv[1])
    workers = [context.Process(target=work, args=(number,)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print([worker.exitcode for worker in workers])
";

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn spawned_and_forked_workers_are_named() {
    for how in ["spawn", "fork"] {
        let run = Run::of(WORKERS, &["program.py", how]);
        assert_eq!(run.stdout(), "[0, 1, 1]", "{}", run.stderr());
        assert_eq!(run.output.status.code(), Some(0));
        let json = run.json();
        let findings = json["findings"].as_array().expect("a list");
        let processes = findings.first().map(|it| &it["processes"]);
        let processes = processes.and_then(Value::as_array).expect("a finding");
        assert_eq!((findings.len(), processes.len()), (1, 2), "{json}");
        let report = run.report();
        for process in processes {
            let pid = &process["pid"];
            assert!(
                stated(&report).contains(&format!("process {pid} (`python ")),
                "{report}"
            );
        }
        let summary = "\n\ncgsan: 1 finding (3 captures, 0 replays, 30 operators, 3 processes)";
        assert!(report.contains(summary), "{report}");
        assert!(!report.contains("killed"), "{report}");
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn the_workers_of_a_loader_need_no_mention() {
    let program = "\
import sys, torch
from torch.utils.data import DataLoader, TensorDataset
if __name__ == '__main__':
    data = TensorDataset(torch.arange(8.))
    loader = DataLoader(data, batch_size=2, num_workers=2, pin_memory=True, multiprocessing_context=sys.argv[1])
    x = torch.zeros(2, device='cuda')
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode='thread_local'):
        y = x + 1
    for (batch,) in loader:
        x.copy_(batch, non_blocking=True)
        graph.replay()
    torch.cuda.synchronize()
    print('done')
";
    for how in ["spawn", "fork"] {
        let run = Run::of(program, &["program.py", how]);
        assert_eq!(run.stdout(), "done", "{}", run.stderr());
        let report = run.report();
        assert!(
            report.starts_with("cgsan: no findings (1 capture, 4 replays"),
            "{report}"
        );
    }
}

/// A program that starts itself once more in one of several ways.
const PARENT: &str = "\
import os, subprocess, sys
if len(sys.argv) == 1:
    import torch
    x = torch.ones(4, device='cuda')
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        y = x + 1
    print('captured')
else:
    how = sys.argv[1]
    options = [how] if how.startswith('-') else []
    environment = dict(os.environ)
    if how == 'path':
        environment['PYTHONPATH'] = os.getcwd()
    elif how == 'none':
        del environment['PYTHONPATH']
    elif how == 'own':
        os.environ['PYTHONPATH'] = os.getcwd()
        environment = None
    elif how == 'empty':
        environment = {}
    subprocess.run([sys.executable, *options, __file__], env=environment)
";

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_child_with_a_pythonpath_of_its_own_is_watched() {
    for how in ["path", "none", "own"] {
        let run = Run::of(PARENT, &["program.py", how]);
        assert_eq!(run.stdout(), "captured", "{how}: {}", run.stderr());
        let report = run.report();
        assert!(
            report.starts_with("cgsan: no findings (1 capture"),
            "{how}: {report}"
        );
    }
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_child_that_cannot_be_watched_is_named_with_the_reason() {
    const OPTIONS: &str = "-I, -E and -S hide PYTHONPATH";
    for (how, options, reason) in [
        ("empty", "", "its environment lacks"),
        ("-I", "-I ", OPTIONS),
        ("-E", "-E ", OPTIONS),
    ] {
        let run = Run::of(PARENT, &["program.py", how]);
        let report = stated(&run.report());
        let program = run.folder.path().join("program.py");
        let note = format!(
            "`python {options}{}` was not watched: {reason}",
            program.display()
        );
        assert!(report.contains(&note), "{how}: {report}");
    }
}
