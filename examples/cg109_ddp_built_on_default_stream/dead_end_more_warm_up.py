"""However long the warm-up, the accumulators stay those of the constructor."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", str(20000 + os.getpid() % 10000))
dist.init_process_group("nccl", rank=0, world_size=1, device_id=torch.device("cuda", 0))
x = torch.ones(4, 16, device="cuda")
model = DistributedDataParallel(torch.nn.Linear(16, 16, device="cuda"))
stream = torch.cuda.Stream()
stream.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(stream):
    for _ in range(30):
        model.zero_grad()
        model(x).sum().backward()

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream):
    model(x).sum().backward()
