# --- a decoder's attention reads as many keys as there are by now
import torch

keys = torch.zeros(128, 8, device="cuda")
query = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
for length in range(1, 128):
    if length == 1:
        with torch.cuda.graph(graph):
            scores = (keys[:length] * query).sum(-1)  # cgsan: CG207
    graph.replay()
# --- with `narrow`, in a method
import torch


class Cache:
    def __init__(self):
        self.keys = torch.zeros(128, 8, device="cuda")

    def upto(self, length):
        return self.keys.narrow(0, 0, length)  # cgsan: CG207


cache = Cache()
graph = torch.cuda.CUDAGraph()
captured = False
for length in range(1, 128):
    if not captured:
        with torch.cuda.graph(graph):
            total = cache.upto(length).sum()
        captured = True
    graph.replay()
# --- a buffer is as large as the turn
import torch

graph = torch.cuda.CUDAGraph()
for size in range(8, 64, 8):
    if size == 8:
        with torch.cuda.graph(graph):
            noise = torch.randn(size, 8, device="cuda")  # cgsan: CG207
    graph.replay()
# --- silent: a mask keeps the size
import torch

keys = torch.zeros(128, 8, device="cuda")
query = torch.ones(8, device="cuda")
length = torch.zeros((), dtype=torch.long, device="cuda")
positions = torch.arange(128, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    scores = (keys * query).sum(-1).masked_fill(positions >= length, float("-inf"))
for turn in range(1, 128):
    length.fill_(turn)
    graph.replay()
# --- silent: one graph for each size
import torch

x = torch.zeros(128, 8, device="cuda")
pool = torch.cuda.graph_pool_handle()
graphs = {}
for size in range(8, 64, 8):
    graphs[size] = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graphs[size], pool=pool):
        y = x[:size] * 2
for size in range(8, 64, 8):
    graphs[size].replay()
# --- a length that the object keeps, and that grows between the replays
import torch


class Cache:
    def __init__(self):
        self.length = 1
        self.keys = torch.zeros(64, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.total = self.keys[: self.length].sum()  # cgsan: CG207

    def decode(self):
        self.length += 1
        self.graph.replay()
        return self.total.clone()


cache = Cache()
for _ in range(4):
    cache.decode()
# --- silent: graphs made beforehand, one for each length, of which each turn captures its own
import torch

table = torch.rand(64, 8, device="cuda")
pool = torch.cuda.graph_pool_handle()
graphs = [torch.cuda.CUDAGraph() for _ in range(64)]
sums = []
for length in range(64):
    with torch.cuda.graph(graphs[length], pool=pool):
        sums.append(table[:length].sum())
for length in range(64):
    graphs[length].replay()
    print(sums[length].item())
