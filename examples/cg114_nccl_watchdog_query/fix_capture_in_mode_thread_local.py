"""In mode `thread_local` the queries of the watchdog cannot break the capture."""

import os
import time

import torch
import torch.distributed as dist

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
os.environ.setdefault("MASTER_PORT", str(20000 + os.getpid() % 10000))
torch.cuda.set_device(0)
dist.init_process_group("nccl", rank=0, world_size=1)

x = torch.ones(16, device="cuda")
dist.all_reduce(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    time.sleep(1)  # The watchdog looks at the collective above.
    y = x + 1

graph.replay()
torch.cuda.synchronize()
dist.destroy_process_group()
