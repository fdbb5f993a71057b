"""Build, warm up and capture on one side stream."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", "29500")
rank = int(os.environ.get("RANK", "0"))
world_size = int(os.environ.get("WORLD_SIZE", "1"))
torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
dist.init_process_group("nccl", rank=rank, world_size=world_size)

stream = torch.cuda.Stream()
model = torch.nn.Linear(128, 128, device="cuda")
x = torch.randn(32, 128, device="cuda")
stream.wait_stream(torch.cuda.current_stream())

with torch.cuda.stream(stream):
    ddp = DistributedDataParallel(model)
    for _ in range(11):
        ddp.zero_grad()
        ddp(x).sum().backward()

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream):
    ddp.zero_grad()
    ddp(x).sum().backward()

graph.replay()
torch.cuda.synchronize()
graph.reset()
dist.destroy_process_group()
