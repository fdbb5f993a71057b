"""One collective before the capture creates the communicator."""

import os

import torch
import torch.distributed as dist

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", str(20000 + os.getpid() % 10000))
torch.cuda.set_device(0)
dist.init_process_group("nccl", rank=0, world_size=1)

x = torch.ones(16, device="cuda")
dist.all_reduce(torch.zeros(1, device="cuda"))
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(x)

graph.replay()
torch.cuda.synchronize()
graph.reset()
dist.destroy_process_group()
