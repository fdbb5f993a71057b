"""Records what the body of a conditional node of a CUDA graph may hold, and which call refuses the rest.

Usage: python conditional_bodies.py [CASE ...]

Prints one line of JSON for the machine and one for each case: the calls in the order in which they were made, each with its code
(0 is success), the types of the nodes that the body got, and what the driver logged. Each case runs in a process of its own.
Needs CUDA 12.4.
"""

import concurrent.futures
import ctypes
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import torch

# For all cases together, and for each.
SECONDS = 56
SECONDS_OF_CASE = 25
JOBS = 8
SIZE = 4096

RELAXED = 2
NON_BLOCKING = 1
DISABLE_TIMING = 2
EXTERNAL = 1
ASSIGN_DEFAULT = 1
SET_DEPENDENCIES = 1
IF, WHILE, SWITCH = 0, 1, 2
HOST_TO_DEVICE, DEVICE_TO_DEVICE = 1, 3
# `cudaGraphNodeType`.
FILL, HOST, CHILD, EMPTY, WAIT, RECORD, ALLOCATION, CONDITIONAL = 2, 3, 4, 5, 6, 7, 10, 13
# What CUDA 12 calls the functions that take data of edges.
OLD_NAMES = {
    "cudaGraphAddNode": "cudaGraphAddNode_v2",
    "cudaStreamGetCaptureInfo": "cudaStreamGetCaptureInfo_v3",
    "cudaStreamUpdateCaptureDependencies": "cudaStreamUpdateCaptureDependencies_v2",
}


class Refused(Exception):
    """A case cannot go on."""


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def nothing(_):
    """A host function."""


def size(count):
    return ctypes.c_size_t(count)


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


class Case:
    """Calls of the CUDA runtime, with their codes, and what they are about."""

    def __init__(self):
        major = int(torch.version.cuda.split(".")[0])
        self.library = ctypes.CDLL(f"libcudart.so.{major}")
        self.names = OLD_NAMES if major < 13 else {}
        self.calls = []
        self.body = None
        self.a, self.b = (torch.zeros(SIZE, dtype=torch.uint8, device="cuda") for _ in "ab")
        self.a.add_(1)
        self.pageable = torch.zeros(SIZE, dtype=torch.uint8)
        self.pinned = self.pageable.pin_memory()
        self.stream, self.forked, self.outer = (
            self.make("cudaStreamCreateWithFlags", NON_BLOCKING) for _ in range(3)
        )
        self.event, self.joined = (
            self.make("cudaEventCreateWithFlags", DISABLE_TIMING) for _ in range(2)
        )
        self.call("cudaEventRecord", self.event, self.forked)
        self.older = self.make("cudaMallocAsync", size(SIZE), self.stream)
        torch.cuda.synchronize()
        self.calls.clear()

    def call(self, name, *arguments):
        code = getattr(self.library, self.names.get(name, name))(*arguments)
        self.calls.append([name, code])
        return code

    def make(self, name, *arguments, kind=ctypes.c_void_p):
        """What the function puts where its first argument points to."""
        made = kind()
        self.call(name, ctypes.byref(made), *arguments)
        return made

    def add(self, graph, kind, *fields, after=None):
        """Adds a node. `cudaGraphNodeParams` has 256 bytes, and what is of the kind begins at 16. Returns them and the node."""
        parameters = (ctypes.c_ubyte * 256)()
        for offset, value in [(0, ctypes.c_int(kind)), *fields]:
            place = ctypes.addressof(parameters) + offset
            ctypes.memmove(place, ctypes.byref(value), ctypes.sizeof(value))
        count = size(after is not None)
        after = None if after is None else ctypes.byref(after)
        node = self.make("cudaGraphAddNode", graph, after, None, count, parameters)
        return parameters, node

    def condition(self, graph, kind=IF, after=None):
        """Adds a conditional node. Returns its body and itself."""
        # A loop is not entered, or it would not end.
        value = int(kind != WHILE)
        handle = self.make(
            "cudaGraphConditionalHandleCreate", graph, value, ASSIGN_DEFAULT, kind=ctypes.c_uint64
        )
        # A switch has two bodies, the second of which is run.
        count = ctypes.c_int(2 if kind == SWITCH else 1)
        fields = (16, handle), (24, ctypes.c_int(kind)), (28, count)
        parameters, node = self.add(graph, CONDITIONAL, *fields, after=after)
        bodies = ctypes.c_void_p.from_buffer(parameters, 32).value
        if not bodies:
            raise Refused("there is no body")
        bodies = (ctypes.c_void_p * count.value).from_address(bodies)
        return ctypes.c_void_p(bodies[-1]), node

    def begin(self, graph, stream):
        name = "cudaStreamBeginCaptureToGraph"
        if self.call(name, stream, graph, None, None, size(0), RELAXED):
            raise Refused("the capture does not begin")

    def end(self, stream):
        graph = ctypes.c_void_p()
        self.call("cudaStreamEndCapture", stream, ctypes.byref(graph))
        return graph

    def fill(self, stream, tensor):
        self.call("cudaMemsetAsync", pointer(tensor), 1, size(SIZE), stream)

    def copy(self, source, kind):
        self.call(
            "cudaMemcpyAsync", pointer(self.a), pointer(source), size(SIZE), kind, self.stream
        )

    def run(self, graph):
        """Makes an executable of the graph and launches it."""
        executable = self.make("cudaGraphInstantiateWithFlags", graph, ctypes.c_ulonglong(0))
        if executable:
            self.call("cudaGraphLaunch", executable, self.outer)
            self.call("cudaStreamSynchronize", self.outer)

    def node_types(self):
        """The types of the body's nodes."""
        get, count = self.library.cudaGraphGetNodes, size(0)
        if self.body is None or get(self.body, None, ctypes.byref(count)):
            return None
        nodes = (ctypes.c_void_p * count.value)()
        get(self.body, nodes, ctypes.byref(count))
        types, kind = [], ctypes.c_int()
        for node in nodes:
            self.library.cudaGraphNodeGetType(ctypes.c_void_p(node), ctypes.byref(kind))
            types.append(kind.value)
        return types


