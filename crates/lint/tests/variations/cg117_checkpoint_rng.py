# --- blocks of a transformer are checkpointed
# torch: 2.9
import torch
from torch.utils.checkpoint import checkpoint


class Stack(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(torch.nn.LayerNorm(8) for _ in range(3))

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)  # cgsan: CG117
        return x


stack = Stack().cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    stack(x).sum().backward()
# --- the arguments come from a settings object
# torch: 2.8
from dataclasses import dataclass

import torch
import torch.utils.checkpoint as ckpt


@dataclass
class Settings:
    keep_rng: bool


settings = Settings(keep_rng=True)
layer = torch.nn.LayerNorm(8, device="cuda")
x = torch.ones(4, 8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    options = {"use_reentrant": False, "preserve_rng_state": settings.keep_rng}
    y = ckpt.checkpoint(layer, x, **options)  # cgsan: CG117
# --- a partial of `checkpoint`, under `make_graphed_callables`
# torch: 2.9
from functools import partial

import torch
from torch.utils.checkpoint import checkpoint

recompute = partial(checkpoint, use_reentrant=False)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.LayerNorm(8)

    def forward(self, x):
        return recompute(self.layer, x)  # cgsan: CG117


net = torch.cuda.make_graphed_callables(Net().cuda(), (torch.ones(4, 8, device="cuda"),))
# --- silent: it is told not to
# torch: 2.9
from functools import partial

import torch
from torch.utils.checkpoint import checkpoint

layer = torch.nn.LayerNorm(8).cuda()
recompute = partial(checkpoint, use_reentrant=False, preserve_rng_state=False)
x = torch.ones(4, 8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = recompute(layer, x)
# --- silent: checkpointed outside the capture
# torch: 2.9
import torch
from torch.utils.checkpoint import checkpoint

layer = torch.nn.LayerNorm(8).cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
y = checkpoint(layer, x, use_reentrant=False)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    z = x * 2
