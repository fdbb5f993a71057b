"""The code that owns both releases the graph, then the process group, also after an exception."""

import faulthandler
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


class Runner:
    graph = torch.cuda.CUDAGraph()


def work(rank, ranks):
    faulthandler.dump_traceback_later(60, exit=True)
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=ranks, device_id=torch.device(rank))
    try:
        with torch.cuda.graph(Runner.graph):
            dist.all_reduce(torch.ones(1024, device="cuda"))
        Runner.graph.replay()
    finally:
        Runner.graph.reset()
        dist.destroy_process_group()


if __name__ == "__main__":
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(20000 + os.getpid() % 10000)}
    mp.spawn(work, (min(2, torch.cuda.device_count()),), nprocs=min(2, torch.cuda.device_count()))
