//! Runs Python programs that load the probe, and reads what was recorded of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use cgsan_trace::{CallRecord, Record, StackFrame, Trace};

/// Loads the probe and starts recording, as the agent does with the virtual GPU.
const PRELUDE: &str = r#"
import ctypes, json, os, signal, sys
# A program that hangs fails its test instead of the whole run.
signal.alarm(300)
probe = ctypes.CDLL(os.environ["PROBE"], ctypes.RTLD_GLOBAL)
probe.probe_launch.restype = ctypes.c_double
def start():
    config = {"run_directory": os.environ["RUN"], "python": "3", "arguments": sys.argv}
    return probe.probe_start(json.dumps(config).encode())
def here():
    """Records a call, and prints the stack that Python shows for the caller."""
    frame, stack = sys._getframe(1), []
    while frame:
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        stack.append({"file": code.co_filename, "function": name, "line": frame.f_lineno})
        frame = frame.f_back
    print(json.dumps(stack), flush=True)
    probe.probe_synchronize(0)
"#;

/// A Python program and the folder that its traces go to.
pub struct Program {
    folder: tempfile::TempDir,
    python: PathBuf,
    /// Where the traces go.
    pub run: PathBuf,
}

impl Program {
    /// A program of these lines, which begin after the first line of a file named `program.py`.
    pub fn new(text: &str) -> Program {
        Program::for_python(&pythons()[0].path, text)
    }

    /// The same for a certain interpreter.
    pub fn for_python(python: &Path, text: &str) -> Program {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        std::fs::create_dir(&run).unwrap();
        std::fs::write(folder.path().join("prelude.py"), PRELUDE).unwrap();
        std::fs::write(
            folder.path().join("program.py"),
            format!("from prelude import *\n{text}"),
        )
        .unwrap();
        Program {
            folder,
            python: python.to_owned(),
            run,
        }
    }

    /// The folder of the program's files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The command that runs it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.python);
        self.complete(&mut command);
        command
    }

    /// The command that runs it through another one, which takes a command line as its last arguments.
    pub fn wrapped<'a>(&self, wrapper: &'a mut Command) -> &'a mut Command {
        self.complete(wrapper.arg(&self.python));
        wrapper
    }

    fn complete(&self, command: &mut Command) {
        command
            .arg(self.folder.path().join("program.py"))
            .env("PROBE", probe())
            .env("RUN", &self.run);
    }

    /// Runs it to its end, whichever that is.
    pub fn run(&self) -> Output {
        self.command().output().unwrap()
    }

    /// Runs it, and expects success and one trace.
    pub fn trace(&self) -> Trace {
        let output = self.run();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        let mut traces = self.traces();
        assert_eq!(traces.len(), 1, "{errors}");
        traces.remove(0)
    }

    /// The traces that are there, by process id.
    pub fn traces(&self) -> Vec<Trace> {
        let mut traces: Vec<_> = std::fs::read_dir(&self.run)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|it| it == "cgsan"))
            .map(|path| Trace::read(&path).unwrap())
            .collect();
        traces.sort_by_key(|trace| trace.process().pid);
        traces
    }
}

/// The calls of a trace, in order.
pub fn calls(trace: &Trace) -> impl Iterator<Item = &CallRecord> {
    trace
        .entries()
        .iter()
        .filter_map(|entry| match &entry.record {
            Record::Call(call) => Some(call),
            _ => None,
        })
}

/// The stack of a call, innermost frame first.
pub fn stack(trace: &Trace, call: &CallRecord) -> Vec<StackFrame> {
    call.stack.map_or(Vec::new(), |stack| trace.stack(stack))
}

/// A Python interpreter to test with.
pub struct Python {
    /// Its major and minor version, e.g. `3.11`, with a `t` if it is free-threaded.
    pub version: String,
    /// Its executable.
    pub path: PathBuf,
}

/// The interpreters of `CGSAN_TEST_PYTHON` (separated by colons) and on the `PATH`, one of each version.
pub fn pythons() -> Vec<Python> {
    let asked = std::env::var("CGSAN_TEST_PYTHON").unwrap_or_default();
    let usual = [
        "python3",
        "python3.10",
        "python3.11",
        "python3.12",
        "python3.13",
        "python3.13t",
        "python3.14",
        "python3.14t",
        "python3.15",
        "python3.15t",
    ];
    let mut pythons: Vec<Python> = Vec::new();
    for name in asked
        .split(':')
        .filter(|name| !name.is_empty())
        .chain(usual)
    {
        let script = "import sys; print('%d.%d' % sys.version_info[:2] + sys.abiflags); print(sys.executable)";
        let Ok(output) = Command::new(name).args(["-c", script]).output() else {
            continue;
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if let Some((version, path)) = text.trim_end().split_once('\n')
            && pythons.iter().all(|python| python.version != version)
        {
            pythons.push(Python {
                version: version.to_owned(),
                path: path.into(),
            });
        }
    }
    assert!(
        !pythons.is_empty(),
        "these tests need a python3 on the PATH"
    );
    pythons
}

/// The probe, built: `cargo test NAME` alone would leave an older one.
fn probe() -> &'static Path {
    static PROBE: OnceLock<PathBuf> = OnceLock::new();
    PROBE.get_or_init(|| {
        // This program lies in <target>/<profile>/deps.
        let program = std::env::current_exe().unwrap();
        let profile = program.ancestors().nth(2).unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["build", "--quiet", "--example", "probe", "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .arg("--target-dir")
            .arg(profile.parent().unwrap());
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success());
        profile.join("examples/libprobe.so")
    })
}
