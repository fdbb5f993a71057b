# --- a timer is recorded inside the graph
import torch


class Timer:
    def __init__(self):
        self.begin = torch.cuda.Event(enable_timing=True)
        self.end = torch.cuda.Event(enable_timing=True)

    def __enter__(self):
        self.begin.record()

    def __exit__(self, *_):
        self.end.record()

    def milliseconds(self):
        return self.begin.elapsed_time(self.end)  # cgsan: CG127


timer = Timer()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    with timer:
        y = x + 1
graph.replay()
print(timer.milliseconds())
# --- a consumer waits for an event of the graph
import torch

ready = torch.cuda.Event()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    graph.capture_begin()
    y = x + 1
    ready.record(stream)
    graph.capture_end()


def consume():
    graph.replay()
    ready.synchronize()  # cgsan: CG127
    return y


consume()
# --- `record_event` gives one, and it is polled
import torch
from torch.cuda import CUDAGraph, current_stream
from torch.cuda import graph as capture

x = torch.ones(8, device="cuda")
graph = CUDAGraph()
with capture(graph):
    y = x + 1
    done = current_stream().record_event()
graph.replay()
while not done.query():  # cgsan: CG127
    pass
# --- silent: recorded after the replay
import torch

begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
begin.record()
graph.replay()
end.record()
end.synchronize()
print(begin.elapsed_time(end), end.query())
# --- silent: recorded inside, and recorded anew outside before it is used
import torch

event = torch.cuda.Event()
side = torch.cuda.Stream()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    event.record()
    side.wait_event(event)
    with torch.cuda.stream(side):
        y = x * 2
    torch.cuda.current_stream().wait_stream(side)
event.record()
event.synchronize()
# --- silent: an external event
import torch

event = torch.cuda.Event(external=True)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    event.record()
graph.replay()
event.synchronize()
