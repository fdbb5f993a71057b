//! What processes do, for other programs: the fields of the JSON report.

use cgsan_diagnose::place;
use cgsan_finding::{Location, Process};
use cgsan_threads::{PythonFrame, Scope, Variable};
use cgsan_trace::StackFrame;
use serde::Serialize;

use crate::calls::Call;
use crate::inside::Inside;
use crate::looked::Looked;
use crate::words;

/// A process.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToldProcess {
    /// Which one.
    #[serde(flatten)]
    pub process: Process,
    /// Its id in its own namespace, where that is another one.
    pub inner_pid: Option<u32>,
    /// The user that it runs as.
    pub user: u32,
    /// For how long it has been running, in seconds.
    pub age_s: f64,
    /// What it runs on: `Python 3.11`, `PyTorch`, `CUDA`.
    pub software: Vec<String>,
    /// Between the two looks lay so much time, in seconds.
    pub window_s: f64,
    /// Its threads.
    pub threads: Vec<ToldThread>,
    /// Its living graphs; `None` if they cannot be seen.
    pub graphs: Option<Vec<ToldGraph>>,
    /// How many objects it has for streams.
    pub streams: Option<usize>,
    /// Where captures are under way.
    pub captures: Option<Vec<Location>>,
    /// What could not be seen, and why.
    pub unseen: Vec<String>,
    /// What it says of itself; `None` if it was not asked, or did not answer.
    pub inside: Option<Inside>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToldThread {
    /// What `gettid` returns in it.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// What it does, and since when.
    pub does: String,
    /// The call of CUDA, NCCL or a process group that it is in.
    pub call: Option<Call>,
    /// For at least so many seconds, it has been in this call, or has not moved at all.
    pub still_for_s: Option<f64>,
    /// Whether it holds the lock of its interpreter.
    pub has_gil: bool,
    /// Its Python stack, innermost frame first.
    pub stack: Vec<Location>,
    /// Its native stack, innermost frame first.
    pub native_stack: Vec<String>,
}

/// A living graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToldGraph {
    /// Variables that lead to it.
    pub names: Vec<ToldVariable>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToldVariable {
    /// Its name.
    pub name: String,
    /// Whether it is a list, tuple or dictionary that holds the object.
    pub is_container: bool,
    /// The module that it is of; `None` if it is a function's.
    pub module: Option<String>,
    /// Where the function is that it is of; `None` if it is a module's.
    pub location: Option<Location>,
}

impl ToldProcess {
    /// What was seen of a process, and what it says.
    pub fn of(looked: &Looked, inside: Option<Inside>) -> ToldProcess {
        let objects = looked.objects.as_ref().ok();
        let mut unseen = looked.look.unseen.clone();
        unseen.extend(
            looked
                .objects
                .as_ref()
                .err()
                .map(|it| format!("graphs: {it}")),
        );
        let threads = looked.look.threads.iter().zip(&looked.threads);
        let threads = threads.map(|(thread, doing)| ToldThread {
            id: thread.status.id,
            name: doing.name.clone(),
            does: words::does(looked, thread, doing),
            call: doing.call.clone(),
            still_for_s: doing.still_for.map(|it| it.as_secs_f64()),
            has_gil: thread.has_gil,
            stack: thread.python.iter().map(location).collect(),
            native_stack: thread.native.clone(),
        });
        ToldProcess {
            process: looked.process(),
            inner_pid: looked.subject.inner_pid,
            user: looked.subject.user,
            age_s: looked.subject.age.as_secs_f64(),
            software: looked.software(),
            window_s: looked.window.as_secs_f64(),
            threads: threads.collect(),
            graphs: objects.map(|it| {
                let graphs = it.graphs.iter();
                graphs
                    .map(|graph| ToldGraph {
                        names: graph.names.iter().map(told).collect(),
                    })
                    .collect()
            }),
            streams: objects.map(|it| it.streams),
            captures: objects.map(|it| it.captures.iter().map(|it| location(&it.frame)).collect()),
            unseen,
            inside,
        }
    }
}

fn told(variable: &Variable) -> ToldVariable {
    let (module, frame) = match &variable.of {
        Scope::Module(module) => (Some(module.clone()), None),
        Scope::Frame(frame) => (None, Some(frame)),
    };
    ToldVariable {
        name: variable.name.clone(),
        is_container: variable.is_container,
        module,
        location: frame.map(location),
    }
}

/// A frame of another process as a place to show.
pub(crate) fn location(frame: &PythonFrame) -> Location {
    place(&stack_frame(frame))
}

/// The same as the diagnosis has frames.
pub(crate) fn stack_frame(frame: &PythonFrame) -> StackFrame {
    StackFrame {
        file: frame.file.clone(),
        function: frame.function.clone(),
        line: frame.line,
    }
}
