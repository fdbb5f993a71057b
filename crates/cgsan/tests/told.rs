//! What the agent tells of graphs and their replays, and that the program does not notice.

use std::env;
use std::fs;
use std::process::Command;

use cgsan_trace::{AgentEvent, StorageKind, Trace};

const CGSAN: &str = env!("CARGO_BIN_EXE_cgsan");

/// What the agent told of the graphs of a program, which ended well; what it told of memory and of twins is another test's.
fn events_of(program: &str) -> Vec<AgentEvent> {
    let python = env::var_os("CGSAN_TEST_PYTHON")
        .expect("CGSAN_TEST_PYTHON is not set; `cargo xtask test` sets it");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("program.py"), program).expect("a file");
    let output = Command::new(CGSAN)
        .args(["run", "--virtual", "--save", "run.cgsan", "--"])
        .arg(python)
        .args(["-W", "error", "program.py"])
        .current_dir(path)
        .output()
        .expect("cgsan starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!stderr.contains("Traceback"), "{stderr}");
    let is_ended_by_signal = output.status.code().is_none_or(|code| code > 128);
    assert!(!is_ended_by_signal, "{stderr}");
    let trace = Trace::read(&path.join("run.cgsan")).expect("a trace");
    trace
        .agent_events()
        .map(|(_, event)| event.clone())
        .filter(|event| {
            !matches!(
                event,
                AgentEvent::Memory { .. }
                    | AgentEvent::TwinCompared { .. }
                    | AgentEvent::TwinsLeftOut { .. }
            )
        })
        .collect()
}

