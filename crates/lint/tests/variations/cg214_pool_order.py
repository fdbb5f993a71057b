# --- in methods, by the pool of the first graph
import torch


class Pair:
    def __init__(self, x):
        self.x = x
        self.one, self.other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.one):
            self.waves = (x.exp() + 1).sin()
        with torch.cuda.graph(self.other, pool=self.one.pool()):
            self.level = x.neg()

    def run(self):
        self.other.replay()
        self.one.replay()  # cgsan: CG214
        return self.waves + self.level


print(Pair(torch.rand(4096, device="cuda")).run())
# --- in order at first, and then the first graph alone once more
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x - 1) * 3
with torch.cuda.graph(other, pool=one.pool()):
    right = x + 7
one.replay()
other.replay()
x.add_(1)
one.replay()  # cgsan: CG214
assert torch.allclose(right, x + 7)
# --- three steps each: what the last one makes lies where the second step of the other was
import torch


def step(x):
    return ((x + 1) * 2).tanh()


a, b = torch.rand(4096, device="cuda"), torch.rand(4096, device="cuda")
pool = torch.cuda.graph_pool_handle()
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one, pool=pool):
    left = step(a)
with torch.cuda.graph(other, pool=pool):
    right = step(b)
other.replay()
one.replay()  # cgsan: CG214
print(left.cpu(), right.cpu())
# --- the overwritten output is what a third graph reads
import torch

x = torch.rand(4096, device="cuda")
one, other, third = (torch.cuda.CUDAGraph() for _ in range(3))
out = torch.empty(4096, device="cuda")
with torch.cuda.graph(one):
    left = (x - 1) * 3
with torch.cuda.graph(other, pool=one.pool()):
    right = x + 7
with torch.cuda.graph(third):
    torch.add(left, right, out=out)
other.replay()
one.replay()  # cgsan: CG214
third.replay()
print(out)
# --- graphs of a loop, replayed backwards
import torch

x = torch.rand(4096, device="cuda")
graphs, outputs = [], []
pool = torch.cuda.graph_pool_handle()
for scale in (1.0, 2.0):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        outputs.append((x * scale + 1) * 0.5)
    graphs.append(graph)
graphs[1].replay()
graphs[0].replay()  # cgsan: CG214
print(outputs[0].mean().item(), outputs[1].mean().item())
# --- silent: each output is read before the next replay
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x - 1) * 3
with torch.cuda.graph(other, pool=one.pool()):
    right = x + 7
for _ in range(10):
    other.replay()
    print(right.sum().item())
    one.replay()
    print(left.sum().item())
# --- silent: both are replayed again, in order, before anything is read
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x - 1) * 3
with torch.cuda.graph(other, pool=one.pool()):
    right = x + 7
other.replay()
one.replay()
for _ in range(3):
    one.replay()
    other.replay()
print(left.sum().item(), right.sum().item())
# --- silent: the output does not lie where the first graph had something: another tensor of its graph does
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x - 1) * 3
with torch.cuda.graph(other, pool=one.pool()):
    right = (x + 7) / 2
other.replay()
one.replay()
print(left.sum().item(), right.sum().item())
# --- silent: four steps each, of which the last one takes memory that the other graph never had
import torch

x = torch.rand(4096, device="cuda")
graphs, outputs = [], []
pool = torch.cuda.graph_pool_handle()
for scale in (1.0, 2.0):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        outputs.append((x * scale + 1).exp() * 0.5)
    graphs.append(graph)
graphs[1].replay()
graphs[0].replay()
print(outputs[0].mean().item(), outputs[1].mean().item())
# --- silent: the first graph has nothing that it frees
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    less = x - 1
    left = less * 3
with torch.cuda.graph(other, pool=one.pool()):
    right = x + 7
other.replay()
one.replay()
print(less, left, right)
# --- silent: each graph has a pool of its own
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x - 1) * 3
with torch.cuda.graph(other):
    right = x + 7
other.replay()
one.replay()
print(left.sum().item(), right.sum().item())
# --- silent: what the second graph makes is larger than what the first one frees
import torch

small, large = torch.rand(512, device="cuda"), torch.rand(65536, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (small - 1) * 3
with torch.cuda.graph(other, pool=one.pool()):
    right = large + 7
other.replay()
one.replay()
print(left.sum().item(), right.sum().item())
# --- silent: one or the other is replayed and read
import sys

import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x - 1) * 3
with torch.cuda.graph(other, pool=one.pool()):
    right = x + 7
for line in sys.stdin:
    if line.startswith("left"):
        one.replay()
        print(left.sum().item())
    else:
        other.replay()
        print(right.sum().item())
# --- silent: the output is written anew by the program before it is read
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x - 1) * 3
with torch.cuda.graph(other, pool=one.pool()):
    right = x + 7
other.replay()
one.replay()
right.zero_()
right.add_(left)
print(right.sum().item())
# --- silent: a function that is not here makes something in the first graph
import torch
from helpers import normalize

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = normalize(x - 1) * 3
with torch.cuda.graph(other, pool=one.pool()):
    right = x + 7
other.replay()
one.replay()
print(left.sum().item(), right.sum().item())
# --- silent: how large the tensors are is not known, and the second graph's may be too large
import torch

x = torch.rand(64, 64, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = x[:2].exp() * 3
with torch.cuda.graph(other, pool=one.pool()):
    right = torch.cat([x, x])
other.replay()
one.replay()
print(left.sum().item(), right.sum().item())
# --- numbers that are written out
import torch

bias, factor = torch.tensor(0.5, device="cuda"), torch.tensor([1.0, 2.0], device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (factor - bias) * 3
with torch.cuda.graph(other, pool=one.pool()):
    right = torch.mul(factor, 7)
other.replay()
one.replay()  # cgsan: CG214
print(left.sum().item(), right.sum().item())
