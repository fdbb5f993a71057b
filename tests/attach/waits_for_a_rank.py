"""Rank 1 sleeps, and rank 0 waits in NCCL for it to take part in a captured collective. For two GPUs."""

import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=2, device_id=torch.device(rank))
    x = torch.ones(8, device="cuda")
    dist.all_reduce(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2
        dist.all_reduce(y)
    graph.replay()
    torch.cuda.synchronize()
    if rank == 1:
        time.sleep(600)
    graph.replay()
    print(y.sum().item())


if __name__ == "__main__":
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 10000)}
    mp.spawn(work, nprocs=2)
