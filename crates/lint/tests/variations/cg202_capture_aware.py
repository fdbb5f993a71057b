# --- a layer takes a shortcut while it is captured
import torch


class Norm(torch.nn.Module):
    def forward(self, x):
        if torch.cuda.is_current_stream_capturing():
            x = x / 8  # cgsan: CG202
        else:
            x = x / x.norm()
        return x


norm = Norm().cuda()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = norm(x)
# --- the name is imported, the answer kept in a variable
import torch
from torch.cuda import is_current_stream_capturing


def step(x):
    capturing = is_current_stream_capturing()
    y = x * 2
    if not capturing:
        y = y + torch.randn_like(y)  # cgsan: CG202
    return y


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
# --- a helper of the project answers
import torch
from torch import cuda


def capturing():
    return cuda.is_current_stream_capturing()


class Noise(torch.nn.Module):
    def forward(self, x):
        if not capturing():
            x = x + 0.1 * torch.randn_like(x)  # cgsan: CG202
        return x


noise = Noise().cuda()
x = torch.ones(8, device="cuda")
graph = cuda.CUDAGraph()
with cuda.graph(graph):
    y = noise(x)
# --- silent: only the report differs
import torch


def step(x):
    y = x * 2
    if not torch.cuda.is_current_stream_capturing():
        print("mean", y.mean().item())
    return y


x = torch.ones(8, device="cuda")
step(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
# --- silent: it refuses to be captured
import torch


def eager_only(x):
    if torch.cuda.is_current_stream_capturing():
        raise RuntimeError("run this eagerly")
    return x.item()


x = torch.ones((), device="cuda")
eager_only(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
# --- silent: both ways give the same values, in other memory
import torch


def step(x, static):
    capturing = torch.cuda.is_current_stream_capturing()
    x = x.contiguous() if capturing else x
    if capturing:
        x = x.clone()
        static = torch.empty_like(static)
    return torch.add(x, 1, out=static)


x = torch.ones(8, device="cuda")
static = torch.empty(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x, static)
# --- silent: two functions that may well compute the same
import kernels
import torch


def attend(x):
    return (
        kernels.attend_static(x) if torch.cuda.is_current_stream_capturing() else kernels.attend(x)
    )


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = attend(x)
