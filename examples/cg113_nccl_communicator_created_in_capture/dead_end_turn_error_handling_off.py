"""Without asynchronous error handling the communicator is still created inside the capture."""

import os

import torch
import torch.distributed as dist

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", str(20000 + os.getpid() % 10000))
os.environ["TORCH_NCCL_ASYNC_ERROR_HANDLING"] = "0"
torch.cuda.set_device(0)
dist.init_process_group("nccl", rank=0, world_size=1)

x = torch.ones(16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(x)
