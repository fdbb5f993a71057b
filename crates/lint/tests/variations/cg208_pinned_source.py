# --- a loop refills the staging buffer at once
import torch

staging = torch.zeros(8, pin_memory=True)
static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(staging, non_blocking=True)
    y = static * 2
for step in range(10):
    staging.fill_(step)  # cgsan: CG208
    graph.replay()
# --- a server writes single elements
import torch


class Server:
    def __init__(self):
        self.host = torch.zeros(8).pin_memory()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.host.to("cuda", non_blocking=True) * 2

    def run(self, value):
        self.host[0] = value  # cgsan: CG208
        self.graph.replay()


server = Server()
server.run(1.0)
server.run(2.0)
# --- through a view of the buffer
import torch

staging = torch.zeros(4, 8, pin_memory=True)
row = staging[0]
static = torch.zeros(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(staging, non_blocking=True)
graph.replay()
row.copy_(torch.ones(8))  # cgsan: CG208
graph.replay()
# --- silent: it waits first
import torch

staging = torch.zeros(8, pin_memory=True)
static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(staging, non_blocking=True)
    y = static * 2
for step in range(10):
    staging.fill_(step)
    graph.replay()
    torch.cuda.synchronize()
for step in range(10):
    staging.fill_(step)
    graph.replay()
    print(y.sum().item())
# --- silent: an event tells when
import torch

staging = torch.zeros(8, pin_memory=True)
static = torch.zeros(8, device="cuda")
done = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(staging, non_blocking=True)
for step in range(10):
    staging.fill_(step)
    graph.replay()
    done.record()
    done.synchronize()
# --- silent: what the host writes is not what the graph copies
import torch

staging = torch.zeros(8, pin_memory=True)
other = torch.zeros(8, pin_memory=True)
static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(staging, non_blocking=True)
for step in range(10):
    graph.replay()
    other.fill_(step)
# --- silent: the host asks until the replay is done
import torch

host = torch.zeros(8).pin_memory()
x = torch.empty(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x.copy_(host, non_blocking=True)
for value in range(3):
    host.fill_(value)
    graph.replay()
    done = torch.cuda.Event()
    done.record()
    while not done.query():
        pass
# --- silent: slots of a ring wait only if they were used before
import torch


class Slot:
    def __init__(self):
        self.host = torch.zeros(8).pin_memory()
        self.static = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        self.done = torch.cuda.Event()
        self.busy = False
        with torch.cuda.graph(self.graph):
            self.static.copy_(self.host, non_blocking=True)

    def submit(self, value):
        if self.busy:
            self.done.synchronize()
        self.host[0] = value
        self.graph.replay()
        self.done.record()
        self.busy = True


slots = [Slot() for _ in range(2)]
for i in range(6):
    slots[i % len(slots)].submit(i)
# --- a wait comes before the replay, if at all
import torch

host = torch.zeros(8).pin_memory()
static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static.copy_(host, non_blocking=True)
for i in range(6):
    if i % 2 == 0:
        torch.cuda.synchronize()
    graph.replay()
    host[0] = i  # cgsan: CG208
# --- written through NumPy
import numpy as np
import torch

pinned = torch.empty(16).pin_memory()
points = pinned.numpy()
target = torch.empty(16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    target.copy_(pinned, non_blocking=True)
for step in range(6):
    points[:] = step  # cgsan: CG208
    graph.replay()
# --- NumPy's functions write to a part of it
import numpy as np
import torch


class Feeder:
    def __init__(self):
        self.pinned = torch.empty(16, pin_memory=True)
        self.rows = self.pinned.numpy()[:8]
        self.target = torch.empty(16, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.target.copy_(self.pinned, non_blocking=True)

    def feed(self, rows):
        np.copyto(self.rows, rows)  # cgsan: CG208
        self.graph.replay()


feeder = Feeder()
for _ in range(3):
    feeder.feed(np.ones(8, dtype=np.float32))
# --- silent: NumPy writes after a wait, or to a copy, and only reads otherwise
import numpy as np
import torch

pinned = torch.empty(16).pin_memory()
points = pinned.numpy()
other = pinned.numpy().copy()
target = torch.empty(16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    target.copy_(pinned, non_blocking=True)
for step in range(6):
    other[:] = step
    torch.cuda.synchronize()
    points[:] = other
    points += 1
    graph.replay()
    print(points.mean(), np.linalg.norm(points), len(points))
