# --- a cache, and an index
import torch


class Decoder:
    def __init__(self):
        self.position = torch.zeros(1, dtype=torch.long, device="cuda")
        self.key = torch.ones(1, 8, device="cuda")

    @torch.inference_mode()
    def set_up(self, length):
        self.cache = torch.zeros(length, 8, device="cuda")

    def decode(self):
        self.cache.index_copy_(0, self.position, self.key)  # cgsan: CG132
        return self.cache.sum(dim=0)


decoder = Decoder()
decoder.set_up(16)
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = decoder.decode()
graph.replay()
# --- the input is refilled outside of the mode
import torch

with torch.inference_mode():
    x = torch.zeros(4, 8).cuda()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2
x.fill_(1.0)  # cgsan: CG132
with torch.inference_mode():
    graph.replay()
# --- a view is written
import torch

with torch.inference_mode():
    cache = torch.zeros(16, 8, device="cuda")
    row = cache[0]
key = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    row += key  # cgsan: CG132
graph.replay()
# --- it is saved for the backward pass
import torch

model = torch.nn.Linear(8, 8, device="cuda")


@torch.inference_mode()
def make_input():
    return torch.zeros(4, 8, device="cuda")


x = make_input()
warm = torch.ones(4, 8, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    model(warm).sum().backward()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    model(x).sum().backward()  # cgsan: CG132
graph.replay()
# --- silent: clones are ordinary tensors
import torch

with torch.inference_mode():
    cache = torch.zeros(16, 8, device="cuda")
cache = cache.clone()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    cache.add_(1)
graph.replay()
# --- silent: the mode is what a caller says
import torch


class Engine:
    def __init__(self, inference):
        with torch.inference_mode(inference):
            self.cache = torch.zeros(16, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.cache.add_(1)

    def run(self):
        self.cache.fill_(1)
        self.graph.replay()


# --- silent: a context that is not seen may turn the mode on
import torch
from server import serving

with torch.inference_mode():
    cache = torch.zeros(16, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with serving(), torch.cuda.graph(graph):
    cache.add_(1)
# --- silent: the module's weights were made before, and no graph reads what is written
import torch

model = torch.nn.Linear(8, 8, device="cuda").requires_grad_(False)
with torch.inference_mode():
    y = model(torch.ones(4, 8, device="cuda"))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    model.weight.add_(1)
graph.replay()
