# --- the step seeds itself
import torch


def step(x, seed):
    torch.manual_seed(seed)  # cgsan: CG116
    return x + torch.randn_like(x)


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x, 0)
# --- with `torch.cuda`'s own function, through an alias
from torch import cuda, ones

x = ones(8, device="cuda")
with cuda.graph(cuda.CUDAGraph()):
    cuda.manual_seed_all(3)  # cgsan: CG116
    y = x.bernoulli(0.5)
# --- a context manager keeps the state, as PyTorch before 2.10 refuses
# torch: 2.9
import contextlib

import torch


@contextlib.contextmanager
def same_noise():
    state = torch.cuda.get_rng_state()  # cgsan: CG116
    try:
        yield
    finally:
        torch.cuda.set_rng_state(state)  # cgsan: CG116


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    with same_noise():
        y = torch.nn.functional.dropout(x)
# --- the same as a class with `__enter__`
# torch: 2.8
import torch


class SameNoise:
    def __enter__(self):
        self.state = torch.cuda.get_rng_state("cuda")  # cgsan: CG116

    def __exit__(self, *_):
        torch.cuda.set_rng_state(self.state, device="cuda")  # cgsan: CG116


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph), SameNoise():
    y = torch.nn.functional.dropout(x)
# --- silent: seeded and kept outside
import torch

torch.manual_seed(0)
state = torch.cuda.get_rng_state()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.nn.functional.dropout(x)
torch.cuda.set_rng_state(state)
graph.replay()
# --- silent: PyTorch 2.11 lets the state be read and written inside
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    state = torch.cuda.get_rng_state()
    y = torch.nn.functional.dropout(x)
    torch.cuda.set_rng_state(state)
# --- silent: a generator of the host is seeded
import torch

host = torch.Generator()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host.manual_seed(0)
    y = x + 1
