//! What ends, splits or starves a process costs neither its trace nor its life.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cgsan_trace::{Ending, Record, Trace};

use crate::support::{Program, calls};

fn forks(trace: &Trace) -> Vec<u32> {
    trace
        .entries()
        .iter()
        .filter_map(|entry| match entry.record {
            Record::Fork { child } => Some(child),
            _ => None,
        })
        .collect()
}

#[test]
fn os_exit() {
    let program = Program::new("start()\nprobe.probe_launch(1000)\nos._exit(7)\n");
    assert_eq!(program.run().status.code(), Some(7));
    let trace = program.traces().remove(0);
    assert_eq!(trace.ending(), Ending::CutOff);
    assert_eq!(calls(&trace).count(), 1000);
}

#[test]
fn abort() {
    let program = Program::new("start()\nprobe.probe_launch(1000)\nos.abort()\n");
    assert_eq!(program.run().status.signal(), Some(libc::SIGABRT));
    assert_eq!(calls(&program.traces()[0]).count(), 1000);
}

#[test]
fn kill_in_the_middle_of_recording() {
    let program = Program::new(
        "
start()
print(os.getpid(), flush=True)
while True:
    probe.probe_launch(100)
",
    );
    let mut child = program.command().stdout(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while Instant::now() < deadline && !has_calls(&program) {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let trace = program.traces().remove(0);
    assert_eq!(trace.ending(), Ending::CutOff);
    assert!(calls(&trace).count() >= 100);
}

/// Whether the trace that is being written has calls already: a reader may look at any moment.
fn has_calls(program: &Program) -> bool {
    let mut traces = std::fs::read_dir(&program.run).unwrap();
    traces.any(|entry| {
        Trace::read(&entry.unwrap().path()).is_ok_and(|trace| calls(&trace).count() >= 100)
    })
}

#[test]
fn fork_without_exec() {
    let program = Program::new(
        "
start()
probe.probe_launch(10)
child = os.fork()
if child == 0:
    probe.probe_launch(20)
    grandchild = os.fork()
    if grandchild == 0:
        probe.probe_launch(30)
        os._exit(0)
    os.waitpid(grandchild, 0)
    sys.exit(0)
os.waitpid(child, 0)
probe.probe_launch(5)
",
    );
    assert!(program.run().status.success());
    let traces = program.traces();
    let mut counts: Vec<_> = traces.iter().map(|trace| calls(trace).count()).collect();
    counts.sort_unstable();
    assert_eq!(counts, [15, 20, 30]);
    for trace in &traces {
        let launches = calls(trace).count();
        let children = usize::from(launches != 30);
        assert_eq!(forks(trace).len(), children);
        for child in forks(trace) {
            assert!(traces.iter().any(|trace| trace.process().pid == child));
        }
        assert_eq!(trace.complete(), launches != 30);
        assert_eq!(
            trace.function_name(cgsan_model::FunctionId(1)),
            Some("_Z6kernelv")
        );
        let call = calls(trace).next().unwrap();
        assert_eq!(trace.stack(call.stack.unwrap())[0].function, "<module>");
        let thread = trace.entries()[0].thread;
        assert_eq!(thread.0, trace.process().pid);
        assert_eq!(trace.thread_name(thread), Some("MainThread"));
    }
}

#[test]
fn a_child_that_records_nothing_leaves_no_trace() {
    let trace = Program::new(
        "
start()
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
probe.probe_launch(1)
",
    )
    .trace();
    assert_eq!(forks(&trace).len(), 1);
}

#[test]
fn fork_while_other_threads_record() {
    let program = Program::new(
        "
import threading
start()
stop = False
def work():
    while not stop:
        probe.probe_launch(50)
        probe.probe_synchronize(1)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
children = []
for _ in range(20):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        probe.probe_launch(7)
        ctypes.CDLL('libutil.so.1')
        os._exit(0)
    children.append(child)
for child in children:
    assert os.waitpid(child, 0)[1] == 0
stop = True
for thread in threads: thread.join()
",
    );
    let output = program.run();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let traces = program.traces();
    assert_eq!(traces.len(), 21);
    let children = traces.iter().filter(|trace| calls(trace).count() == 7);
    assert_eq!(children.count(), 20);
    let mut forks: Vec<_> = traces.iter().flat_map(forks).collect();
    forks.sort_unstable();
    forks.dedup();
    assert_eq!(forks.len(), 20);
}

#[test]
fn exec_in_place() {
    let program = Program::new(
        "
start()
probe.probe_launch(3)
if len(sys.argv) == 1:
    os.execv(sys.executable, [sys.executable, *sys.argv, 'again'])
",
    );
    assert!(program.run().status.success());
    let traces = program.traces();
    assert_eq!(traces.len(), 2);
    for trace in &traces {
        assert_eq!(trace.process().pid, traces[0].process().pid);
        assert_eq!(calls(trace).count(), 3);
    }
}

#[test]
fn thread_death() {
    let trace = Program::new(
        "
import threading
start()
def work(name):
    probe.probe_thread_name(name.encode())
    probe.probe_launch(10)
for i in range(50):
    thread = threading.Thread(target=work, args=('worker %d' % i,))
    thread.start()
    thread.join()
",
    )
    .trace();
    // Numbers of threads may be used again: each call has the name of its moment.
    let names: Vec<_> = trace
        .entries()
        .iter()
        .enumerate()
        .step_by(10)
        .map(|(index, entry)| trace.thread_name_at(entry.thread, index).unwrap())
        .collect();
    let expected: Vec<_> = (0..50).map(|worker| format!("worker {worker}")).collect();
    assert_eq!(names, expected);
}

#[test]
fn exit_inside_a_callback() {
    let program = Program::new(
        "
import threading
start()
threading.Thread(target=lambda: [probe.probe_launch(100) for _ in range(100000)], daemon=True).start()
@ctypes.CFUNCTYPE(None)
def callback():
    probe.probe_launch(10)
    ctypes.CDLL(None).exit(3)
probe.probe_callback(callback)
",
    );
    assert_eq!(program.run().status.code(), Some(3));
    assert!(program.traces()[0].complete());
}

#[test]
fn exit_while_other_threads_record() {
    let program = Program::new(
        "
import threading
start()
def work():
    while True:
        probe.probe_launch(20)
for _ in range(8):
    threading.Thread(target=work, daemon=True).start()
while probe.probe_launch(100) < 0: pass
ctypes.CDLL(None).exit(0)
",
    );
    for _ in 0..10 {
        let output = program.run();
        assert_eq!(output.status.code(), Some(0), "{:?}", output.status);
    }
    assert!(program.traces().iter().all(Trace::complete));
}

#[test]
fn a_program_that_closes_every_descriptor() {
    let program = Program::new(
        "
start()
os.closerange(3, 256)
with open(os.environ['RUN'] + '.own', 'w') as own:
    probe.probe_launch(15000)
",
    );
    let trace = program.trace();
    assert!(trace.complete());
    assert_eq!(calls(&trace).count(), 15000);
    let own = program.run.with_extension("own");
    assert_eq!(std::fs::metadata(own).unwrap().len(), 0);
}

#[test]
fn a_limit_on_the_size_of_files() {
    let program = Program::new(
        "
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
start()
for _ in range(10):
    probe.probe_launch(1000)
print('done')
",
    );
    let output = program.run();
    assert!(output.status.success());
    assert_eq!(output.stdout, b"done\n");
    stopped_with(&output.stderr, "file too large");
    let trace = program.traces().remove(0);
    assert_eq!(trace.ending(), Ending::Stopped);
    assert!(calls(&trace).count() > 500);
}

#[test]
fn a_full_disk() {
    let program = Program::new(
        "
start()
for _ in range(40):
    probe.probe_launch(1000)
print('done')
",
    );
    // A file system of its own, of 256 KiB, that ends with the process.
    let unshare = ["-r", "-m", "sh", "-e", "-c"];
    let mount = "mount -t tmpfs -o size=256k none \"$RUN\"";
    let may_mount = Command::new("unshare")
        .args(unshare)
        .arg(mount)
        .env("RUN", &program.run)
        .status();
    if !may_mount.is_ok_and(|status| status.success()) {
        println!("skipped: no file system can be mounted here");
        return;
    }
    let kept = program.folder().join("kept.cgsan");
    let output = program
        .wrapped(
            Command::new("unshare")
                .args(unshare)
                .arg(format!("{mount}; \"$@\"; cp \"$RUN\"/trace-* \"$KEPT\""))
                .arg("sh"),
        )
        .env("KEPT", &kept)
        .output()
        .unwrap();

    assert_eq!(output.stdout, b"done\n");
    stopped_with(&output.stderr, "no space left on device");
    let trace = Trace::read(&kept).unwrap();
    assert_eq!(trace.ending(), Ending::Stopped);
    assert!(calls(&trace).count() > 1000);
}

/// One line on standard error says why recording stopped.
fn stopped_with(stderr: &[u8], reason: &str) {
    let stderr = String::from_utf8_lossy(stderr);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(
        stderr.starts_with("cgsan: recording stopped (") && stderr.contains(reason),
        "{stderr}"
    );
}

#[test]
fn a_directory_that_is_not_there_or_cannot_be_written() {
    let program = Program::new(
        "
result = start()
probe.probe_launch(10)
print(result)
",
    );
    let mut output = program.command();
    output.env("RUN", program.folder().join("absent"));
    let output = output.output().unwrap();
    assert_eq!((output.stdout, output.stderr), (b"1\n".to_vec(), vec![]));

    std::fs::set_permissions(&program.run, std::fs::Permissions::from_mode(0o555)).unwrap();
    let output = program.run();
    // Root may write anywhere.
    let root = std::fs::write(program.run.join("anything"), "").is_ok();
    let expected = if root { "0\n" } else { "1\n" };
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert!(output.status.success() && output.stderr.is_empty());
}
