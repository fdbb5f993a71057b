# --- a module compiles one of its methods in its constructor
import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.LayerNorm(8)
        self.fused = torch.compile(self.activation)

    def activation(self, x):
        return torch.nn.functional.gelu(x) * 2

    def forward(self, x):
        return self.fused(self.layer(x))  # cgsan: CG119


block = Block().cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = block(x)
# --- decorated, and called through a helper
import torch
from torch import compile as optimize


@optimize(dynamic=False)
def rotate(x):
    return torch.cat((-x[4:], x[:4]))


def attend(x):
    return rotate(x) + x  # cgsan: CG119


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = attend(x)
# --- warmed up is another function
import torch

f = torch.compile(lambda x: x.sin())
g = torch.compile(lambda x: x.cos())
x = torch.ones(8, device="cuda")
f(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = f(x)
    z = g(x)  # cgsan: CG119
# --- a compiled module, in a capture by hand
import torch

model = torch.compile(torch.nn.LayerNorm(8).cuda())
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    y = model(x)  # cgsan: CG119
    graph.capture_end()
# --- silent: warmed up in a loop, on a side stream
import torch


@torch.compile
def step(x):
    return x.sin() + 1


x = torch.ones(8, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step(x)
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
# --- silent: `re.compile` and a project's own `compile`
import re

import torch


def compile(function):
    return function


pattern = re.compile("layer")
step = compile(lambda x: x + 1)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    if pattern.match("layer.0"):
        y = step(x)
# --- silent: called after the capture only
import torch

step = torch.compile(lambda x: x + 1)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
step(y)
# --- silent: told not to compile
import torch


@torch.compile(disable=True)
def plain(x):
    return x + 1


@torch.compiler.disable
def eager(x):
    return x * 2


x = torch.ones(8, device="cuda")
eagerly = torch.compile(lambda x: x - 1, backend="eager")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = eagerly(eager(plain(x)))
# --- the compiler is told to keep out
import torch


@torch.compile
def activation(x):
    return x.sin() * 2


x = torch.ones(8, device="cuda")
with torch.compiler.set_stance("force_eager"), torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = activation(x)
# --- the environment switches the compiler off
import os

os.environ["TORCHDYNAMO_DISABLE"] = "1"
import torch

activation = torch.compile(lambda x: x.cos() + 1)
x = torch.ones(8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = activation(x)
# --- silent: turns before the capture call it
import torch

scaled = torch.compile(torch.nn.ReLU())
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
for step in range(4):
    if step == 3:
        with torch.cuda.graph(graph):
            y = scaled(x)
    else:
        y = scaled(x)
# --- no turn but the one that captures calls it
import torch

scaled = torch.compile(torch.nn.ReLU())
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
for step in range(4):
    if step == 0:
        with torch.cuda.graph(graph):
            y = scaled(x)  # cgsan: CG119
    else:
        graph.replay()
# --- a comment says how to turn the compiler off, and nothing does
# debug with: TORCHDYNAMO_DISABLE=1 python program.py
import torch


@torch.compile
def step(x):
    return x.sin() + 1


x = torch.ones(8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = step(x)  # cgsan: CG119
