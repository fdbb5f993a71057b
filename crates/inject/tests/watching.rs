//! The watcher under a made-up CUPTI: what it records of made-up calls.
#![allow(
    unsafe_code,
    reason = "calls exported functions as the driver and the agent do"
)]

use std::env;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cgsan_model::{
    Call, CaptureMode, Code, CopyKind, Device, EventId, ExecId, GraphId, HostMemory, NodeIndex,
    NodeKind, Restricted, Stream,
};
use cgsan_trace::{CallRecord, Entry, Record, Trace};
// Only so that the library is linked.
use cgsan_inject as _;

unsafe extern "C" {
    fn InitializeInjection() -> c_int;
    fn cudaStreamBeginCapture(stream: Stand, mode: c_int) -> c_int;
    fn cudaGraphInstantiateWithFlags(exec: *mut u64, graph: u64, flags: u64) -> c_int;
    fn cudaGraphUpload(exec: u64, stream: u64) -> c_int;
    fn cudaGraphLaunch(exec: u64, stream: u64) -> c_int;
    fn cudaEventRecord(event: u64, stream: u64) -> c_int;
    fn cudaStreamSynchronize(stream: u64) -> c_int;
    fn cuptiSubscribe(subscriber: &mut usize, callback: Callback, data: usize) -> c_int;
    fn cgsan_start(config: *const c_char) -> c_int;
}

/// Takes the place of a stream, and is what the made-up runtime does with it.
type Stand = extern "C" fn(c_int) -> c_int;
type Callback = extern "C" fn(*mut c_void, c_int, u32, *const c_void);

/// Set where the test runs itself, to the folder of the run.
const FOLDER: &str = "CGSAN_TEST_FOLDER";

#[test]
fn calls_are_recorded_as_they_were_made() {
    let trace = watched("makes_calls");
    let calls = calls(&trace);
    let stream = Stream::Created(0x7000);
    let expected = [
        Call::StreamCreate {
            stream,
            device: Device(3),
            non_blocking: true,
            priority: -1,
        },
        kernel(Stream::Legacy(Device(3))),
        Call::StreamBeginCapture {
            stream,
            mode: CaptureMode::ThreadLocal,
        },
        kernel(stream),
        Call::StreamIsCapturing { stream },
        Call::ThreadExchangeCaptureMode {
            mode: CaptureMode::Relaxed,
        },
        Call::Work {
            stream,
            node: NodeKind::Memset {
                dst: 0x9000,
                value: 7,
                bytes: 200,
            },
        },
        Call::Work {
            stream,
            node: NodeKind::Memcpy {
                kind: CopyKind::HostToDevice(HostMemory::Pageable),
                dst: 0x9000,
                src: 0xa000,
                bytes: 64,
            },
        },
        Call::Work {
            stream: Stream::PerThread(Device(3)),
            node: NodeKind::MemAlloc {
                address: 0x7000,
                bytes: 512,
            },
        },
        Call::Restricted(Restricted::Malloc),
        Call::StreamEndCapture {
            stream,
            graph: GraphId(0x7000),
        },
        Call::GraphInstantiate {
            graph: GraphId(0x7000),
            exec: ExecId(0x7000),
            auto_free: true,
        },
        Call::EventSynchronize {
            event: EventId(0x77),
        },
    ];
    let got: Vec<&Call> = calls.iter().map(|record| &record.call).collect();
    assert_eq!(got, expected.iter().collect::<Vec<_>>());
    let refused = calls.iter().filter(|record| record.native.is_some());
    let refused: Vec<Code> = refused.map(|record| record.result).collect();
    assert_eq!(
        refused,
        [Code::STREAM_CAPTURE_UNSUPPORTED, Code::CAPTURED_EVENT]
    );
    let name = calls.first().map(|record| trace.string(record.function));
    assert_eq!(name, Some("cuStreamCreateWithPriority"));
}

