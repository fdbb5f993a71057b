"""The default stream, on which the model was built, cannot be captured."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", str(20000 + os.getpid() % 10000))
dist.init_process_group("nccl", rank=0, world_size=1, device_id=torch.device("cuda", 0))
x = torch.ones(4, 16, device="cuda")
model = DistributedDataParallel(torch.nn.Linear(16, 16, device="cuda"))
for _ in range(11):
    model(x).sum().backward()

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=torch.cuda.default_stream()):
    model(x).sum().backward()
