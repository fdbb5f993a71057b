"""`atexit` runs what was registered last first, so the graph is gone when the group is destroyed."""

import atexit
import os

import torch
import torch.distributed as dist


class Runner:
    graph = torch.cuda.CUDAGraph()


def destroy():
    if Runner.graph is not None:
        os._exit(1)
    dist.destroy_process_group()


def release():
    Runner.graph.reset()
    Runner.graph = None


os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 10000)}
dist.init_process_group("nccl", rank=0, world_size=1, device_id=torch.device("cuda", 0))
atexit.register(destroy)
with torch.cuda.graph(Runner.graph):
    dist.all_reduce(torch.ones(1024, device="cuda"))
atexit.register(release)