#[test]
fn captures_into_graphs_built_by_hand_are_recorded_with_their_nodes() {
    let trace = watched("captures_into_a_graph");
    let calls = calls(&trace);
    let stream = Stream::Created(0x7000);
    let graph = GraphId(0x8000);
    let nodes = |places: &[u32]| places.iter().copied().map(NodeIndex).collect::<Vec<_>>();
    let expected = [
        Call::GraphAddNode {
            graph,
            node: NodeKind::Empty,
            dependencies: nodes(&[1, 0]),
        },
        Call::StreamBeginCaptureToGraph {
            stream,
            graph,
            dependencies: nodes(&[2]),
            mode: CaptureMode::Relaxed,
        },
        kernel(stream),
        Call::CaptureAddNode {
            stream,
            node: NodeKind::MemFree { address: 0x9000 },
            dependencies: nodes(&[]),
        },
        Call::StreamUpdateCaptureDependencies {
            stream,
            dependencies: nodes(&[1]),
            flags: 1,
        },
        Call::StreamEndCapture { stream, graph },
        Call::GraphAddNode {
            graph,
            node: NodeKind::Conditional,
            dependencies: nodes(&[]),
        },
        Call::GraphBody {
            graph,
            body: GraphId(0x8100),
        },
    ];
    let got: Vec<&Call> = calls.iter().map(|record| &record.call).collect();
    assert_eq!(got, expected.iter().collect::<Vec<_>>());
}

#[test]
fn launches_are_watched_only_at_first_unless_something_captures() {
    let trace = watched("launches_without_end");
    let launches = calls(&trace)
        .iter()
        .filter(|record| matches!(record.call, Call::Work { .. }))
        .count();
    assert_eq!(launches, 3_000 + 500 + 1);
}

#[test]
fn cupti_is_left_where_all_is_calm_and_comes_back_for_captures() {
    let trace = watched_with_cuda_13("is_calm");
    let calls = calls(&trace);
    let of = |wanted: fn(&Call) -> bool| calls.iter().filter(|it| wanted(&it.call)).count();
    assert_eq!(
        of(|call| matches!(call, Call::StreamBeginCapture { .. })),
        3
    );
    let launches = of(|call| matches!(call, Call::Work { .. }));
    assert_eq!(launches, 3_000 + 3 + 500 + 1_000);
    let marks = trace
        .entries()
        .iter()
        .filter_map(|entry| match entry.record {
            Record::Watched { on } => Some(on),
            _ => None,
        });
    let marks: Vec<bool> = marks.collect();
    assert_eq!(marks, [false, true, false, true, false]);
}

#[test]
fn cupti_is_not_left_where_a_capture_may_begin_unannounced() {
    let trace = watched_with_cuda_13("captures_unannounced");
    let left = |entry: &Entry| matches!(entry.record, Record::Watched { .. });
    assert!(!trace.entries().iter().any(left));
    assert_eq!(
        calls(&trace)
            .iter()
            .filter(|record| matches!(record.call, Call::StreamBeginCapture { .. }))
            .count(),
        2
    );
}

#[test]
fn the_programs_own_profiler_comes_first_and_captures_after_it_are_watched() {
    let trace = watched_with_cuda_13("profiles_itself");
    let begins = calls(&trace)
        .iter()
        .filter(|record| matches!(record.call, Call::StreamBeginCapture { .. }))
        .count();
    assert_eq!(begins, 2);
    let notes = notes(&trace);
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].contains("profile itself"), "{notes:?}");
    assert!(notes[1].contains("a capture was not watched"), "{notes:?}");
}

#[test]
fn replays_and_waits_are_recorded_once_with_and_without_cupti() {
    let trace = watched_with_cuda_13("replays_and_waits");
    let got: Vec<(Call, bool)> = calls(&trace)
        .iter()
        .filter(|record| !matches!(record.call, Call::Work { .. }))
        .map(|record| (record.call.clone(), trace.is_aside(record)))
        .collect();
    let stream = Stream::Created(0x7000);
    let launch = Call::GraphLaunch {
        exec: ExecId(0x9000),
        stream,
    };
    let record = Call::EventRecord {
        event: EventId(0x77),
        stream: Stream::Legacy(Device(3)),
        external: false,
    };
    let synchronize = Call::StreamSynchronize { stream };
    let expected = [
        (launch.clone(), false),
        (record.clone(), false),
        (synchronize.clone(), true),
        (launch, true),
        (record, true),
        (synchronize, true),
    ];
    assert_eq!(got, expected);
    let ordered = trace
        .entries()
        .iter()
        .filter(|entry| matches!(entry.record, Record::Ordered { .. }));
    assert_eq!(ordered.count(), 1);
}