/// Those events that are more than that a graph was captured.
fn news_of(program: &str) -> Vec<AgentEvent> {
    let mut events = events_of(program);
    events.retain(|event| !matches!(event, AgentEvent::GraphCaptured { .. }));
    events
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_capture_is_told_with_the_names_of_what_it_reads_and_leaves() {
    let events = events_of(
        "\
import torch
class Runner:
    def __init__(self):
        self.x = torch.zeros(4, device='cuda')
        self.buffers = {'a': [torch.zeros(4, device='cuda')]}
    def capture(self):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.y = self.x + self.buffers['a'][0]
Runner().capture()
",
    );
    let [
        AgentEvent::GraphCaptured {
            graph: 1,
            pool: Some(_),
            names,
        },
    ] = &events[..]
    else {
        panic!("{events:?}");
    };
    let names: Vec<_> = names
        .iter()
        .map(|name| (name.name.as_str(), name.kind))
        .collect();
    assert_eq!(
        names,
        [
            ("self.x", StorageKind::Input),
            ("self.y", StorageKind::Output),
            ("self.buffers['a'][0]", StorageKind::Input),
        ]
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn names_that_lead_elsewhere_at_a_replay_are_told_with_the_line_that_changed_them() {
    let news = news_of(
        "\
import torch
class Runner:
    def __init__(self):
        self.x = torch.zeros(4, device='cuda')
        self.kept = torch.zeros(4, device='cuda')
    def capture(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x + self.kept
    def run(self, x):
        self.x = x
        self.graph.replay()
runner = Runner()
runner.capture()
for _ in range(9):
    runner.run(torch.ones(4, device='cuda'))
other = torch.zeros(4, device='cuda')
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = other + 1
other.data = torch.ones(4, device='cuda')
graph.replay()
",
    );
    let mut told = Vec::new();
    for event in &news {
        let AgentEvent::InputsRebound {
            graph,
            replay,
            names,
            ..
        } = event
        else {
            panic!("{event:?}");
        };
        assert!(names.iter().all(|name| name.old != name.new));
        told.extend(
            names
                .iter()
                .map(|name| (*graph, *replay, &name.name[..], name.same_tensor, name.line)),
        );
    }
    // How often it is told depends on the addresses that the allocator gives out.
    told.dedup_by_key(|(graph, ..)| *graph);
    assert_eq!(
        told,
        [
            (1, 1, "self.x", false, Some(11)),
            (2, 1, "other", true, Some(21)),
        ]
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_container_that_collects_outputs_is_told() {
    let news = news_of(
        "\
import torch
x = torch.zeros(4, device='cuda')
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
kept, copies = {}, []
for step in range(3):
    graph.replay()
    kept[step] = (step, y.detach())
    copies.append(y.clone())
",
    );
    let kept: Vec<_> = news
        .iter()
        .flat_map(|event| match event {
            AgentEvent::OutputsKept { containers, .. } => containers.as_slice(),
            _ => panic!("{event:?}"),
        })
        .map(|it| (it.name.as_deref(), it.type_name.as_str(), it.entries))
        .collect();
    assert_eq!(
        kept,
        [(Some("kept"), "dict", 2), (Some("kept"), "dict", 3)],
        "at the third replay, and at the end"
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn hooks_inside_of_a_graphed_module_are_told() {
    let news = news_of(
        "\
import torch
model = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Sequential(torch.nn.Tanh())).cuda()
x = torch.ones(4, device='cuda')
torch.cuda.make_graphed_callables(model, (x,))
def look(*_):
    pass
model.register_forward_hook(look)
model[1][0].register_forward_hook(look)
for _ in range(5):
    model(x)
",
    );
    let [
        AgentEvent::HooksSkipped {
            graph: 1,
            replay: 1,
            hooks,
        },
    ] = &news[..]
    else {
        panic!("{news:?}");
    };
    let hooks: Vec<_> = hooks
        .iter()
        .map(|hook| (&hook.module[..], &hook.kind[..], &hook.hook[..], hook.line))
        .collect();
    assert_eq!(hooks, [("1.0", "forward", "look", Some(5))]);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn state_of_the_host_that_a_capture_changed_is_told_with_what_became_of_it() {
    let news = news_of(
        "\
import torch
x = torch.zeros(4, device='cuda')
count = 0
config = {'step': 0}
seen = []
def step():
    global count
    count += 1
    config['step'] += 1
    seen.append('step')
    return x * 2
outputs = []
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for turn in range(2):
        outputs.append(step())
for _ in range(4):
    graph.replay()
    config['step'] += 1
print(count)
",
    );
    let Some(AgentEvent::HostState {
        graph: 1, changes, ..
    }) = news.last()
    else {
        panic!("{news:?}");
    };
    let changes: Vec<_> = changes
        .iter()
        .map(|it| {
            let values = (&it.before[..], &it.after[..]);
            (&it.name[..], values, it.is_length, it.moved, it.line)
        })
        .collect();
    assert_eq!(
        changes,
        [
            ("count", ("0", "2"), false, false, Some(8)),
            ("seen", ("0", "2"), true, false, Some(10)),
            ("config['step']", ("0", "2"), false, true, None),
        ]
    );
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn parameters_whose_gradient_is_memory_of_a_graph_are_told() {
    let news = news_of(
        "\
import torch
weight = torch.ones(4, device='cuda', requires_grad=True)
own = torch.ones(4, device='cuda', requires_grad=True)
own.grad = torch.zeros_like(own)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    (weight * own).backward(torch.ones(4, device='cuda'))
graph.replay()
",
    );
    let [AgentEvent::Gradients { gradients, .. }] = &news[..] else {
        panic!("{news:?}");
    };
    let gradients: Vec<_> = gradients
        .iter()
        .map(|it| (&it.name[..], it.of_graph))
        .collect();
    assert_eq!(gradients, [("weight", 1)]);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn a_program_that_does_it_right_has_nothing_told_of_it() {
    let news = news_of(
        "\
import torch
class Runner:
    def __init__(self):
        self.steps = 0
        self.x = torch.zeros(4, device='cuda')
        self.graph = torch.cuda.CUDAGraph()
        self.results = []
    def capture(self):
        for step in range(2):
            y = self.x * 2
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2
    def run(self, x):
        self.x.copy_(x)
        self.graph.replay()
        self.steps += 1
        self.results.append(self.y.clone())
runner = Runner()
runner.capture()
for _ in range(9):
    runner.run(torch.ones(4, device='cuda'))
",
    );
    assert_eq!(news, []);
}

#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn the_agent_keeps_nothing_alive_and_runs_nothing_of_the_program() {
    events_of(
        "\
import gc, weakref, torch
gc.disable()
asked = []
class Wary(dict):
    def __getattribute__(self, name):
        asked.append(name)
    def _refuse(self, *_):
        asked.append('something')
    __iter__ = __len__ = __getitem__ = items = values = __eq__ = __bool__ = _refuse
    __hash__ = None
class Holder:
    def __init__(self):
        self.x = torch.ones(4, device='cuda')
        self.wary = Wary(a=1)
    @property
    def trap(self):
        asked.append('trap')
def run():
    holder = Holder()
    kept = [holder]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = holder.x + 1
    assert graph.replay() is None
    for _ in range(8):
        graph.replay()
    return [weakref.ref(it) for it in (holder, holder.x, y, graph)]
assert [it() for it in run()] == [None] * 4
assert asked == [], asked
plain = torch._C._CUDAGraph()
end = plain.capture_end
for _ in range(2):
    try:
        end()
        raise AssertionError('no capture runs')
    except RuntimeError as error:
        assert error.__traceback__.tb_next is None
",
    );
}

/// PyTorch 2.11 frees streams and events without clearing weak references to them.
#[test]
#[ignore = "needs PyTorch; `cargo xtask test` runs it"]
fn streams_and_events_that_the_program_lets_go_are_not_looked_for_in_memory_of_others() {
    events_of(
        "\
import gc, torch
from cgsan_agent.replays.weak import Weak
made = [torch.cuda.Stream(), torch.cuda.current_stream(), torch.cuda.Event()]
kinds = [type(it) for it in made]
held = [Weak(it) for it in made]
del made
gc.collect()
others = [bytearray(64 + i % 64) for i in range(10_000)]
assert [type(it()) for it in held] == kinds
",
    );
}
