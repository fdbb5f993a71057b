# --- a progress bar polls the stream
import torch


class Progress:
    def __init__(self, stream):
        self.stream = stream

    def poll(self):
        return self.stream.query()  # cgsan: CG110


progress = Progress(torch.cuda.Stream())
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    progress.poll()
# --- an event of the copy, asked before its buffer is used again
import torch
from torch.cuda import Event

copied = Event()
staging = torch.ones(8, device="cuda")
copied.record()


def acquire():
    while not copied.query():  # cgsan: CG110
        pass
    return staging


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    y = acquire() + 1
# --- the capturing stream itself, in a capture by hand
import torch

stream = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
x = torch.ones(8, device="cuda")
torch.cuda.synchronize()
with torch.cuda.stream(stream):
    graph.capture_begin()
    y = x + 1
    idle = torch.cuda.current_stream().query()  # cgsan: CG110
    graph.capture_end()
# --- the capturing stream may not be asked in mode `relaxed` either
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    y = x + 1
    busy = torch.cuda.current_stream().query()  # cgsan: CG110
# --- silent: asked before and after
import torch

event = torch.cuda.Event()
event.record()
x = torch.ones(8, device="cuda")
while not event.query():
    pass
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
graph.replay()
print(torch.cuda.current_stream().query(), event.query())
# --- silent: in mode `relaxed`, of a stream that does not capture
import torch

other = torch.cuda.Stream()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    y = x + 1
    idle = other.query()
# --- silent: another object's `query`
import torch


class Table:
    def query(self):
        return True


table = Table()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    if table.query():
        y = x + 1
# --- one of a ring, each of which was recorded before
import time

import torch


class Ring:
    def __init__(self, count):
        self.events = [torch.cuda.Event() for _ in range(count)]
        for event in self.events:
            event.record()

    def acquire(self, at):
        event = self.events[at % len(self.events)]
        while not event.query():  # cgsan: CG110
            time.sleep(0.001)
        return event


ring = Ring(2)
x = torch.ones(16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    slot = ring.acquire(hash(x))
    y = x * 2
    slot.record()
# --- silent: one of a ring joins streams inside the capture
import torch

events = [torch.cuda.Event() for _ in range(2)]
for event in events:
    event.record()
side = torch.cuda.Stream()
x = torch.ones(16, device="cuda")


def step(turn):
    main = torch.cuda.current_stream()
    events[turn % 2].record(main)
    side.wait_event(events[turn % 2])
    with torch.cuda.stream(side):
        y = x * 2
        events[turn % 2].record(side)
    main.wait_event(events[turn % 2])
    return y


def capture(turn):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = step(turn)
    return graph, y


with open("turn") as turn:
    capture(int(turn.read()))
