# --- a side stream of a class prefetches, and is only joined
import torch


class Prefetcher:
    def __init__(self):
        self.stream = torch.cuda.Stream()
        self.source = torch.ones(1024, device="cuda")

    def fetch(self):
        with torch.cuda.stream(self.stream):
            ready = self.source * 2  # cgsan: CG105
        torch.cuda.current_stream().wait_stream(self.stream)
        return ready


prefetcher = Prefetcher()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = prefetcher.fetch() + 1
# --- two branches, of which only the first is forked
import torch
from torch.cuda import CUDAGraph, Stream, current_stream, graph, stream

left, right = Stream(), Stream()
x = torch.ones(1024, device="cuda")
with graph(CUDAGraph()):
    left.wait_stream(current_stream())
    with stream(left):
        a = x.sin()
    with stream(right):
        b = x.cos()  # cgsan: CG105
    current_stream().wait_stream(left)
    current_stream().wait_stream(right)
    y = a + b
# --- the fork waits for an event of another stream than the capturing one
import torch

outside = torch.cuda.Stream()
side = torch.cuda.Stream()
x = torch.ones(1024, device="cuda")
buffer = torch.empty(1024, device="cuda")
before = torch.cuda.Event()
before.record(outside)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    side.wait_event(before)
    with torch.cuda.stream(side):
        y = x * 2  # cgsan: CG105
    torch.cuda.current_stream().wait_stream(side)
# --- only memory is asked for, on a stream of its own
import torch

side = torch.cuda.Stream()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    with torch.cuda.stream(side):
        scratch = torch.empty(1 << 26, device="cuda")  # cgsan: CG105
    y = x + 1
# --- in mode `relaxed` the work is let through, and the join is refused
import torch

side = torch.cuda.Stream()
x = torch.ones(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    with torch.cuda.stream(side):
        y = x * 2
    torch.cuda.current_stream().wait_stream(side)  # cgsan: CG105
# --- silent: forked and joined, by streams and by events
import torch

side, other = torch.cuda.Stream(), torch.cuda.Stream()
x = torch.ones(1024, device="cuda")
fork, join = torch.cuda.Event(), torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    main = torch.cuda.current_stream()
    side.wait_stream(main)
    fork.record(main)
    with torch.cuda.stream(other):
        fork.wait()
        b = x * 3
        join.record()
    with torch.cuda.stream(side):
        a = x * 2
    main.wait_stream(side)
    join.wait(main)
    y = a + b
# --- silent: the side stream works before the capture only
import torch

side = torch.cuda.Stream()
x = torch.ones(1024, device="cuda")
with torch.cuda.stream(side):
    warm = x * 2
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
with torch.cuda.stream(side):
    after = x * 3
# --- silent: the capture runs on the very stream that is entered again
import torch

stream = torch.cuda.Stream()
x = torch.ones(1024, device="cuda")
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream):
    with torch.cuda.stream(stream):
        y = x * 2
