"""The model is wrapped, warmed up and captured on one side stream."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", str(20000 + os.getpid() % 10000))
dist.init_process_group("nccl", rank=0, world_size=1, device_id=torch.device("cuda", 0))
x = torch.ones(4, 16, device="cuda")
stream = torch.cuda.Stream()
stream.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(stream):
    model = DistributedDataParallel(torch.nn.Linear(16, 16, device="cuda"))
    for _ in range(11):
        model.zero_grad()
        model(x).sum().backward()

graph = torch.cuda.CUDAGraph()
model.zero_grad()
with torch.cuda.graph(graph, stream=stream):
    model(x).sum().backward()

graph.replay()
torch.cuda.synchronize()
assert all(parameter.grad is not None for parameter in model.parameters())
graph.reset()
dist.destroy_process_group()
