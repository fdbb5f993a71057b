"""DistributedDataParallel keeps autograd nodes; it was built on the default stream."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", str(20000 + os.getpid() % 10000))
dist.init_process_group("nccl", rank=0, world_size=1, device_id=torch.device("cuda", 0))
layer = torch.nn.Linear(16, 16, device="cuda")
x = torch.ones(4, 16, device="cuda")

model = DistributedDataParallel(layer)  # cgsan: label
for _ in range(12):
    model(x).sum().backward()

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    model(x).sum().backward()  # cgsan: CG109
graph.replay()
