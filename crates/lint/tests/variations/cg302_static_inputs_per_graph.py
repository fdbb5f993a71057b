# --- a runner's dictionary of buffers, one entry a batch size
import torch


class Runner:
    def __init__(self, model):
        self.model = model
        self.graphs = {}
        self.inputs = {}
        self.pool = torch.cuda.graph_pool_handle()

    def warm(self, sizes):
        for size in sizes:
            static = torch.zeros(size, 1 << 20, device="cuda")  # cgsan: CG302
            graph = torch.cuda.CUDAGraph()
            with torch.no_grad(), torch.cuda.graph(graph, pool=self.pool):
                out = self.model(static)
            self.graphs[size] = (graph, out)
            self.inputs[size] = static


Runner(torch.nn.LayerNorm(1 << 20).cuda()).warm([1, 2, 4, 8])
# --- a helper captures one size, and gives back all it made
import torch

pool = torch.cuda.graph_pool_handle()


def capture(size):
    static = torch.zeros(size, 65536, device="cuda")  # cgsan: CG302
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        out = static * 2
    return graph, static, out


captured = []
for size in range(1, 9):
    captured.append(capture(size))
# --- a dataclass holds them
from dataclasses import dataclass

import torch


@dataclass
class Entry:
    graph: torch.cuda.CUDAGraph
    tokens: torch.Tensor
    logits: torch.Tensor


pool = torch.cuda.graph_pool_handle()
entries = []
for size in (1 << 20, 1 << 18, 1 << 16):
    tokens = torch.zeros((size,), dtype=torch.long, device="cuda")  # cgsan: CG302
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        logits = tokens.float() * 2
    entries.append(Entry(graph=graph, tokens=tokens, logits=logits))
# --- silent: slices of one buffer
import torch

pool = torch.cuda.graph_pool_handle()
buffer = torch.zeros(8, 8, device="cuda")
entries = {}
for size in (8, 4, 2, 1):
    static = buffer[:size]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        out = static * 2
    entries[size] = (graph, static, out)
# --- silent: one graph, captured after a loop that makes tensors
import torch

samples = []
for size in (1, 2, 4):
    samples.append(torch.zeros(size, 8, device="cuda"))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = samples[-1] * 2
# --- each input is let go when the next is made: they do not add up, but are freed
import torch


def capture_all(sizes):
    pool = torch.cuda.graph_pool_handle()
    table = {}
    for size in sizes:
        x = torch.randn(size, 64, device="cuda")
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            y = x * 2  # cgsan: CG209
        table[size] = (graph, y)
    return table


capture_all((1, 2, 4))
# --- image sizes, of which the first alone would be too small to mention
import torch

pool = torch.cuda.graph_pool_handle()
entries = {}
for height, width in ((64, 64), (128, 128), (512, 512)):
    static = torch.rand((4, 3, height, width)).cuda()  # cgsan: CG302
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        out = static.tanh()
    entries[height, width] = (graph, static, out)
# --- a wide input for each of many batch sizes
import torch

SIZES = [1, 2, 4, 8, 16, 24, 32, 40, 48]
pool = torch.cuda.graph_pool_handle()
entries = []
for size in SIZES:
    hidden = torch.empty(size, 8192, dtype=torch.bfloat16, device="cuda")  # cgsan: CG302
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        out = hidden * 2
    entries.append((graph, hidden, out))
# --- silent: a few kilobytes for each graph
import torch

pool = torch.cuda.graph_pool_handle()
entries = []
for size in (1, 2, 4, 8):
    hidden = torch.zeros(size, 1024, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        out = hidden * 2
    entries.append((graph, hidden, out))
# --- silent: tokens of a short sequence, drawn on the host, for many batch sizes
import torch


class Runner:
    def __init__(self, length=64):
        self.length = length
        self.pool = torch.cuda.graph_pool_handle()
        self.entries = {}

    def capture_all(self):
        for batch in [1, 2, 4, 8, 16, 24, 32, 40, 48]:
            tokens = torch.randint(0, 32000, (batch, self.length)).cuda()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self.pool):
                out = tokens * 2
            self.entries[batch] = (graph, tokens, out)


Runner().capture_all()
# --- silent: one number a sequence, of sizes that a caller names
import torch


def capture_all(sizes, pool):
    entries = {}
    for size in sizes:
        lengths = torch.zeros(size, dtype=torch.int32, device="cuda")
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            out = lengths + 1
        entries[size] = (graph, lengths, out)
    return entries


# --- the same with a row for each sequence
import torch


def capture_all(sizes, width, pool):
    entries = {}
    for size in sizes:
        hidden = torch.zeros(size, width, device="cuda")  # cgsan: CG302
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            out = hidden + 1
        entries[size] = (graph, hidden, out)
    return entries


# --- silent: a runner keeps a copy of a few tokens
import torch


class Runner:
    def __init__(self, model):
        self.model = model

    def capture(self, tokens):
        self.static = tokens.clone().detach().cuda()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, pool=pool):
            self.out = self.model(self.static)


pool = torch.cuda.graph_pool_handle()
model = torch.nn.Embedding(8, 8).cuda()
runners = {}
for batch in [1, 2, 4, 8, 16, 24]:
    runner = Runner(model)
    runner.capture(torch.randint(0, 8, (batch, 64)).cuda())
    runners[batch] = runner
