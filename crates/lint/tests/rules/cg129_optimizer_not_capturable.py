# --- fails
import torch
from optimizers import make_optimizer

model = torch.nn.LayerNorm(8).cuda()
optimizer = make_optimizer(model)
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    optimizer.zero_grad(set_to_none=True)
    model(x).square().mean().backward()
    optimizer.step()  # cgsan: CG129
# file: optimizers.py
import torch


def make_optimizer(model, learning_rate=1e-3):
    return torch.optim.AdamW(model.parameters(), lr=learning_rate)


# --- fixed
import torch
from optimizers import make_optimizer

model = torch.nn.LayerNorm(8).cuda()
optimizer = make_optimizer(model)
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    optimizer.zero_grad(set_to_none=True)
    model(x).square().mean().backward()
    optimizer.step()
# file: optimizers.py
import torch


def make_optimizer(model, learning_rate=1e-3):
    return torch.optim.AdamW(model.parameters(), lr=learning_rate, capturable=True)


# --- lookalike
import torch

model = torch.nn.LayerNorm(8).cuda()
optimizer = torch.optim.Adam(model.parameters())
momentum = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    model(x).square().mean().backward()
    momentum.step()
for _ in range(3):
    graph.replay()
    optimizer.step()
