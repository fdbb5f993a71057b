"""A function of `atexit` destroys the process group; the graph that a class holds has no collective in it."""

import atexit
import os
import subprocess
import sys

import torch
import torch.distributed as dist


class Runner:
    graph = None


def work(rank):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device(rank))
    atexit.register(dist.destroy_process_group)
    Runner.graph = torch.cuda.CUDAGraph()
    x = torch.ones(1024, device="cuda")
    with torch.cuda.graph(Runner.graph):
        x.mul_(2)
    dist.all_reduce(x)
    Runner.graph.replay()
    torch.cuda.synchronize()


if "RANK" in os.environ:
    work(int(os.environ["RANK"]))
else:
    job = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 10000)}
    job |= {"WORLD_SIZE": "2"}
    command = [sys.executable, __file__]
    ranks = [subprocess.Popen(command, env=os.environ | job | {"RANK": str(i)}) for i in range(2)]
    sys.exit(max(rank.wait() for rank in ranks))
