# --- the clean-up of a trainer
import torch
import torch.distributed as dist


class Trainer:
    def __init__(self):
        self.x = torch.ones(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()

    def reduce(self):
        dist.all_reduce(self.x)

    def capture(self):
        self.reduce()
        with torch.cuda.graph(self.graph):
            self.reduce()

    def close(self):
        dist.destroy_process_group()  # cgsan: CG401


dist.init_process_group("nccl")
trainer = Trainer()
trainer.capture()
trainer.graph.replay()
trainer.close()
# --- in `finally`, with names of their own
import torch
from torch.distributed import all_gather_into_tensor, destroy_process_group, init_process_group

init_process_group(backend="nccl")
try:
    x = torch.ones(8, device="cuda")
    out = torch.empty(16, device="cuda")
    all_gather_into_tensor(out, x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        all_gather_into_tensor(out, x)
    graph.replay()
finally:
    destroy_process_group()  # cgsan: CG401
# --- a main function keeps the graph until it ends
import torch
import torch.distributed as dist


def main():
    dist.init_process_group("nccl")
    x = torch.ones(8, device="cuda")
    dist.reduce_scatter_tensor(x[:4], x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        dist.reduce_scatter_tensor(x[:4], x)
    graph.replay()
    dist.destroy_process_group()  # cgsan: CG401


if __name__ == "__main__":
    main()
# --- silent: the graph goes first
import torch
import torch.distributed as dist


def main():
    x = torch.ones(8, device="cuda")
    dist.all_reduce(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        dist.all_reduce(x)
    graph.replay()
    torch.cuda.synchronize()
    del graph


dist.init_process_group("nccl")
main()
dist.destroy_process_group()
# --- silent: reset, and then destroyed
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
x = torch.ones(8, device="cuda")
dist.all_reduce(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(x)
graph.replay()
graph.reset()
dist.destroy_process_group()
# --- silent: the collectives are outside the graph
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
graph.replay()
dist.all_reduce(y)
dist.destroy_process_group()
# --- no backend is named: NCCL moves tensors of the GPU
import torch
import torch.distributed as dist

dist.init_process_group()
static = torch.ones(4, 8, device="cuda")
dist.all_reduce(static)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(static)
graph.replay()
dist.destroy_process_group()  # cgsan: CG401
# --- silent: the communicators of another library wait for no graph
import torch
import torch.distributed as dist

dist.init_process_group("ucc", rank=0, world_size=1)
static = torch.ones(4, 8, device="cuda")
dist.all_reduce(static)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(static)
graph.replay()
dist.destroy_process_group()
# --- silent: whoever starts the program chooses the backend
import sys

import torch
import torch.distributed as dist

dist.init_process_group(sys.argv[1], rank=0, world_size=1)
static = torch.ones(4, 8, device="cuda")
dist.all_reduce(static)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(static)
graph.replay()
dist.destroy_process_group()
# --- it asks first whether there is a group
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
x = torch.ones(8, device="cuda")
dist.all_reduce(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(x)
graph.replay()
if dist.is_initialized():
    dist.destroy_process_group()  # cgsan: CG401
