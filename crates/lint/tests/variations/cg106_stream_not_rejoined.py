# --- the join is forgotten in a method
import torch


class Overlap(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.side = torch.cuda.Stream()
        self.main = torch.nn.Linear(8, 8)
        self.extra = torch.nn.Linear(8, 8)

    def forward(self, x):
        self.side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.side):
            extra = self.extra(x)
        return self.main(x), extra


module = Overlap().cuda()
x = torch.ones(4, 8, device="cuda")
module(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):  # cgsan: CG106
    y, z = module(x)
# --- a capture by hand; the event is recorded before the work that should be awaited
import torch

side = torch.cuda.Stream()
origin = torch.cuda.Stream()
done = torch.cuda.Event()
x = torch.ones(8, device="cuda")
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(origin):
    graph.capture_begin()
    side.wait_stream(origin)
    with torch.cuda.stream(side):
        done.record()
        y = x * 2
    origin.wait_event(done)
    z = x + 1
    graph.capture_end()  # cgsan: CG106
# --- of several workers all but the last are joined
import torch

x = torch.ones(8, device="cuda")
a, b, c = (torch.cuda.Stream() for _ in range(3))
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):  # cgsan: CG106
    main = torch.cuda.current_stream()
    for worker in (a, b, c):
        worker.wait_stream(main)
        with torch.cuda.stream(worker):
            y = x + 1
    for worker in (a, b):
        main.wait_stream(worker)
# --- a fork of a fork comes back to the fork only after that was joined
import torch

first, second = torch.cuda.Stream(), torch.cuda.Stream()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: CG106
    main = torch.cuda.current_stream()
    first.wait_stream(main)
    second.wait_stream(first)
    with torch.cuda.stream(second):
        y = x * 2
    main.wait_stream(first)
    first.wait_stream(second)
# --- silent: joined through another stream
import torch

first, second = torch.cuda.Stream(), torch.cuda.Stream()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    main = torch.cuda.current_stream()
    first.wait_stream(main)
    second.wait_stream(first)
    with torch.cuda.stream(second):
        y = x * 2
    first.wait_stream(second)
    main.wait_stream(first)
# --- silent: joined in `finally`, by a helper
import torch


def join(streams):
    for it in streams:
        torch.cuda.current_stream().wait_stream(it)


sides = [torch.cuda.Stream(), torch.cuda.Stream()]
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    try:
        for side in sides:
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                y = x * 2
    finally:
        join(sides)
# --- silent: outside captures a stream need not be joined
import torch

side = torch.cuda.Stream()
x = torch.ones(8, device="cuda")
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    y = x * 2
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    z = x + 1
# --- silent: the program's own `record` notes what is to be joined
import torch

forked = set()
record = torch.cuda.Event.record


def noting(event, stream=None):
    forked.add(torch.cuda.current_stream())
    return record(event, stream)


torch.cuda.Event.record = noting


def run():
    x = torch.ones(8, device="cuda")
    side = torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        main = torch.cuda.current_stream()
        side.wait_stream(main)
        with torch.cuda.stream(side):
            y = x * 2
        while forked:
            main.wait_stream(forked.pop())
    return graph, x, y


# --- silent: a stream is joined that a function of another library picks
import pool
import torch

side = pool.acquire(torch.cuda.Stream())
other = torch.cuda.Stream()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    main = torch.cuda.current_stream()
    other.wait_stream(main)
    with torch.cuda.stream(other):
        y = x * 2
    main.wait_stream(side)
# --- all but the last of a list are joined
import torch


class Branches:
    def __init__(self, count):
        self.streams = [torch.cuda.Stream() for _ in range(count)]

    def map(self, function, parts):
        main = torch.cuda.current_stream()
        results = []
        for index, stream in enumerate(self.streams):
            stream.wait_stream(main)
            with torch.cuda.stream(stream):
                results.append(function(parts[index]))
        for stream in self.streams[:-1]:
            main.wait_stream(stream)
        return results


branches = Branches(3)
parts = torch.randn(3, 64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: CG106
    outs = branches.map(torch.tanh, parts)
# --- silent: the first is the capture's own, and a part of unknown length
import torch

streams = [torch.cuda.Stream() for _ in range(3)]
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=streams[0]):
    for stream in streams[1:]:
        stream.wait_stream(streams[0])
        with torch.cuda.stream(stream):
            y = x * 2
    for stream in streams[1:]:
        streams[0].wait_stream(stream)


def some(count):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=streams[0]):
        for stream in streams[1:count]:
            stream.wait_stream(streams[0])
            with torch.cuda.stream(stream):
                y = x * 2
        for stream in streams[-count:]:
            streams[0].wait_stream(stream)
    return y