#[test]
fn replays_between_windows_are_counted() {
    let trace = watched_with_cuda_13("replays_without_end");
    let recorded = calls(&trace)
        .iter()
        .filter(|record| matches!(record.call, Call::GraphLaunch { .. }))
        .count();
    let counted: u64 = trace
        .entries()
        .iter()
        .filter_map(|entry| match &entry.record {
            Record::Counted(counted) => Some(counted.replays.iter().map(|(_, times)| times)),
            _ => None,
        })
        .flatten()
        .sum();
    assert!((500..2_000).contains(&recorded), "{recorded}");
    assert_eq!(recorded as u64 + counted, 50_000);
}

#[test]
fn what_executable_graphs_take_is_measured_where_it_is_asked_for() {
    let taken = |trace: &Trace| {
        let records = trace.entries().iter().map(|entry| &entry.record);
        let taken = records.filter_map(|record| match record {
            Record::ExecutableMemory {
                exec,
                before,
                after,
            } => Some((*exec, before - after)),
            _ => None,
        });
        taken.collect::<Vec<_>>()
    };
    let exec = ExecId(0x9000);
    let trace = watched_with_cuda_13("makes_executables");
    assert_eq!(taken(&trace), [(exec, 5_000), (exec, 70), (exec, 8)]);
    let place = |is_such: fn(&Record) -> bool| {
        let mut entries = trace.entries().iter();
        entries.position(|entry| is_such(&entry.record))
    };
    let instantiated = |it: &Record| matches!(it, Record::Call(it) if matches!(it.call, Call::GraphInstantiate { .. }));
    let measured = |it: &Record| matches!(it, Record::ExecutableMemory { .. });
    assert!(place(instantiated) < place(measured));
    assert_eq!(
        taken(&watched_with_cuda_13("makes_executables_unasked")),
        []
    );
}

