# --- a server answers several requests before anyone reads
import torch


class Server:
    def __init__(self):
        self.x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2

    def run(self, value):
        self.x.fill_(value)
        self.graph.replay()
        return self.y


server = Server()
answers = []
for value in range(4):
    answers.append(server.run(value))  # cgsan: CG211
# --- in a comprehension
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2


def run(value):
    x.fill_(value)
    graph.replay()
    return y


rows = [run(value) for value in range(4)]  # cgsan: CG211
# --- a view of it, under a key
import torch

logits = torch.zeros(4, 32, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    probabilities = logits.softmax(-1)
history = {}
for step in range(8):
    graph.replay()
    history[step] = probabilities[0]  # cgsan: CG211
# --- a graphed callable's output is its static buffer, too
import torch

model = torch.cuda.make_graphed_callables(
    torch.nn.Linear(8, 8).cuda(), (torch.ones(4, 8, device="cuda"),)
)
outputs = []
for step in range(4):
    with torch.no_grad():
        outputs.append(model(torch.randn(4, 8, device="cuda")))  # cgsan: CG211
# --- with `+=`, of a tuple
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    low, high = x - 1, x + 1
kept = []
for step in range(4):
    graph.replay()
    kept += [high]  # cgsan: CG211
# --- silent: copies are kept, or numbers
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
kept, numbers, sums, hosts = [], [], [], []
for step in range(4):
    graph.replay()
    kept.append(y.clone())
    numbers.append(y.sum().item())
    sums.append(y + 1)
    hosts.append(y.cpu())
# --- silent: a list of each turn
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
for step in range(4):
    graph.replay()
    now = []
    now.append(y)
    print(torch.stack(now).sum().item())
# --- silent: the outputs of several graphs, each replayed once
import torch

x = torch.zeros(8, device="cuda")
pool = torch.cuda.graph_pool_handle()
runs = []
for scale in range(4):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = x * 2
    runs.append((graph, y))
for graph, y in runs:
    graph.replay()
# --- a history of limited length
import collections

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
history = collections.deque(maxlen=10)
last = collections.deque(maxlen=1)
for step in range(4):
    x.fill_(step)
    graph.replay()
    history.append(y)  # cgsan: CG211
    last.append(y)
# --- silent: what is looked up in an output is a copy
import torch

x = torch.ones(8, device="cuda")
scores = torch.rand(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
kept = []
for step in range(4):
    x.fill_(step)
    graph.replay()
    kept.append(y[scores.topk(4).indices])
    kept.append(y[[0, 1]])
    kept.append(y[y > 0])
# --- a part of an output is no copy
import torch

x = torch.ones(8, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
kept = []
for step in range(4):
    x.fill_(step)
    graph.replay()
    kept.append(y[..., :4])  # cgsan: CG211
# --- silent: what is transposed cannot be flattened without a copy
import torch

x = torch.ones(8, 4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
kept = []
for _ in range(3):
    graph.replay()
    kept.append(y.t().reshape(-1))
