"""What `torch.profiler` is given on the virtual GPU: kernels, copies and fills of an eager and of a replayed step, with their
names, streams, graphs and the calls and operators that they come from.
"""

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
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()


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
check(events, 0, in_graph=True)

with profile(activities=[ProfilerActivity.CPU]) as profiled:
    eager()
assert not [event for event in profiled.events() if event.device_type.name == "CUDA"]
print("done")