# What a capture puts into the body.


def kernel(case):
    with torch.cuda.stream(torch.cuda.ExternalStream(case.stream.value)):
        case.a.add_(1)


def tensor_of_pytorch(case):
    with torch.cuda.stream(torch.cuda.ExternalStream(case.stream.value)):
        case.kept = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")


def allocate(case):
    return case.make("cudaMallocAsync", size(SIZE), case.stream)


def fork_and_join(case):
    case.call("cudaEventRecord", case.event, case.stream)
    case.call("cudaStreamWaitEvent", case.forked, case.event, 0)
    case.fill(case.forked, case.b)
    case.call("cudaEventRecord", case.joined, case.forked)
    case.call("cudaStreamWaitEvent", case.stream, case.joined, 0)


CAPTURED = {
    "kernel": kernel,
    "copy on the device": lambda case: case.copy(case.b, DEVICE_TO_DEVICE),
    "copy from pinned memory": lambda case: case.copy(case.pinned, HOST_TO_DEVICE),
    "copy from pageable memory": lambda case: case.copy(case.pageable, HOST_TO_DEVICE),
    "fill": lambda case: case.fill(case.stream, case.a),
    "no work": lambda case: None,
    "fork and join": fork_and_join,
    "cudaMallocAsync": allocate,
    "cudaMallocAsync, cudaFreeAsync": lambda case: case.call(
        "cudaFreeAsync", allocate(case), case.stream
    ),
    "cudaFreeAsync of older memory": lambda case: case.call(
        "cudaFreeAsync", case.older, case.stream
    ),
    "tensor of PyTorch": tensor_of_pytorch,
    "host function": lambda case: case.call("cudaLaunchHostFunc", case.stream, nothing, None),
    "event record": lambda case: case.call("cudaEventRecord", case.event, case.stream),
    "event record, external": lambda case: case.call(
        "cudaEventRecordWithFlags", case.event, case.stream, EXTERNAL
    ),
    "event wait": lambda case: case.call("cudaStreamWaitEvent", case.stream, case.event, 0),
    "event wait, external": lambda case: case.call(
        "cudaStreamWaitEvent", case.stream, case.event, EXTERNAL
    ),
}


# What `cudaGraphAddNode` puts into a graph.


def add_kernel(case, graph):
    """One of PyTorch, whose address a capture finds out."""
    case.begin(graph, case.forked)
    with torch.cuda.stream(torch.cuda.ExternalStream(case.forked.value)):
        case.a.add_(1)
    case.end(case.forked)


def add_fill(case, graph):
    shape = (36, ctypes.c_uint(1)), (40, size(SIZE)), (48, size(1))
    case.add(graph, FILL, (16, pointer(case.a)), *shape)


def add_allocation(case, graph):
    pinned, device = (16, ctypes.c_int(1)), (24, ctypes.c_int(1))
    case.add(graph, ALLOCATION, pinned, device, (16 + 104, size(SIZE)))


def add_host_function(case, graph):
    case.add(graph, HOST, (16, ctypes.cast(nothing, ctypes.c_void_p)))


def child_with(fill):
    def add(case, graph):
        child = case.make("cudaGraphCreate", 0)
        fill(case, child)
        case.add(graph, CHILD, (16, child))

    return add


def condition_with(fill):
    def add(case, graph):
        body, _ = case.condition(graph)
        fill(case, body)

    return add


ADDED = {
    "added empty node": lambda case, graph: case.add(graph, EMPTY),
    "added fill": add_fill,
    "added allocation": add_allocation,
    "added host function": add_host_function,
    "added event record": lambda case, graph: case.add(graph, RECORD, (16, case.event)),
    "added event wait": lambda case, graph: case.add(graph, WAIT, (16, case.event)),
    "child graph with a kernel": child_with(add_kernel),
    "child graph with a host function": child_with(add_host_function),
    "child graph with an allocation": child_with(add_allocation),
    "IF with a kernel": condition_with(add_kernel),
    "IF with a host function": condition_with(add_host_function),
    "IF with an allocation": condition_with(add_allocation),
}


