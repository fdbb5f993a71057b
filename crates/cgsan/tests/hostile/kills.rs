//! Ctrl-C and SIGKILL at any moment of a run with `--save`: nothing that was recorded is lost, and it is where it was asked for.
//!
//! The program needs no PyTorch: it makes captures on the virtual GPU, in two processes, and each notes in a file of its own how
//! many it has made.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;

use cgsan_model::Call;
use cgsan_trace::{Record, Trace};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;

use super::{CGSAN, names, output};

const PROGRAM: &str = r#"
import ctypes, json, os, subprocess, sys
child = None
if len(sys.argv) == 2:
    child = subprocess.Popen([sys.executable, *sys.argv, str(os.getpid())])
else:
    # It ends with its parent: what first uses CUDA after the run has ended has no place for a trace.
    ctypes.CDLL(None).prctl(1, 9)
    if os.getppid() != int(sys.argv[2]):
        sys.exit()
gpu = ctypes.CDLL(os.environ["CGSAN_LIBRARY"])
config = {"run_directory": os.environ["CGSAN_RUN_DIRECTORY"], "arguments": sys.argv}
assert gpu.cgsan_start(json.dumps(config).encode()) == 0
context, stream, graph = (ctypes.c_void_p() for _ in range(3))
gpu.cuInit(0)
gpu.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
gpu.cuCtxSetCurrent(context)
gpu.cuStreamCreate(ctypes.byref(stream), 1)
made = os.open(f"made-{os.getpid()}", os.O_WRONLY | os.O_CREAT)
for number in range(1, int(sys.argv[1]) + 1):
    gpu.cuStreamBeginCapture_v2(stream, 0)
    assert gpu.cuStreamEndCapture(stream, ctypes.byref(graph)) == 0
    gpu.cuGraphDestroy(graph)
    os.pwrite(made, b"%d" % number, 0)
if child is not None:
    child.wait()
"#;

/// Who gets the signal.
#[derive(Clone, Copy, Debug)]
enum To {
    Cgsan,
    Group,
}

/// Where a run was when the signal came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum During {
    Start,
    Program,
    Analysis,
    End,
}

#[test]
#[ignore = "needs the virtual GPU; `cargo xtask test` runs it"]
fn no_recorded_capture_is_lost_however_a_run_is_ended() {
    end_runs(6, 2000);
}

#[test]
#[ignore = "takes minutes; `cargo xtask test` runs it"]
fn fifty_interrupts_and_fifty_kills_lose_no_recorded_capture() {
    end_runs(25, 10_000);
}

/// Ends runs at so many moments, each time by Ctrl-C and by SIGKILL, of cgsan and of all.
fn end_runs(times: u32, captures: u32) {
    let begun = Instant::now();
    let (whole, folder) = begin(captures);
    let told = told_by(whole);
    let length = begun.elapsed();
    assert!(
        told.contains("; show them with `cgsan report run.cgsan run.cgsan.1`"),
        "{told}"
    );
    assert_eq!(kept_in(folder.path()), made_in(folder.path()), "{told}");

    for (signal, to) in [
        (Signal::INT, To::Group),
        (Signal::INT, To::Cgsan),
        (Signal::KILL, To::Cgsan),
        (Signal::KILL, To::Group),
    ] {
        let mut moments: BTreeMap<During, u32> = BTreeMap::new();
        let mut recorded = 0;
        for time in 0..times {
            let (mut child, folder) = begin(captures);
            thread::sleep(length * time / times);
            let during = moment(&mut child, folder.path(), captures);
            send(&child, signal, to);
            let told = told_by(child);
            let (made, kept) = (made_in(folder.path()), kept_in(folder.path()));
            let case = format!("{signal:?} to {to:?} during {during:?}: {made:?} {kept:?} {told}");
            for (process, made) in &made {
                assert!(kept.get(process).is_some_and(|kept| kept >= made), "{case}");
            }
            if !made.is_empty() {
                assert_shown(folder.path(), &case);
                if signal == Signal::INT {
                    assert!(told.contains("; show "), "{case}");
                    assert!(told.contains("run.cgsan"), "{case}");
                }
            }
            recorded += kept.values().sum::<u32>();
            *moments.entry(during).or_default() += 1;
        }
        println!(
            "{signal:?} to {to:?}, {times} times: {moments:?}; {recorded} captures recorded, none lost"
        );
    }
}

/// Starts a run in a new folder, and in a group of its own.
fn begin(captures: u32) -> (Child, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).expect("a folder");
    fs::write(folder.path().join("program.py"), PROGRAM).expect("a file");
    let python = env::var_os("CGSAN_TEST_PYTHON").unwrap_or_else(|| "python3".into());
    let child = Command::new(CGSAN)
        .args(["run", "--virtual", "--save", "run.cgsan", "--"])
        .arg(python)
        .args(["program.py", &captures.to_string()])
        .current_dir(folder.path())
        .env("TMPDIR", temporary)
        .env_remove("PYTHONPATH")
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    (child.expect("cgsan starts"), folder)
}

/// Where a run is, as what it left tells.
fn moment(child: &mut Child, folder: &Path, captures: u32) -> During {
    if child.try_wait().expect("it is ours").is_some() {
        return During::End;
    }
    let made = made_in(folder);
    match made.values().filter(|made| **made == captures).count() {
        2 => During::Analysis,
        _ if made.is_empty() => During::Start,
        _ => During::Program,
    }
}

fn send(child: &Child, signal: Signal, to: To) {
    let process = Pid::from_raw(child.id().cast_signed()).expect("a process");
    // It may have ended.
    let _ = match to {
        To::Cgsan => kill_process(process, signal),
        To::Group => kill_process_group(process, signal),
    };
}

/// What was written to standard error until all processes had ended.
fn told_by(child: Child) -> String {
    let output = child.wait_with_output().expect("it ends");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// How many captures each process says that it has made.
fn made_in(folder: &Path) -> BTreeMap<u32, u32> {
    let named = names(folder).into_iter();
    let made = named.filter_map(|name| {
        let process = name.strip_prefix("made-")?.parse().ok()?;
        let made = fs::read_to_string(folder.join(&name)).ok()?;
        Some((process, made.parse().unwrap_or(0)))
    });
    made.collect()
}

/// How many captures of each process are in the traces that were asked for.
fn kept_in(folder: &Path) -> BTreeMap<u32, u32> {
    let named = names(folder).into_iter();
    let traces = named.filter(|name| name.starts_with("run.cgsan"));
    let kept = traces.map(|name| {
        let trace = Trace::read(&folder.join(name)).expect("a trace");
        let ended = |record: &Record| {
            matches!(record, Record::Call(call) if matches!(call.call, Call::StreamEndCapture { .. }))
        };
        let captures = trace.entries().iter().filter(|entry| ended(&entry.record));
        (trace.process().pid, u32::try_from(captures.count()).expect("a small number"))
    });
    kept.collect()
}

/// That the command of which a person is told shows the traces.
fn assert_shown(folder: &Path, case: &str) {
    let traces = names(folder).into_iter();
    let traces: Vec<String> = traces
        .filter(|name| name.starts_with("run.cgsan"))
        .collect();
    let mut report = Command::new(CGSAN);
    report.arg("report").args(&traces).current_dir(folder);
    let shown = output(report);
    assert!(shown.status.success(), "{case}: {}", super::stderr(&shown));
}
