# --- a capture only if that is wanted
import contextlib
import sys

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
captures = len(sys.argv) > 1
with torch.cuda.graph(graph) if captures else contextlib.nullcontext():
    y = x.cpu()  # cgsan: CG102
# --- the same, with a name
import contextlib
import sys

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
if len(sys.argv) > 1:
    context = torch.cuda.graph(graph)
else:
    context = contextlib.nullcontext()
with torch.no_grad(), context:
    y = x.cpu()  # cgsan: CG102
# --- silent: what runs only where nothing is captured
import contextlib
import sys

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
captures = len(sys.argv) > 1
with torch.cuda.graph(graph) if captures else contextlib.nullcontext():
    y = x * 2
    if not captures:
        print(y.sum().item())
# --- silent: a warm-up in the same loop
import contextlib

import torch

net = torch.nn.Linear(4, 4).cuda()
x = torch.ones(4, 4, device="cuda")
graph = torch.cuda.CUDAGraph()
for step in range(4):
    with torch.cuda.graph(graph) if step == 3 else contextlib.nullcontext():
        y = net(x)
graph.replay()
# --- silent: it is known that nothing is captured
import contextlib

import torch

CAPTURES = False
x = torch.ones(4, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()) if CAPTURES else contextlib.nullcontext():
    y = x.cpu()
# --- silent: a module that was compiled in place and called, or not compiled
import torch

net, other = torch.nn.ReLU(), torch.nn.ReLU()
net.compile()
other.compile(disable=True)
x = torch.ones(4, device="cuda")
net(x)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = other(net(x))