# How the body comes about.


def captured(fill, kind, case):
    graph = case.make("cudaGraphCreate", 0)
    case.body, _ = case.condition(graph, kind)
    case.begin(case.body, case.stream)
    fill(case)
    case.end(case.stream)
    case.run(graph)


def added(fill, case):
    graph = case.make("cudaGraphCreate", 0)
    case.body, _ = case.condition(graph)
    fill(case, case.body)
    case.run(graph)


def within_a_capture(fill, case):
    """As PyTorch does it: the graph is captured, too, and the node added to it."""
    case.call("cudaStreamBeginCapture", case.outer, RELAXED)
    case.fill(case.outer, case.b)
    case.call("cudaEventRecord", case.joined, case.outer)
    status, graph, nodes, edges = ctypes.c_int(), *(ctypes.c_void_p() for _ in range(3))
    count = size(0)
    out = (ctypes.byref(it) for it in (graph, nodes, edges, count))
    name = "cudaStreamGetCaptureInfo"
    if case.call(name, case.outer, ctypes.byref(status), None, *out) or not count.value:
        raise Refused("nothing is known of the capture")
    last = ctypes.c_void_p.from_address(nodes.value)
    case.body, node = case.condition(graph, after=last)
    name = "cudaStreamUpdateCaptureDependencies"
    case.call(name, case.outer, ctypes.byref(node), None, size(1), SET_DEPENDENCIES)
    case.begin(case.body, case.stream)
    fill(case)
    case.end(case.stream)
    case.run(case.end(case.outer))


def on_another_device(case):
    """The body has work of another device than the graph."""
    if torch.cuda.device_count() < 2:
        raise Refused("there is one device")
    graph = case.make("cudaGraphCreate", 0)
    case.body, _ = case.condition(graph)
    with torch.cuda.device(1):
        tensor = torch.zeros(SIZE, dtype=torch.uint8, device="cuda")
        stream = case.make("cudaStreamCreateWithFlags", NON_BLOCKING)
        case.begin(case.body, stream)
        case.fill(stream, tensor)
        case.end(stream)
    case.run(graph)


def wait_for_outer_work(case):
    case.call("cudaStreamWaitEvent", case.stream, case.joined, 0)


def all_cases():
    cases = {name: functools.partial(captured, fill, IF) for name, fill in CAPTURED.items()}
    cases |= {name: functools.partial(added, fill) for name, fill in ADDED.items()}
    for kind, text in (WHILE, "WHILE"), (SWITCH, "SWITCH"):
        for name in "kernel", "cudaMallocAsync, cudaFreeAsync", "host function":
            cases[f"{text}: {name}"] = functools.partial(captured, CAPTURED[name], kind)
    for name in "kernel", "cudaMallocAsync, cudaFreeAsync", "host function", "event wait":
        cases[f"within a capture: {name}"] = functools.partial(within_a_capture, CAPTURED[name])
    wait = functools.partial(within_a_capture, wait_for_outer_work)
    cases["within a capture: event wait on outer work"] = wait
    cases["fill on another device"] = on_another_device
    return cases


def record(name):
    """Runs a case in this process, and prints its line."""
    case = Case()
    line = {"case": name, "calls": case.calls}
    try:
        all_cases()[name](case)
    except Exception as error:
        line["error"] = f"{type(error).__name__}: {error}"[:500]
    line["body"] = case.node_types()
    print(json.dumps(line), flush=True)
    # What a refused call left behind is not taken down.
    os._exit(0)


def run(deadline, name):
    """Runs a case in a process of its own. Returns its line."""
    seconds = min(SECONDS_OF_CASE, deadline - time.monotonic())
    if seconds <= 0:
        return {"case": name, "error": "no time is left"}
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")
        command = [sys.executable, __file__, "--record", name]
        environment = {**os.environ, "CUDA_LOG_FILE": str(log)}
        try:
            ended = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=seconds
            )
        except subprocess.TimeoutExpired:
            line = {"case": name, "error": f"not done in {seconds:.0f} s"}
        else:
            lines = [it for it in ended.stdout.splitlines() if it.startswith("{")]
            line = json.loads(lines[-1]) if lines else {"case": name}
            if ended.returncode or not lines:
                line["exit"], line["stderr"] = ended.returncode, ended.stderr[-1000:]
        if log.exists():
            line["log"] = log.read_text(errors="replace").splitlines()
    return line


def main(names):
    deadline = time.monotonic() + SECONDS
    driver = ctypes.c_int()
    ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(driver))
    machine = {
        "gpu": torch.cuda.get_device_name(),
        "gpus": torch.cuda.device_count(),
        "driver": driver.value,
        "cuda": torch.version.cuda,
        "torch": torch.__version__,
    }
    print(json.dumps(machine), flush=True)
    with concurrent.futures.ThreadPoolExecutor(min(JOBS, os.cpu_count() or 1)) as pool:
        for line in pool.map(functools.partial(run, deadline), names or all_cases()):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--record"]:
        record(sys.argv[2])
    else:
        main(sys.argv[1:])