#[test]
fn without_cupti_the_trace_says_so() {
    let folder = tempfile::tempdir().unwrap();
    run_child(
        "is_only_started",
        folder.path(),
        Path::new("/nowhere"),
        "26",
    );
    let trace = only_trace(folder.path());
    assert_eq!(notes(&trace).len(), 1, "{:?}", notes(&trace));
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn makes_calls() {
    let Some(fake) = Fake::start() else { return };
    let at_first = fake.enabled();
    let out = 0x7000u64;
    let out = &raw const out as u64;
    fake.call(367, &[out, (0xffff_ffff << 32) | 1], 0);
    fake.call(307, &launch(0), 0);
    fake.call(126, &[0], 0);
    fake.call(539, &[0x7000, 1], 0);
    assert!(fake.enabled() > 2 * at_first);
    fake.call(307, &launch(0x7000), 0);
    fake.call(499, &[0x7000, 0], 0);
    let mode = 2u64;
    fake.call(541, &[&raw const mode as u64], 0);
    fake.call(218, &[0x9000, 7, 100, 0x7000], 0);
    fake.call(277, &[0x9000, 0xa000, 64, 0x7000], 0);
    fake.call(599, &[out, 512, 0], 0);
    fake.call(243, &[out, 64], 900);
    fake.call(497, &[0x7000, out], 0);
    fake.call(643, &[out, 0x7000, 1], 0);
    fake.call(121, &[0x77], 0);
    fake.call(121, &[0x77], 907);
    fake.call(126, &[0], 0);
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn captures_into_a_graph() {
    let Some(fake) = Fake::start() else { return };
    let handles = |handles: &[u64]| handles.as_ptr() as u64;
    let (out, graph) = (handles(&[0]), 0x8000);
    fake.call(526, &[out, graph, handles(&[0x52, 0x51]), 2], 0);
    fake.call(720, &[0x7000, graph, handles(&[0x53]), 0, 1, 2], 0);
    fake.call(307, &launch(0x7000), 0);
    fake.call(639, &[out, graph, 0, 0, 0x9000], 0);
    fake.call(731, &[0x7000, handles(&[0x52]), 0, 1, 1], 0);
    fake.call(497, &[0x7000, handles(&[graph])], 0);
    // An IF node with one body.
    let (one, bodies) = (1 << 32, [0x8100]);
    let conditional = [13, 0, 0x55, one, handles(&bodies)];
    fake.call(723, &[out, graph, 0, 0, 0, handles(&conditional)], 0);
}

#[test]
fn calls_that_failed_may_have_been_given_any_pointer() {
    let trace = watched("passes_wrong_pointers");
    let failed = |record: &&CallRecord| record.result == Code::INVALID_VALUE;
    let failed: Vec<Call> = calls(&trace)
        .into_iter()
        .filter(failed)
        .map(|record| record.call.clone())
        .collect();
    let stream = Stream::Created(0x7000);
    let nothing = Call::Work {
        stream,
        node: NodeKind::Empty,
    };
    let update = Call::StreamUpdateCaptureDependencies {
        stream,
        dependencies: Vec::new(),
        flags: 0,
    };
    let expected = [nothing, Call::Unrestricted, Call::Unrestricted, update];
    assert_eq!(failed, expected);
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn passes_wrong_pointers() {
    const NOWHERE: u64 = 0xdead_0000_0000;
    let Some(fake) = Fake::start() else { return };
    fake.call(539, &[0x7000, 0], 0);
    let invalid = Code::INVALID_VALUE.0;
    // A copy of rows, a launch, a mode to exchange, and dependencies.
    fake.call(289, &[NOWHERE, 0x7000], invalid);
    fake.call(652, &[NOWHERE, 0x1234], invalid);
    fake.call(541, &[NOWHERE], invalid);
    fake.call(631, &[0x7000, NOWHERE, 1 << 60, 0], invalid);
    fake.call(497, &[0x7000, 0], Code::STREAM_CAPTURE_INVALIDATED.0);
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn launches_without_end() {
    let Some(fake) = Fake::start() else { return };
    let at_first = fake.enabled();
    let launch_many = || (0..30_000).for_each(|_| fake.call(307, &launch(0), 0));
    launch_many();
    assert!(fake.enabled() < at_first);
    fake.call(539, &[0x7000, 0], 0);
    fake.call(307, &launch(0x7000), 0);
    fake.call(497, &[0x7000, 0], 901);
    launch_many();
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn is_calm() {
    let Some(fake) = Fake::start() else { return };
    let launch_many = || (0..9_000).for_each(|_| fake.call(307, &launch(0), 0));
    launch_many();
    assert_eq!((fake.enabled(), fake.finalized()), (0, 1));
    fake.announced_capture();
    launch_many();
    assert_eq!((fake.enabled(), fake.finalized()), (0, 2));
    fake.announced_capture();
    fake.announced_capture();
    launch_many();
    assert_eq!(fake.finalized(), 3);
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn captures_unannounced() {
    let Some(fake) = Fake::start() else { return };
    fake.capture();
    (0..9_000).for_each(|_| fake.call(307, &launch(0), 0));
    fake.announced_capture();
    assert_eq!(fake.finalized(), 0);
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn profiles_itself() {
    extern "C" fn profiler(_: *mut c_void, _: c_int, _: u32, _: *const c_void) {}
    let Some(fake) = Fake::start() else { return };
    fake.announced_capture();
    let mut subscriber = 0;
    // SAFETY: the functions have these types, and the profiler does nothing.
    unsafe {
        assert_eq!(cuptiSubscribe(&mut subscriber, profiler, 0), 0);
        fake.announced_capture();
        let end: extern "C" fn(usize) -> c_int = fake.function(c"cuptiUnsubscribe");
        assert_eq!(end(subscriber), 0);
    }
    fake.announced_capture();
    (0..9_000).for_each(|_| fake.call(307, &launch(0), 0));
    assert_eq!(fake.finalized(), 0);
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn replays_and_waits() {
    let Some(fake) = Fake::start() else { return };
    for _ in 0..2 {
        // SAFETY: the made-up runtime looks at no handle.
        unsafe {
            assert_eq!(cudaGraphLaunch(0x9000, 0x7000), 0);
            assert_eq!(cudaEventRecord(0x77, 0), 0);
            assert_eq!(cudaStreamSynchronize(0x7000), 0);
        }
        (0..9_000).for_each(|_| fake.call(307, &launch(0), 0));
    }
    assert_eq!(fake.finalized(), 1);
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn replays_without_end() {
    let Some(fake) = Fake::start() else { return };
    for _ in 0..50_000 {
        // SAFETY: the made-up runtime looks at no handle.
        assert_eq!(unsafe { cudaGraphLaunch(0x9000, 0x7000) }, 0);
    }
    assert_eq!(fake.finalized(), 1);
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn makes_executables() {
    let Some(fake) = Fake::start_with(true) else {
        return;
    };
    make_executables(&fake);
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn makes_executables_unasked() {
    let Some(fake) = Fake::start() else { return };
    make_executables(&fake);
}

/// Makes an executable graph, and another one while something captures.
fn make_executables(fake: &Fake) {
    let mut exec = 0;
    // SAFETY: the made-up runtime writes the executable graph, and looks at no other handle.
    unsafe {
        assert_eq!(cudaGraphInstantiateWithFlags(&raw mut exec, 0x7000, 0), 0);
        assert_eq!(cudaGraphUpload(exec, 0x7000), 0);
        assert_eq!(cudaGraphLaunch(exec, 0x7000), 0);
        assert_eq!(cudaGraphLaunch(exec, 0x7000), 0);
        fake.call(539, &[0x7000, 2], 0);
        assert_eq!(cudaGraphInstantiateWithFlags(&raw mut exec, 0x7000, 0), 0);
    }
    fake.finish_capture();
}

#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn is_only_started() {
    start(false);
}

fn kernel(stream: Stream) -> Call {
    Call::Work {
        stream,
        node: NodeKind::Kernel {
            function: cgsan_model::FunctionId(0x1234),
            grid: [4, 2, 1],
            block: [128, 1, 1],
            shared: 48,
        },
    }
}

/// The parameters of `cuLaunchKernel`: two numbers of 4 bytes in each that is none of 8.
fn launch(stream: u64) -> [u64; 8] {
    [
        0x1234,
        4 | 2 << 32,
        1 | 128 << 32,
        1 | 1 << 32,
        48,
        stream,
        0,
        0,
    ]
}

/// Runs one of the tests above in a process of its own, watched, and gives what it recorded.
fn watched(test: &str) -> Trace {
    watched_with_cupti(test, "26")
}

/// The same, with CUPTI of CUDA 13, which may be left while the program runs.
fn watched_with_cuda_13(test: &str) -> Trace {
    watched_with_cupti(test, "130000")
}

fn watched_with_cupti(test: &str, version: &str) -> Trace {
    let folder = tempfile::tempdir().unwrap();
    let cupti = folder.path().join("libcupti.so.13");
    fs::copy(fake_cupti(), cupti).unwrap();
    fs::copy(fake_cupti(), folder.path().join("libcuda.so.1")).unwrap();
    fs::copy(fake_cupti(), folder.path().join("libcudart.so.13")).unwrap();
    run_child(test, folder.path(), folder.path(), version);
    only_trace(folder.path())
}

fn run_child(test: &str, folder: &Path, cupti: &Path, version: &str) {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", test])
        .env(FOLDER, folder)
        .env("CGSAN_CUPTI", cupti)
        .env("FAKE_CUPTI_VERSION", version)
        // For the stand-ins of the driver and the runtime.
        .env("LD_LIBRARY_PATH", cupti)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
}

fn only_trace(folder: &Path) -> Trace {
    let mut traces = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "cgsan"));
    Trace::read(&traces.next().unwrap()).unwrap()
}

/// What the trace says of CUPTI.
fn notes(trace: &Trace) -> Vec<&str> {
    let notes = trace
        .entries()
        .iter()
        .filter_map(|entry| match &entry.record {
            Record::Note { text } => Some(text.as_str()),
            _ => None,
        });
    notes.filter(|text| text.contains("CUPTI")).collect()
}

fn calls(trace: &Trace) -> Vec<&CallRecord> {
    let entries = trace.entries().iter();
    entries
        .filter_map(|entry| match &entry.record {
            Record::Call(call) => Some(call),
            _ => None,
        })
        .collect()
}

/// Cargo builds examples for tests, beside them.
fn fake_cupti() -> PathBuf {
    let tests = env::current_exe().unwrap();
    let folder = tests.parent().and_then(Path::parent).unwrap();
    folder.join("examples/libfake_cupti.so")
}

/// What the agent and the driver do at the start; false where this is not run by another test. With `memory`, what executable graphs
/// take is measured.
fn start(memory: bool) -> bool {
    let Some(folder) = env::var_os(FOLDER) else {
        return false;
    };
    let config = serde_json::json!({ "run_directory": folder.to_str(), "memory": memory });
    let config = CString::new(config.to_string()).unwrap();
    // SAFETY: the text ends in a zero byte.
    assert_eq!(unsafe { cgsan_start(config.as_ptr()) }, 0);
    // SAFETY: nothing is asked of the caller.
    assert_eq!(unsafe { InitializeInjection() }, 1);
    true
}

type FakeCall = extern "C" fn(u32, *const c_void, c_int);

/// The made-up CUPTI, as the test sees it.
struct Fake {
    library: *mut c_void,
    call: FakeCall,
}

impl Fake {
    fn start() -> Option<Fake> {
        Fake::start_with(false)
    }

    /// The same; with `memory`, what executable graphs take is measured.
    fn start_with(memory: bool) -> Option<Fake> {
        // SAFETY: the names end in zero bytes, and the libraries have no constructors.
        let stand_ins = unsafe {
            [c"libcuda.so.1", c"libcudart.so.13"]
                .map(|name| libc::dlopen(name.as_ptr(), libc::RTLD_NOW))
        };
        let is_there = !stand_ins.contains(&std::ptr::null_mut());
        (is_there && start(memory)).then(Fake::loaded)?
    }

    fn loaded() -> Option<Fake> {
        let path = Path::new(&env::var_os("CGSAN_CUPTI")?).join("libcupti.so.13");
        let path = CString::new(path.to_str()?).ok()?;
        // SAFETY: the path ends in a zero byte; the watcher has loaded the library.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) };
        // SAFETY: the function has this type.
        let call = unsafe { function(library, c"fake_call") };
        Some(Fake { library, call })
    }

    /// A function of the library.
    ///
    /// # Safety
    ///
    /// `F` is its type.
    unsafe fn function<F: Copy>(&self, name: &CStr) -> F {
        // SAFETY: by the contract of this function.
        unsafe { function(self.library, name) }
    }

    fn call(&self, function: u32, parameters: &[u64], result: c_int) {
        (self.call)(function, parameters.as_ptr().cast(), result);
    }

    /// How many functions are watched.
    fn enabled(&self) -> usize {
        // SAFETY: the function has this type.
        unsafe { self.function::<extern "C" fn() -> usize>(c"fake_enabled")() }
    }

    /// How often CUPTI was taken out of the process.
    fn finalized(&self) -> usize {
        // SAFETY: the function has this type.
        unsafe { self.function::<extern "C" fn() -> usize>(c"fake_finalized")() }
    }

    /// A capture of one launch.
    fn capture(&self) {
        self.call(539, &[0x7000, 1], 0);
        self.finish_capture();
    }

    /// The same, begun through the runtime.
    fn announced_capture(&self) {
        extern "C" fn begin(mode: c_int) -> c_int {
            let fake = Fake::loaded().unwrap();
            fake.call(539, &[0x7000, mode.cast_unsigned().into()], 0);
            0
        }
        // SAFETY: the made-up runtime calls what stands for the stream.
        assert_eq!(unsafe { cudaStreamBeginCapture(begin, 1) }, 0);
        self.finish_capture();
    }

    fn finish_capture(&self) {
        self.call(307, &launch(0x7000), 0);
        let graph = 0x8000u64;
        self.call(497, &[0x7000, &raw const graph as u64], 0);
    }
}

/// A function of a library.
///
/// # Safety
///
/// `F` is its type.
unsafe fn function<F: Copy>(library: *mut c_void, name: &CStr) -> F {
    // SAFETY: the name ends in a zero byte.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    assert!(!address.is_null(), "{name:?}");
    // SAFETY: by the contract of this function.
    unsafe { std::mem::transmute_copy(&address) }
}
