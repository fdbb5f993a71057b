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
