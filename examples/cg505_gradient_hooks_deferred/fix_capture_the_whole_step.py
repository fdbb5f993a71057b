"""The collectives of DistributedDataParallel are captured with the backward, between its kernels."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 10000)}
dist.init_process_group("nccl", rank=0, world_size=1, device_id=torch.device("cuda", 0))
x = torch.randn(32, 64, device="cuda")
stream = torch.cuda.Stream()
stream.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(stream):
    model = DistributedDataParallel(torch.nn.Linear(64, 64).cuda())
    for _ in range(11):
        model.zero_grad()
        model(x).sum().backward()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream):
    model.zero_grad()
    model(x).sum().backward()
graph.replay()
torch.cuda.synchronize()
graph.reset()
dist.destroy_process_group()
