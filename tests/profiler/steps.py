"""What `torch.profiler` is given on the virtual GPU: kernels, copies and fills of an eager and of a replayed step, with their
names, streams, graphs and the calls and operators that they come from; also those of a graph inside a graph.
"""

import ctypes
import json
import tempfile

import torch
from torch.profiler import ProfilerActivity, profile, record_function

model = torch.nn.Linear(64, 32).cuda()
inputs = torch.randn(8, 64)
static = torch.zeros(8, 64, device="cuda")
side = torch.cuda.Stream()


def step():
    with record_function("the step"):
        out = model(static).relu()
        out.zero_()
        return out


side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph(keep_graph=True)
with torch.cuda.graph(graph):
    step()
graph.instantiate()

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")


def made(function, *arguments):
    """The handle that a function of the runtime makes."""
    handle = ctypes.c_void_p()
    assert function(ctypes.byref(handle), *arguments) == 0, function
    return handle


def executable_of_twice(graph):
    """An executable graph that runs a graph twice, as child graphs."""
    parent = made(cudart.cudaGraphCreate, 0)
    after, count = None, 0
    for _ in range(2):
        child = ctypes.c_void_p(graph.raw_cuda_graph())
        add = cudart.cudaGraphAddChildGraphNode
        node = made(add, parent, after, ctypes.c_size_t(count), child)
        after, count = ctypes.byref(node), 1
    return made(cudart.cudaGraphInstantiateWithFlags, parent, ctypes.c_ulonglong(0))


twice = executable_of_twice(graph)


def events_of(body):
    """The events of a profile, which its table and its trace can be made of."""
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiled:
        body()
    print(profiled.key_averages().table(sort_by="self_cuda_time_total", row_limit=5))
    with tempfile.TemporaryDirectory() as folder:
        profiled.export_chrome_trace(f"{folder}/trace.json")
        with open(f"{folder}/trace.json") as file:
            events = json.load(file)["traceEvents"]
    return [event for event in events if event.get("ph") == "X"]


def of_category(events, category):
    return [event for event in events if event.get("cat") == category]


def eager():
    static.copy_(inputs)
    step()
    with torch.cuda.stream(side):
        static.add_(1)
    torch.cuda.synchronize()


def replayed():
    graph.replay()
    torch.cuda.synchronize()


def replayed_twice():
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    assert cudart.cudaGraphLaunch(twice, stream) == 0
    torch.cuda.synchronize()


def check(events, copies, in_graph):
    kernels = of_category(events, "kernel")
    assert any("relu" in event["name"] or "clamp" in event["name"] for event in kernels), kernels
    assert len(of_category(events, "gpu_memcpy")) == copies
    calls = {event["args"]["correlation"]: event for event in of_category(events, "cuda_runtime")}
    assert any(event["name"] == "cudaDeviceSynchronize" for event in calls.values()), calls
    for kernel in kernels:
        call = calls.get(kernel["args"]["correlation"])
        if in_graph:
            assert call["name"] == "cudaGraphLaunch", (kernel, call)
            assert kernel["args"].get("graph id", 1) != 0, kernel
        elif call is not None:
            assert call["name"].startswith("cudaLaunchKernel"), (kernel, call)
    return kernels


def named(events, name):
    return [event for event in events if event["name"] == name]


events = events_of(eager)
kernels = check(events, 1, in_graph=False)
assert len({kernel["args"]["stream"] for kernel in kernels}) == 2, kernels
add = next(kernel for kernel in kernels if kernel["args"]["stream"] != 7)
operators = {
    event["args"].get("External id"): event["name"] for event in of_category(events, "cpu_op")
}
assert operators[add["args"]["External id"]] == "aten::add_", (add, operators)
assert named(events, "Memcpy HtoD (Pageable -> Device)"), events

events = events_of(replayed)
once = [kernel["name"] for kernel in check(events, 0, in_graph=True)]

events = events_of(replayed_twice)
kernels = check(events, 0, in_graph=True)
assert [kernel["name"] for kernel in kernels] == once * 2, (once, kernels)

with profile(activities=[ProfilerActivity.CPU]) as profiled:
    eager()
assert not [event for event in profiled.events() if event.device_type.name == "CUDA"]
print("done")
